import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { errors } from "./Errors.ts"
import { NeedsAdmin } from "./NeedsAdmin.ts"
import { Instant, Usd } from "./Page.ts"

/** Scopes of an API key. `admin` is never a default: it includes the others, for the records of every key. */
export const keyScopes = ["read", "runs", "browsers", "admin"] as const

/** Scope of an API key. */
export const KeyScope = Schema.Literals(keyScopes)

const most = (minimum: number) => Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum, maximum: 1_000_000 })))

/** Limits of a key; null is unlimited. */
export const KeyLimits = Schema.Struct({
  /** Runs at once, including waiting ones. */
  runs: most(0),
  /** Browsers at once. */
  browsers: most(0),
  requestsPerMinute: most(1),
  /** Cost of a UTC day in USD. */
  usdPerDay: Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))),
  /** Megabytes of stored files; the server's own limit holds, too. */
  fileMegabytes: Schema.optionalKey(most(0)),
  /** Days that files are kept after their last change; null for the server's own setting. */
  fileDays: Schema.optionalKey(most(1))
}).annotate({ identifier: "KeyLimits" })
export type KeyLimits = typeof KeyLimits.Type

/** An API key without its secret. */
export const Key = Schema.Struct({
  name: Schema.String,
  /** First characters of its secret. */
  prefix: Schema.String,
  scopes: Schema.Array(Schema.Union([KeyScope, Schema.String])),
  limits: KeyLimits,
  createdAt: Instant,
  revokedAt: Schema.NullOr(Instant),
  /** Time of its last request, up to a minute late; null if it was never used. */
  lastUsedAt: Schema.NullOr(Instant),
  usage: Schema.Struct({
    /** Unfinished runs. */
    runs: Schema.Int,
    /** Browsers that aren't stopped. */
    browsers: Schema.Int,
    /** Cost of the current UTC day. */
    usdToday: Usd
  })
}).annotate({ identifier: "Key" })
export type Key = typeof Key.Type

/** A name of letters, digits, `.`, `_` and `-`. */
export const KeyName = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9][\w.-]{0,63}$/u, {
    message: "Expected a name of letters, digits, dots, dashes and underscores, 64 at most"
  })
)

/** A new key. */
export const CreateKey = Schema.Struct({
  name: KeyName,
  /** `read`, `runs` and `browsers` by default. */
  scopes: Schema.optionalKey(Schema.Array(KeyScope).check(Schema.isMinLength(1), Schema.isMaxLength(keyScopes.length))),
  /** Unlimited by default. */
  limits: Schema.optionalKey(KeyLimits)
}).annotate({ identifier: "CreateKey" })

/** A key with its secret, which is shown this once. */
export const CreatedKey = Schema.Struct({ key: Key, secret: Schema.RedactedFromValue(Schema.String) }).annotate({
  identifier: "CreatedKey"
})
export type CreatedKey = typeof CreatedKey.Type

const ofKey = { params: { name: Schema.NonEmptyString }, error: [errors.notFound, errors.unavailable] }

/** API keys of the server's store. Keys given by flags aren't listed. */
export class KeysGroup extends HttpApiGroup.make("keys").add(
  HttpApiEndpoint.get("list", "/keys", { success: Schema.Array(Key), error: errors.unavailable }).annotate(
    OpenApi.Summary,
    "List keys with their usage, revoked ones included, oldest first"
  ),
  HttpApiEndpoint.post("create", "/keys", {
    payload: CreateKey,
    success: CreatedKey.pipe(HttpApiSchema.status(201)),
    error: [errors.notFound, errors.conflict, errors.unavailable]
  })
    .annotate(OpenApi.Summary, "Create a key (scope admin); the response has its secret, once")
    .annotate(NeedsAdmin, true),
  HttpApiEndpoint.post("rotate", "/keys/:name/rotate", {
    ...ofKey,
    success: CreatedKey.pipe(HttpApiSchema.status(201)),
    error: [errors.notFound, errors.conflict, errors.unavailable]
  })
    .annotate(OpenApi.Summary, "Revoke a key and create one with its name, scopes and limits (scope admin)")
    .annotate(NeedsAdmin, true),
  HttpApiEndpoint.post("revoke", "/keys/:name/revoke", {
    ...ofKey,
    success: Key,
    error: [errors.notFound, errors.conflict, errors.unavailable]
  })
    .annotate(
      OpenApi.Summary,
      "Revoke a key (scope admin); its next request is refused. A key that is the last one with the scope admin can't revoke itself"
    )
    .annotate(NeedsAdmin, true),
  HttpApiEndpoint.put("setLimits", "/keys/:name/limits", { ...ofKey, payload: KeyLimits, success: Key })
    .annotate(OpenApi.Summary, "Set a key's limits (scope admin), from its next request on")
    .annotate(NeedsAdmin, true)
) {}
