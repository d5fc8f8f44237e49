import { JournalEntry } from "@webagent/control"
import * as Schema from "effect/Schema"

/** When something was and for how long, in milliseconds; `at_ms` is after the trial's start. */
const stamp = { at_ms: Schema.Finite, duration_ms: Schema.Finite }

/** Body of a request or a response; `text` is truncated after 16,384 characters, and `bytes` is the full size. */
export const Body = Schema.Struct({ text: Schema.String, bytes: Schema.Int, cut: Schema.Boolean })
export type Body = typeof Body.Type

/** Headers by their names in lower case, and the body. The body is null where there is none, or the client did not read it. */
export const Message = Schema.Struct({
  headers: Schema.Record(Schema.String, Schema.String),
  body: Schema.NullOr(Body)
})
export type Message = typeof Message.Type

/** One attempt of a request, until the end of its answer's body. */
export const Exchange = Schema.Struct({
  ...stamp,
  method: Schema.String,
  url: Schema.String,
  /** The described operation, such as `v4.getRunStatus`; null for anything else. */
  operation: Schema.NullOr(Schema.String),
  /** The id in its path, of a run, a session or a browser. */
  resource: Schema.NullOr(Schema.String),
  /** The type of request: `poll` if it checks again for something that the client waits for. */
  kind: Schema.Literals(["call", "poll"]),
  /** Which attempt of its call it is, from 1. */
  attempt: Schema.Int,
  /** Result of the previous attempt, such as `503` or `ECONNRESET`; null for the first one. */
  retried: Schema.NullOr(Schema.String),
  /** Null while there is no answer. */
  status: Schema.NullOr(Schema.Int),
  /** The reason why there is no complete response, such as `ECONNRESET` or `interrupted`; null if there is one. */
  failure: Schema.NullOr(Schema.String),
  /** Value of its `X-Request-Id` header. */
  requestId: Schema.NullOr(Schema.String),
  /** When the head of the answer came, in milliseconds after `at_ms`; null when none did. */
  headers_ms: Schema.NullOr(Schema.Finite),
  /** The span of the call that it is a part of; null outside of any. */
  spanId: Schema.NullOr(Schema.Int),
  request: Message,
  response: Schema.NullOr(Message)
}).annotate({ identifier: "TraceExchange" })
export type Exchange = typeof Exchange.Type

/** A span of the clients: a call, an attempt, a wait. */
export const Span = Schema.Struct({
  ...stamp,
  name: Schema.String,
  /** Counts from 1 in a trace. */
  id: Schema.Int,
  parentId: Schema.NullOr(Schema.Int),
  attributes: Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite, Schema.Boolean])),
  ok: Schema.Boolean,
  /** True if it had finished when the trial finished. */
  ended: Schema.Boolean
}).annotate({ identifier: "TraceSpan" })
export type Span = typeof Span.Type

/** A pause between two requests that belong together. */
export const Wait = Schema.Struct({
  ...stamp,
  /** `poll`: until something is looked at again; `retry`: until a request that failed is sent again. */
  kind: Schema.Literals(["poll", "retry"]),
  operation: Schema.NullOr(Schema.String),
  resource: Schema.NullOr(Schema.String),
  /** Of a retry, what became of the attempt before. */
  reason: Schema.NullOr(Schema.String)
}).annotate({ identifier: "TraceWait" })
export type Wait = typeof Wait.Type

/** A row of the server's own journal, its time moved onto the trial's axis. */
export const JournalRow = Schema.Struct({ at_ms: Schema.Finite, row: JournalEntry })
export type JournalRow = typeof JournalRow.Type

/** Screenshot of the agent's browser at the start of a step. */
export const Picture = Schema.Struct({
  runId: Schema.String,
  /** The step's, as in `AgentSteps`. */
  number: Schema.Int,
  summary: Schema.String,
  /** Its JPEG, in base64. */
  jpeg: Schema.String
}).annotate({ identifier: "TracePicture" })
export type Picture = typeof Picture.Type

/** Everything that was seen of one trial, as `traces/<n>.json` holds it: without the key, and in order of time. */
export const Trace = Schema.Struct({
  format: Schema.Literal(1),
  suite: Schema.String,
  scenario: Schema.String,
  /** Which trial of the scenario, from 0. */
  index: Schema.Int,
  seed: Schema.Int,
  startedAt: Schema.String,
  duration_ms: Schema.Finite,
  exchanges: Schema.Array(Exchange),
  spans: Schema.Array(Span),
  waits: Schema.Array(Wait),
  /** Empty unless the target is ours and can be asked. */
  journal: Schema.Array(JournalRow),
  /** Of the last steps of the agent in a trial that failed, where the service shows them. */
  pictures: Schema.optionalKey(Schema.Array(Picture)),
  /** Numbers of records that were dropped, so that an endless trial does not fill the memory. */
  dropped: Schema.Struct({ exchanges: Schema.Int, spans: Schema.Int, journal: Schema.Int })
}).annotate({ identifier: "Trace" })
export type Trace = typeof Trace.Type
