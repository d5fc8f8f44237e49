import { type Execution, failed, type Reports } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

/** The browsers of the sessions whose turns run here. Each turn has its browser to itself until it's released. */
export interface HeldBrowsers<E extends Execution> {
  /** Waits for the browser of a turn, which then begins. A turn that gets no browser fails. */
  readonly hold: (execution: E) => void
  /** Ends the wait of a turn, which then leaves; false if it doesn't wait. */
  readonly leave: (execution: E) => boolean
  /** Releases the browser of a turn, or ends its wait. */
  readonly release: (execution: E) => Effect.Effect<void>
  /** As `release`, but doesn't wait until it's done. */
  readonly abort: (execution: E) => void
}

interface Held {
  isWaiting: boolean
  fiber: Fiber.Fiber<unknown> | undefined
}

/** Makes the browsers of one engine. `begin` receives each turn that has its browser, and each that leaves without one. */
export const make = Effect.fnUntraced(function* <E extends Execution>(reports: Reports, begin: (execution: E) => void) {
  const fork = Effect.runForkWith(yield* Effect.context())
  const all = new Map<E, Held>()

  const abort = (execution: E): Fiber.Fiber<unknown> | undefined => {
    const held = all.get(execution)
    if (held === undefined) return undefined
    held.isWaiting = false
    held.fiber?.interruptUnsafe()
    return held.fiber
  }

  const release = (execution: E): Effect.Effect<void> =>
    Effect.suspend(() => {
      const fiber = abort(execution)
      return fiber === undefined ? Effect.void : Effect.asVoid(Fiber.await(fiber))
    })

  const browsers: HeldBrowsers<E> = {
    hold: (execution) => {
      const held: Held = { isWaiting: true, fiber: undefined }
      all.set(execution, held)
      /** Ends the wait, unless the turn leaves already. */
      const then = (next: Effect.Effect<void>) =>
        Effect.suspend(() => {
          if (!held.isWaiting) return Effect.void
          held.isWaiting = false
          return next
        })
      held.fiber = fork(
        Effect.flatMap(reports.attempt(execution, Effect.never), ({ browser }) => browser).pipe(
          Effect.andThen(then(Effect.sync(() => begin(execution)))),
          Effect.andThen(Effect.never),
          Effect.scoped,
          Effect.catch((error) => then(reports.onEnd(execution, failed(error)))),
          Effect.catchDefect((defect) => then(reports.onCrash(execution, defect))),
          Effect.ensuring(Effect.sync(() => void all.delete(execution)))
        )
      )
    },
    leave: (execution) => {
      if (all.get(execution)?.isWaiting !== true) return false
      fork(
        Effect.andThen(
          release(execution),
          Effect.sync(() => begin(execution))
        )
      )
      return true
    },
    release,
    abort: (execution) => void abort(execution)
  }
  return browsers
})
