/**
 * A ledger on the disk: what a killed process has left is known by its ids, and its browsers are stopped.
 *
 * Run: LEDGER_DIRECTORY=... WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... npm run example -- 29_ledger
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Ledger, LedgerFile } from "@webagent/core"
import { ProcessOwner } from "@webagent/core/node"
import { Browsers, V4 } from "@webagent/v4"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Everything of API v4; each create is in the ledger before it goes out, each end after it was seen. */
export const layer = V4.layer().pipe(
  Layer.provideMerge(
    Layer.unwrap(
      Effect.map(Config.String("LEDGER_DIRECTORY"), (directory) =>
        LedgerFile.layer({ directory, owner: ProcessOwner.current() })
      )
    )
  ),
  Layer.provide(NodeFileSystem.layer)
)

/** Runs when an application starts, while no other process of it is running. */
export const program = Effect.gen(function* () {
  const browsers = yield* Browsers
  const ledger = yield* Ledger.Current
  const left = yield* ledger.open
  return yield* Effect.forEach(left, ({ id, key, kind, state }) => {
    if (kind === "browser" && id !== undefined) return Effect.as(browsers.stop(id), `stopped browser ${id}`)
    // no operation cancels a run; of a create that was never answered only its key is known
    return Effect.succeed(`${kind} ${id ?? `of the key ${key}`} is ${state}: it may run, and cost`)
  })
})
