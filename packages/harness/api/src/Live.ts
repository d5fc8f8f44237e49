import { RunEvent } from "@webagent/report/RunEvent"
import { Picture } from "@webagent/report/Trace"
import * as Schema from "effect/Schema"

/** A message of a page to its WebSocket; each message replaces the one before. */
export const LiveRequest = Schema.Struct({
  /** The run to follow; null for none. */
  run: Schema.NullOr(Schema.String.check(Schema.isMaxLength(200))),
  /** Position of the last event that the page has; 0 at first. After a lost connection, the page misses no event. */
  after: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
}).annotate({ identifier: "LiveRequest" })
export type LiveRequest = typeof LiveRequest.Type

/**
 * A request of a running trial in a run of this process, when it began and when it ended. It has no position: a page that was
 * away gets the latest ones of running trials again, and finds the others in the trace.
 */
export const LiveExchange = Schema.Struct({
  /** Tells it from all other requests of the process. */
  id: Schema.Int,
  /** The title of its scenario: `shop › pays by card`, as `scenarioTitle` makes it. */
  title: Schema.String,
  /** The index of its trial, from 0. */
  index: Schema.Int,
  /** Milliseconds since 1970. */
  at_ms: Schema.Number,
  /** Null while it is in flight. */
  duration_ms: Schema.NullOr(Schema.Number),
  method: Schema.String,
  /** Its path, without the key. */
  path: Schema.String,
  status: Schema.NullOr(Schema.Int),
  failure: Schema.NullOr(Schema.String)
})
export type LiveExchange = typeof LiveExchange.Type

/** The latest picture of the browser that an agent uses in a running trial. */
export const LivePicture = Schema.Struct({
  suite: Schema.String,
  scenario: Schema.String,
  index: Schema.Int,
  picture: Picture
})
export type LivePicture = typeof LivePicture.Type

/**
 * A message of the server. `Event`s of the run that the page follows have positions from 1 without a gap. The event
 * `RunFinished` comes as `Finished`: read the run for its report.
 */
export const LiveMessage = Schema.Union([
  Schema.TaggedStruct("Event", { run: Schema.String, position: Schema.Int, at: Schema.String, event: RunEvent }),
  Schema.TaggedStruct("Finished", { run: Schema.String, position: Schema.Int }),
  Schema.TaggedStruct("Exchange", { run: Schema.String, exchange: LiveExchange }),
  Schema.TaggedStruct("Picture", { run: Schema.String, ...LivePicture.fields }),
  /** The state of this kind of data, at each connection and after each change. If it's another one, read the data again. */
  Schema.TaggedStruct("Changed", { what: Schema.Literals(["runs", "suites", "nights", "load"]), state: Schema.Int }),
  /** Every 15 seconds; give up a connection after 40 seconds without a message. */
  Schema.TaggedStruct("Ping", {})
]).annotate({ identifier: "LiveMessage" })
export type LiveMessage = typeof LiveMessage.Type

/** A text frame of the server: messages in their order. */
export const LiveFrame = Schema.Array(LiveMessage)
