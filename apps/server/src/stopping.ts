import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** Limits how long a stop may take once the drain is over: until then, everything is given back and closed. */
const closesWithin = Duration.seconds(10)

/** Resolves with the next SIGINT or SIGTERM. */
export const nextSignal = Effect.callback<void>((resume) => {
  const stop = () => resume(Effect.void)
  process.once("SIGINT", stop).once("SIGTERM", stop)
  return Effect.sync(() => void process.off("SIGINT", stop).off("SIGTERM", stop))
})

/** Stops the server on SIGHUP exactly as on SIGTERM, while the effect runs. */
export const withHangup = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const stop = () => void process.kill(process.pid, "SIGTERM")
      process.on("SIGHUP", stop)
      return stop
    }),
    () => effect,
    (stop) => Effect.sync(() => void process.off("SIGHUP", stop))
  )

/**
 * Exits the process if a stop hangs: `drainWithin` after the first signal, or at the second signal, whatever still runs
 * has 10 more seconds. The exit kills browsers and other child processes.
 */
export const withLimit =
  (drainWithin: Duration.Duration) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const limit = Effect.gen(function* () {
      yield* nextSignal
      yield* Effect.raceFirst(Effect.sleep(drainWithin), nextSignal)
      yield* Effect.sleep(closesWithin)
      yield* Effect.logError(
        `Could not stop within ${Duration.format(closesWithin)} after the drain. Killing what is left and exiting.`
      )
      process.exit(1)
    })
    return Effect.acquireUseRelease(
      Effect.forkDetach(limit, { startImmediately: true }),
      () => effect,
      (fiber) => Effect.sync(() => fiber.interruptUnsafe())
    )
  }
