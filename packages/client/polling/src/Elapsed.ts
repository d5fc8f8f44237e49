import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

const toMillis = (nanos: bigint) => Math.floor(Number(nanos) / 1e6)

/**
 * Milliseconds of a monotonic clock. Only the difference of two readings has a meaning, and changes of the system time
 * don't affect it.
 */
export const now_ms: Effect.Effect<number> = Effect.map(Clock.monotonicTimeNanos, toMillis)

/**
 * Reads a clock synchronously, in milliseconds as `now_ms`.
 *
 * @param clock - The clock that is read.
 * @returns The time in milliseconds since an arbitrary moment.
 * @example
 * ```ts
 * import { Elapsed } from "@webagent/polling"
 * import * as Clock from "effect/Clock"
 * import * as Effect from "effect/Effect"
 *
 * export const timed = <A>(f: () => A) =>
 *   Clock.clockWith((clock) =>
 *     Effect.sync(() => {
 *       const began_ms = Elapsed.nowUnsafe_ms(clock)
 *       return { value: f(), took_ms: Elapsed.nowUnsafe_ms(clock) - began_ms }
 *     })
 *   )
 * ```
 */
export const nowUnsafe_ms = (clock: Clock.Clock): number => toMillis(clock.monotonicTimeNanosUnsafe())
