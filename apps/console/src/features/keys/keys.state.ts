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

/** Creates a key. */
export const createKey = Console.mutation("keys", "create")

/** Revokes a key and creates one with the same name, scopes and limits. */
export const rotateKey = Console.mutation("keys", "rotate")

/** Revokes a key. */
export const revokeKey = Console.mutation("keys", "revoke")

/** Sets the limits of a key. */
export const setLimits = Console.mutation("keys", "setLimits")
