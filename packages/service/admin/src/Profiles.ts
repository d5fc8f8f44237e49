import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { errors } from "./Errors.ts"
import { FilterText, Instant } from "./Page.ts"

/** A browser profile. Its name and user id are texts of strangers. */
export const BrowserProfile = Schema.Struct({
  id: Schema.String,
  name: Schema.NullOr(Schema.String),
  userId: Schema.NullOr(Schema.String),
  lastUsedAt: Schema.NullOr(Instant),
  createdAt: Instant
}).annotate({ identifier: "AdminProfile" })
export type BrowserProfile = typeof BrowserProfile.Type

/** Browser profiles of the request's key, because its runs can use no others. */
export class ProfilesGroup extends HttpApiGroup.make("profiles").add(
  HttpApiEndpoint.get("list", "/profiles", {
    query: { search: Schema.optionalKey(FilterText) },
    success: Schema.Struct({
      /** At most 100, newest first. */
      rows: Schema.Array(BrowserProfile),
      total: Schema.Int
    }),
    error: [errors.notFound, errors.unavailable]
  }).annotate(OpenApi.Summary, "List the browser profiles that the request's key can use in runs")
) {}
