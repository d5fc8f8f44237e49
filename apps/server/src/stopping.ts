import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { closeSync, openSync } from "node:fs"

/** Limits how long a stop may take once the drain is over: until then, everything is given back and closed. */
const closesWithin = Duration.seconds(10)

/** Resolves with the next SIGINT or SIGTERM. */
export const nextSignal = Effect.callback<void>((resume) => {
  const stop = () => resume(Effect.void)
  process.once("SIGINT", stop).once("SIGTERM", stop)
  return Effect.sync(() => void process.off("SIGINT", stop).off("SIGTERM", stop))
})

/** True if a terminal controls this process: the system sends SIGHUP when it closes. */
const hasTerminal = (): boolean => {
  try {
    closeSync(openSync("/dev/tty", "r"))
    return true
  } catch {
    return process.platform === "win32"
  }
}

/**
 * Handles SIGHUP while the effect runs: reloads, or stops the server exactly as SIGTERM does if there is nothing to
 * reload or if the signal can mean that a terminal closed.
 */
export const withHangup =
  <R2>(reload: Effect.Effect<void, never, R2> | undefined) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | R2> =>
    Effect.acquireUseRelease(
      Effect.map(Effect.context<R2>(), (context) => {
        const run = Effect.runForkWith(context)
        const oneAtATime = Semaphore.makeUnsafe(1)
        const onSignal =
          reload === undefined || hasTerminal()
            ? () => void process.kill(process.pid, "SIGTERM")
            : () => void run(oneAtATime.withPermits(1)(reload))
        process.on("SIGHUP", onSignal)
        return onSignal
      }),
      () => effect,
      (onSignal) => Effect.sync(() => void process.off("SIGHUP", onSignal))
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
        `Could not stop within ${Duration.format(closesWithin)} after the drain. Killing the rest and exiting.`
      )
      process.exit(1)
    })
    return Effect.acquireUseRelease(
      Effect.forkDetach(limit, { startImmediately: true }),
      () => effect,
      (fiber) => Effect.sync(() => fiber.interruptUnsafe())
    )
  }
