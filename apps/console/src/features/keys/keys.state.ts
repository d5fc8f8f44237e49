import * as Effect from "effect/Effect"
import { Console } from "../../state/client.ts"
import { epoch } from "../../state/live.ts"
import { settled } from "../../state/runs.ts"

/** Read again after a change. */
export const keysChanged = ["keys"]

/** The keys of the server, with their usage. */
export const keys = Console.runtime
  .atom((get) => {
    get(epoch)
    get(settled("runs"))
    return Effect.flatMap(Console, (client) => client.keys.list())
  })
  .pipe(Console.runtime.factory.withReactivity(keysChanged))

const shownCount = ({ count: n, more }: { readonly count: number; readonly more: boolean }) => `${n}${more ? "+" : ""}`

/** Open runs and browsers that the key of this session sees, which are its own if it isn't an admin's. */
export const ownUse = Console.runtime.atom((get) => {
  get(epoch)
  get(settled("runs"))
  return Effect.gen(function* () {
    const client = yield* Console
    const [runs, browsers] = yield* Effect.all(
      [client.runs.list({ query: { limit: 1 } }), client.browsers.list({ query: { status: "active", limit: 100 } })],
      { concurrency: 2 }
    )
    const open = ["queued", "dispatching", "running"].map(
      (status) => runs.counts?.[status] ?? { count: 0, more: false }
    )
    return {
      runs: shownCount({ count: open.reduce((sum, one) => sum + one.count, 0), more: open.some(({ more }) => more) }),
      browsers: shownCount({ count: browsers.rows.length, more: browsers.next !== null })
    }
  })
})

/** Creates a key. */
export const createKey = Console.mutation("keys", "create")

/** Revokes a key and creates one with the same name, scopes and limits. */
export const rotateKey = Console.mutation("keys", "rotate")

/** Revokes a key. */
export const revokeKey = Console.mutation("keys", "revoke")

/** Sets the limits of a key. */
export const setLimits = Console.mutation("keys", "setLimits")
