import * as Schema from "effect/Schema"
import { Fault, Placement } from "./FaultPlan.ts"
import { Operation } from "./Operation.ts"

const Milliseconds = Schema.Finite
const Ordinal = Schema.Int

/** In every row: its number from 1, service time and real time, both in milliseconds since 1970. */
const stamp = { seq: Ordinal, at_ms: Milliseconds, realAt_ms: Milliseconds }

/** A described operation, `unrouted` for anything else, or `trap` for what followed a redirect of a fault elsewhere. */
export const Route = Schema.Union([Operation, Schema.Literals(["unrouted", "trap"])])

export type Route = typeof Route.Type

/** The identity of a request: its operation, its resource, and its number among requests with the same two. */
const request = {
  operation: Route,
  /** The id in the path; null for a create and for what has none. */
  resource: Schema.NullOr(Schema.String),
  /**
   * A create's key: a hash of its Idempotency-Key, else of its path and body. A key that is a uuid only tells creates
   * of one path and body apart, in the order in which they came.
   */
  create: Schema.NullOr(Schema.String),
  /** From 1: the how-manieth request of this operation on this resource, or of this create. */
  attempt: Ordinal
}

/** A request, written when it ends. */
export const RequestEntry = Schema.Struct({
  type: Schema.Literal("request"),
  ...stamp,
  ...request,
  /** The last row that was written before it arrived: what happened up to there, it could know and show. */
  after: Ordinal,
  method: Schema.String,
  /** The path with its query; a key in it is replaced by `[key]`. */
  path: Schema.String,
  /** The first 8 hexadecimal digits of the SHA-256 of the API key; null without one. */
  apiKey: Schema.NullOr(Schema.String),
  idempotencyKey: Schema.NullOr(Schema.String),
  userAgent: Schema.NullOr(Schema.String),
  /** The status that was sent; null when none was. */
  status: Schema.NullOr(Schema.Int),
  /** The pause that `Retry-After` asked for. */
  retryAfter_ms: Schema.NullOr(Milliseconds),
  /** The part of the response that the caller received; `left` if the caller left before it came. */
  answered: Schema.Literals(["whole", "part", "none", "left"]),
  /** The id of what a create made; null for every other request. */
  made: Schema.NullOr(Schema.String),
  /** The rule whose fault hit it. */
  fault: Schema.NullOr(Schema.String),
  /** From the request's arrival, in service time; `at_ms` is when it arrived. */
  duration_ms: Milliseconds
}).annotate({ identifier: "RequestEntry" })

/** A fault that hit, written before the request it hit ends. */
export const FaultEntry = Schema.Struct({
  type: Schema.Literal("fault"),
  ...stamp,
  ...request,
  rule: Schema.String,
  kind: Schema.Literals(Fault.members.map((member) => member.fields.kind.literal)),
  placement: Schema.NullOr(Placement)
}).annotate({ identifier: "FaultEntry" })

/** A session, turn or browser that is new (`from` is null) or has moved. A turn is a v2 task, a v4 run. */
export const MoveEntry = Schema.Struct({
  type: Schema.Literal("move"),
  ...stamp,
  of: Schema.Literals(["session", "turn", "browser"]),
  id: Schema.String,
  /** The session of a turn. */
  sessionId: Schema.NullOr(Schema.String),
  from: Schema.NullOr(Schema.String),
  to: Schema.String,
  /** Present for a new run that a person started in the console, or a program with the admin API. */
  by: Schema.optionalKey(Schema.Literal("console"))
}).annotate({ identifier: "MoveEntry" })

/**
 * A CDP connection to a browser: refused, by its token or as the browser is stopped or unknown; or connected, and then
 * left by its client, dropped while the browser runs on, or ended as the browser was stopped.
 */
export const ConnectionEntry = Schema.Struct({
  type: Schema.Literal("connection"),
  ...stamp,
  /** As it was asked for, in lower case. After a refusal there may be no browser with this id. */
  browserId: Schema.String,
  event: Schema.Literals(["connected", "left", "dropped", "stopped", "refused"])
}).annotate({ identifier: "ConnectionEntry" })

/** Something that was done through the control API. */
export const ControlEntry = Schema.Struct({
  type: Schema.Literal("control"),
  ...stamp,
  /** The operation of the control API, such as `advanceTime`. */
  action: Schema.String,
  detail: Schema.NullOr(Schema.String)
}).annotate({ identifier: "ControlEntry" })

/** One row of the journal. */
export const JournalEntry = Schema.Union([RequestEntry, FaultEntry, MoveEntry, ConnectionEntry, ControlEntry])

export type JournalEntry = typeof JournalEntry.Type

/** The kinds of rows. */
export const entryTypes = ["request", "fault", "move", "connection", "control"] as const

/** A part of the journal, and counts over all that was ever written: `written = kept + dropped`. */
export const JournalView = Schema.Struct({
  entries: Schema.Array(JournalEntry),
  /** Pass it as `after` to read on; there is more when it is smaller than `written`. */
  next: Ordinal,
  written: Ordinal,
  kept: Ordinal,
  /** The oldest rows are dropped when the journal is full. */
  dropped: Ordinal,
  counts: Schema.Struct({
    request: Ordinal,
    fault: Ordinal,
    move: Ordinal,
    connection: Ordinal,
    control: Ordinal
  })
}).annotate({ identifier: "JournalView" })

export type JournalView = typeof JournalView.Type
