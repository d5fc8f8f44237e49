/** A program that holds browsers and a run of the service at WEBAGENT_BASE_URL, and says so; it never ends. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { ClientConfig, LedgerFile, Transport } from "@webagent/core"
import { layerUndici, ProcessOwner } from "@webagent/core/node"
import { Browsers, Runs, V4 } from "@webagent/v4"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const [, , directory = "", count = "1"] = process.argv

const client = V4.layerServices.pipe(
  Layer.provide(Transport.layer),
  Layer.provide(layerUndici),
  Layer.provide(ClientConfig.layerConfig),
  Layer.provide(LedgerFile.layer({ directory, owner: ProcessOwner.current() })),
  Layer.provide(NodeFileSystem.layer)
)

void Effect.runPromise(
  Effect.gen(function* () {
    const browsers = yield* Browsers
    const runs = yield* Runs
    for (let index = 0; index < Number(count); index++) yield* browsers.acquire()
    const run = yield* runs.create({ task: "[simulate duration=1h]" })
    const over = yield* runs.create({ task: "[simulate duration=1ms]" })
    yield* Console.log(`run=${run.id} over=${over.id}`)
    // the service never answers this one
    return yield* browsers.use({ proxyCountryCode: "no" }, () => Effect.never)
  }).pipe(Effect.scoped, Effect.provide(client))
)
