/**
 * Keeps a ledger on the disk, and stops the browsers that a killed process left behind.
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

/** The v4 client. Each create is in the ledger before it's sent, and each finish after the client has seen it. */
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

/** Run this when your application starts, while no other process of it is running. */
export const program = Effect.gen(function* () {
  const browsers = yield* Browsers
  const ledger = yield* Ledger.Current
  const left = yield* ledger.open
  return yield* Effect.forEach(left, ({ id, key, kind, state }) => {
    if (kind === "browser" && id !== undefined) return Effect.as(browsers.stop(id), `stopped browser ${id}`)
    // runs.cancel(id) could cancel a run; if the response to a create was lost, only its key is known
    return Effect.succeed(`${kind} ${id ?? `of the key ${key}`} is ${state}: it may run, and cost`)
  })
})
