import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import { Transport } from "./Transport.ts"

/**
 * Notes that the unfinished resources of a session are closed, because the session was deleted with them.
 *
 * @param transport - The transport that created them.
 * @param sessionId - The id of the session.
 * @returns An effect that notes it.
 * @example
 * ```ts
 * import { Leaving, Transport } from "@webagent/core"
 *
 * export const deleted = (sessionId: string) =>
 *   Transport.use((transport) => Leaving.closeSession(transport, sessionId))
 * ```
 */
export const closeSession = ({ closed, grace, open }: Transport["Service"], sessionId: string): Effect.Effect<void> =>
  Effect.suspend(() => {
    grace.forget(sessionId)
    return Effect.forEach(
      open,
      ([name, response]) => {
        const [kind = "", id = ""] = name.split(/ (.*)/u)
        return Object(response).sessionId === sessionId ? closed(kind, id) : Effect.void
      },
      { discard: true }
    )
  })

/** Marks a resource that is accounted for. The clients of several versions can share a Transport. */
const accounted = {}

/**
 * Accounts for the unfinished resources of a kind, such as `run`, when the surrounding scope is closed by an interruption,
 * as by Ctrl-C: they are canceled if the client's `onInterrupt` says so, and a warning names those that are left.
 *
 * @param kind - The kind of the resources, such as `run`.
 * @param cancel - Cancels a resource by its id.
 * @returns A function for a resource that was named already, so that it isn't named twice.
 * @example
 * ```ts
 * import { CallOptions, Leaving } from "@webagent/core"
 * import { Runs } from "@webagent/v4"
 * import * as Effect from "effect/Effect"
 *
 * export const watchRuns = Effect.flatMap(Runs, (runs) =>
 *   Leaving.onInterrupt("run", (id) => CallOptions.forSure(runs.cancel(id)))
 * )
 * ```
 */
export const onInterrupt = (
  kind: string,
  cancel: (id: string) => Effect.Effect<unknown, unknown>
): Effect.Effect<(id: string) => void, never, Scope.Scope | Transport> =>
  Effect.flatMap(Transport, ({ onInterrupt, open }) => {
    const isCanceling = onInterrupt === "cancel"
    const onNamed = (id: string) => void (isCanceling || open.delete(`${kind} ${id}`))
    return Effect.acquireRelease(Effect.succeed(onNamed), (_, exit) => {
      const names = Exit.hasInterrupts(exit)
        ? Array.from(open.keys()).filter((name) => name.startsWith(`${kind} `) && open.get(name) !== accounted)
        : []
      for (const name of names) open.set(name, accounted)
      const leave = (name: string) =>
        isCanceling ? Effect.exit(cancel(name.slice(kind.length + 1))) : Effect.succeed(exit)
      return Effect.flatMap(Effect.forEach(names, leave, { concurrency: 10 }), (exits) => {
        const tell = (tag: string, text: string) => {
          const list = names.filter((_, index) => exits[index]?._tag === tag).join(", ")
          return list ? Effect.logWarning(text + list) : Effect.void
        }
        return Effect.andThen(tell("Failure", "These may continue and cost money: "), tell("Success", "Canceled: "))
      })
    })
  })
