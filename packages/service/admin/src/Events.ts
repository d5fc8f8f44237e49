import type { OpenStatus } from "@webagent/contract/Wire"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Browser } from "./Browsers.ts"
import { errors } from "./Errors.ts"
import { FilterText, Instant, listOf, whole } from "./Page.ts"
import { ModelCall, Run, RunStep } from "./Run.ts"
import { Session } from "./Sessions.ts"

const event = <const Name extends string, Data extends Schema.Constraint>(name: Name, data: Data) =>
  Schema.Struct({ id: Schema.String, event: Schema.Literal(name), data: Schema.fromJsonString(data) })

/** An event of a newer server. */
const OtherEvent = Schema.Struct({
  id: Schema.String,
  event: Schema.String as object as Schema.Codec<OpenStatus, string>,
  data: Schema.String
})

/**
 * A change of a record, with the record as it is afterwards. `id` is a position: a client that was away sends the last
 * one in `Last-Event-ID` and gets what it missed.
 */
export const LiveEvent = Schema.Union([
  event("run", Run),
  event("session", Session),
  event("browser", Browser),
  /** A step of the run in the query, when it begins and when it ends. */
  event("step", RunStep),
  /** A model call of the run in the query. */
  event("modelCall", ModelCall),
  /** The events since the client's position are no longer stored: read everything again. */
  event("reset", Schema.Struct({})),
  /** Every 15 s, with the current position. A client gives up a connection after 40 s without an event. */
  event("ping", Schema.Struct({})),
  OtherEvent
])
export type LiveEvent = typeof LiveEvent.Type

/** Kinds of records whose changes are logged. */
export const pastEventKinds = ["run", "session", "browser", "control", "step"] as const

/** A change of a record in the log. The stream has the record itself, the log only the change. */
export const PastEvent = Schema.Struct({
  /** Its place in the log, as in `id` of the stream. */
  position: Schema.String,
  at: Instant,
  kind: Schema.Literals(pastEventKinds),
  /** Id of the record; of a step that of its run, and of `control` that of its browser. */
  id: Schema.String,
  /** Number of a step. */
  step: Schema.NullOr(Schema.Int),
  /** Name of the key. */
  owner: Schema.NullOr(Schema.String),
  /** The status before; null for a new record. */
  from: Schema.NullOr(Schema.String),
  to: Schema.String,
  /** `taken`, `released` or `expired`, if a person began or stopped driving the browser. The status stays the same. */
  control: Schema.NullOr(Schema.String),
  /** `waiting`, `answered` or `unanswered`, if a run asked a person or the wait is over. The status stays the same. */
  question: Schema.optionalKey(Schema.NullOr(Schema.String))
}).annotate({ identifier: "PastEvent" })
export type PastEvent = typeof PastEvent.Type

/** Filters of past changes. */
export const PastEventFilters = Schema.Struct({
  kind: Schema.optionalKey(Schema.Literals(pastEventKinds)),
  /** Id of a run: its changes and those of its steps. */
  run: Schema.optionalKey(FilterText),
  key: Schema.optionalKey(FilterText),
  /** Only changes before this position, such as that of the first event of a stream. */
  before: Schema.optionalKey(whole(1, 2 ** 52))
})

/** Changes as they happen. */
export class EventsGroup extends HttpApiGroup.make("events").add(
  HttpApiEndpoint.get("list", "/events/log", listOf(PastEvent, PastEventFilters.fields)).annotate(
    OpenApi.Summary,
    "List past changes that are still stored, newest first"
  ),
  HttpApiEndpoint.get("stream", "/events", {
    headers: { "last-event-id": Schema.optionalKey(Schema.String) },
    /** Steps and model calls are sent for this run only. */
    query: { run: Schema.optionalKey(Schema.NonEmptyString) },
    success: HttpApiSchema.StreamSse({ events: LiveEvent }),
    error: [errors.badCursor, errors.unavailable]
  }).annotate(OpenApi.Summary, "Stream changes as server-sent events, from Last-Event-ID on if it is given")
) {}
