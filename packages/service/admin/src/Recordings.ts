import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { FilterText, Instant, listOf, When } from "./Page.ts"

/** A recorded browser. */
export const RecordedBrowser = Schema.Struct({
  browserId: Schema.String,
  owner: Schema.NullOr(Schema.String),
  /** Link to the recording, with a token; null while the browser runs. */
  url: Schema.NullOr(Schema.String),
  startedAt: Instant,
  finishedAt: Schema.NullOr(Instant)
}).annotate({ identifier: "RecordedBrowser" })
export type RecordedBrowser = typeof RecordedBrowser.Type

const filters = {
  key: Schema.optionalKey(FilterText),
  from: Schema.optionalKey(When),
  to: Schema.optionalKey(When)
}

/** Recordings of browsers. */
export class RecordingsGroup extends HttpApiGroup.make("recordings").add(
  HttpApiEndpoint.get("list", "/recordings", listOf(RecordedBrowser, filters)).annotate(
    OpenApi.Summary,
    "List recorded browsers, newest first"
  )
) {}
