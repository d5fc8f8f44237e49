import * as Schema from "effect/Schema"
import { Span } from "./Span.ts"

/**
 * The last moment of service time, in milliseconds since 1970: the year 9000, after which dates have another format.
 */
export const endOfTime_ms = 221_845_392_000_000

/** The most times as fast as real time that service time can go. */
export const fastest = 1_000_000

/** The pace of service time: real time, faster by a factor, or only when it's moved. */
export const TimeMode = Schema.Union([
  Schema.Struct({ mode: Schema.Literal("real") }),
  Schema.Struct({
    mode: Schema.Literal("scaled"),
    factor: Schema.Finite.check(Schema.isGreaterThan(0), Schema.isLessThanOrEqualTo(fastest))
  }),
  Schema.Struct({ mode: Schema.Literal("manual") })
]).annotate({ identifier: "TimeMode" })

export type TimeMode = typeof TimeMode.Type

/** Service time and real time in milliseconds since 1970, and how the first goes. */
export const TimeView = Schema.Struct({
  time: TimeMode,
  now_ms: Schema.Finite,
  realNow_ms: Schema.Finite
}).annotate({ identifier: "TimeView" })

export type TimeView = typeof TimeView.Type

/** By how much to move service time, which has to be manual. */
export const Advance = Schema.Struct({ by: Span }).annotate({ identifier: "Advance" })
