import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { FilterText, Instant, listOf, When } from "./Page.ts"

/** A change that someone made, or tried to make, through the admin API. */
export const AuditEntry = Schema.Struct({
  id: Schema.Int,
  at: Instant,
  /** Name of the key. */
  key: Schema.String,
  /** Address of the client. */
  address: Schema.String,
  /** Group and operation, such as `runs.cancel`. */
  action: Schema.String,
  /** Ids or names of the records that it was for; at most 20 are kept. */
  targets: Schema.Array(Schema.String),
  /** Number of records that it was for. */
  count: Schema.Int,
  /** Status of the response: 200, 201 or 204 if it was done. */
  status: Schema.Int
}).annotate({ identifier: "AuditEntry" })
export type AuditEntry = typeof AuditEntry.Type

/** Filters of the audit log. */
export const AuditFilters = Schema.Struct({
  key: Schema.optionalKey(FilterText),
  action: Schema.optionalKey(FilterText),
  target: Schema.optionalKey(FilterText),
  from: Schema.optionalKey(When),
  to: Schema.optionalKey(When)
})
export type AuditFilters = typeof AuditFilters.Type

/** Records that a program saved to a file. The log has what the program says: it can't see the file. */
export const Export = Schema.Struct({
  /** Kind of the records, such as `runs`. */
  list: Schema.String.check(Schema.isPattern(/^[a-z][\w-]{0,63}$/u)),
  /** Number of records. */
  count: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000_000 }))
}).annotate({ identifier: "Export" })
export type Export = typeof Export.Type

/** The log of changes. */
export class AuditGroup extends HttpApiGroup.make("audit").add(
  HttpApiEndpoint.get("list", "/audit", listOf(AuditEntry, AuditFilters.fields)).annotate(
    OpenApi.Summary,
    "List changes with their keys, newest first"
  ),
  HttpApiEndpoint.post("export", "/audit/exports", {
    payload: Export,
    success: HttpApiSchema.NoContent
  }).annotate(OpenApi.Summary, "Note in the audit log that records were saved to a file")
) {}
