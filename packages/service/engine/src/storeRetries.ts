import * as Schedule from "effect/Schedule"

/** Pause before the first retry. */
export const firstPause = "50 millis"

/** Retry schedule for a store that is unreachable: short pauses at first, then every 2 seconds. */
export const storeRetries = Schedule.min([Schedule.exponential(firstPause), Schedule.spaced("2 seconds")])
