import * as Schedule from "effect/Schedule"

/** Retry schedule for a store that is unreachable: short pauses at first, then every 2 seconds. */
export const storeRetries = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("2 seconds")])
