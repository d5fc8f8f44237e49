import * as Schedule from "effect/Schedule"

/** How often a store that is away is asked again: soon at first, then every 2 seconds. */
export const storeRetries = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("2 seconds")])
