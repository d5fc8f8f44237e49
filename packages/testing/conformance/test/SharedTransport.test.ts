import { assert, it } from "@effect/vitest"
import { ClientConfig, Transport } from "@webagent/core"
import { ScriptedServer } from "@webagent/scripted-server"
import * as V2 from "@webagent/v2/account"
import * as V3 from "@webagent/v3/account"
import { Browsers } from "@webagent/v4"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"

/** Creates a browser with clients of three versions over one Transport, and is interrupted as by Ctrl-C. */
const interrupted = (onInterrupt: "cancel" | "continue") =>
  Effect.gen(function* () {
    const server = yield* ScriptedServer
    server.script = () => ({ json: { id: "b-1", cdpUrl: "ws://x", status: "active" } })
    const warnings: Array<string> = []
    const logger = Logger.make<unknown, void>(({ message }) => void warnings.push(String(message)))
    const created = yield* Deferred.make<void>()
    const clients = Layer.mergeAll(V2.Browsers.layer, V3.Browsers.layer, Browsers.layer).pipe(
      Layer.provide(Transport.layer),
      Layer.provide(ClientConfig.layer({ baseUrl: server.address, apiKey: "wak_test", onInterrupt })),
      Layer.provide(FetchHttpClient.layer)
    )
    const program = Effect.gen(function* () {
      yield* V2.Browsers
      yield* V3.Browsers
      yield* Browsers.use((browsers) => browsers.create())
      yield* Deferred.succeed(created, undefined)
      return yield* Effect.never
    })
    const fiber = yield* Effect.forkChild(program.pipe(Effect.provide(clients), Effect.provide(Logger.layer([logger]))))
    yield* Deferred.await(created)
    yield* Fiber.interrupt(fiber)
    return { warnings, requests: server.requests.map(({ method }) => method) }
  }).pipe(Effect.provide(ScriptedServer.layer))

it.live("clients of three versions that share a Transport report a leftover browser once", () =>
  Effect.gen(function* () {
    const { requests, warnings } = yield* interrupted("continue")
    assert.deepStrictEqual(warnings, ["These may continue and cost money: browser b-1"])
    assert.deepStrictEqual(requests, ["POST"])
  })
)

it.live("clients of three versions that share a Transport stop a browser once with onInterrupt: cancel", () =>
  Effect.gen(function* () {
    const { requests, warnings } = yield* interrupted("cancel")
    assert.deepStrictEqual(warnings, ["Canceled: browser b-1"])
    assert.deepStrictEqual(requests, ["POST", "PATCH"])
  })
)
