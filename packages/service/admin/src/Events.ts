import type { OpenStatus } from "@webagent/contract/Wire"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Browser } from "./Browsers.ts"
import { errors } from "./Errors.ts"
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

/** A change of a record, with the record as it is afterwards. */
export type LiveEvent = typeof LiveEvent.Type

/** Changes as they happen. */
export class EventsGroup extends HttpApiGroup.make("events").add(
  HttpApiEndpoint.get("stream", "/events", {
    headers: { "last-event-id": Schema.optionalKey(Schema.String) },
    /** Steps and model calls are sent for this run only. */
    query: { run: Schema.optionalKey(Schema.NonEmptyString) },
    success: HttpApiSchema.StreamSse({ events: LiveEvent }),
    error: errors.unavailable
  }).annotate(OpenApi.Summary, "Stream changes as server-sent events, from Last-Event-ID on if it is given")
) {}
