import * as Cause from "effect/Cause"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** An operation that a node repeats on the store it shares. */
type Operation = "renew" | "look"

/** Logs an outage of the store as one line, and its end as another. */
export interface StoreOutage {
  readonly failed: (operation: Operation) => (cause: Cause.Cause<unknown>) => Effect.Effect<void>
  /** Repeats an operation in the background with a pause after each time, including after failures. */
  readonly repeat: (
    operation: Operation,
    work: Effect.Effect<void, unknown>,
    every: Duration.Input
  ) => Effect.Effect<void, never, Scope.Scope>
}

/** Makes the log of a node; `isActive` is false once the node is lost, and the end of the outage doesn't matter. */
export const make = (isActive: () => boolean): StoreOutage => {
  const failing = new Set<Operation>()

  const failed: StoreOutage["failed"] = (operation) => (cause) => {
    const isReported = failing.size > 0
    failing.add(operation)
    if (isReported) return Effect.logDebug("The database does not respond yet", cause)
    const { message } = Cause.prettyErrors(cause)[0] ?? new Error("no reason was given")
    return Effect.logWarning(`The database does not respond: ${message}. Trying again until it does.`)
  }

  const succeeded = (operation: Operation) =>
    Effect.suspend(() =>
      isActive() && failing.delete(operation) && failing.size === 0
        ? Effect.logInfo("The database responds again.")
        : Effect.void
    )

  return {
    failed,
    repeat: (operation, work, every) =>
      work.pipe(
        Effect.andThen(succeeded(operation)),
        Effect.catchCause(failed(operation)),
        Effect.andThen(Effect.sleep(every)),
        // the pause lets others work, and a schedule costs more than most looks
        Effect.forever({ disableYield: true }),
        Effect.forkScoped({ startImmediately: true })
      )
  }
}
