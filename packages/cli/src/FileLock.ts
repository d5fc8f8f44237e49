import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { systemError } from "effect/PlatformError"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import { describePlatformError } from "./PlatformErrorText.ts"
import { usage } from "./UserError.ts"

// a change takes milliseconds: who waits longer waits for a process that was killed
const attempts = { schedule: Schedule.spaced("20 millis"), times: 250 }

/** Time that a process that takes an abandoned lock waits for another one that takes it at the same time. */
const settling = "100 millis"

/** Rounds of waiting. In each round, another process may have held the lock. */
const rounds = 6

/**
 * Runs an effect that reads a file and writes it again, while no other process or fiber does the same. The lock is a file
 * next to it, `<path>.lock`. Takes a lock that one writer has kept for 5 seconds, because that writer was killed. If the
 * lock can't be made, or other writers take it again and again, the failure is a UserError.
 */
export const withLock = <A, E, R>(path: string, effect: Effect.Effect<A, E, R>) => {
  const lock = `${path}.lock`
  const busy = systemError({ _tag: "AlreadyExists", module: "FileSystem", method: "open", pathOrDescriptor: lock })
  const take = Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const mine = String(yield* Random.nextInt)
    const holder = Effect.orElseSucceed(fs.readFileString(lock), () => "")
    const isBusy = ({ reason }: { readonly reason: { readonly _tag: string } }) => reason._tag === "AlreadyExists"
    const wait = Effect.gen(function* () {
      const before = yield* holder
      const isTaken = yield* fs.writeFileString(lock, mine, { flag: "wx" }).pipe(
        Effect.retry({ while: isBusy, ...attempts }),
        Effect.as(true),
        Effect.catchIf(isBusy, () => Effect.succeed(false))
      )
      if (isTaken) return
      // another writer had it in the meantime
      if ((yield* holder) !== before) return yield* Effect.fail(busy)
      const own = `${lock}.${mine}`
      yield* fs.writeFileString(own, mine)
      yield* fs.rename(own, lock)
      // of several that take it at once, the last one has it
      yield* Effect.sleep(settling)
      if ((yield* holder) !== mine) return yield* Effect.fail(busy)
    })
    yield* Effect.retry(wait, { while: isBusy, times: rounds })
    return mine
  }).pipe(
    Effect.mapError((error) =>
      usage(
        error.reason._tag === "AlreadyExists"
          ? `${path} is being changed by other processes all the time. Try again.`
          : `${path} cannot be changed: ${describePlatformError(error)}.`
      )
    )
  )
  return Effect.acquireUseRelease(
    take,
    () => effect,
    (mine) =>
      Effect.ignore(
        FileSystem.FileSystem.use((fs) =>
          // who was stopped for too long has lost it to another one
          Effect.flatMap(fs.readFileString(lock), (holder) => (holder === mine ? fs.remove(lock) : Effect.void))
        )
      )
  )
}
