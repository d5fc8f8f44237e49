import type { HTTPValidationError } from "@webagent/contract"
import { apiKeyHeader } from "@webagent/contract/Wire"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { hash } from "node:crypto"
import { IdempotencyKeyReused, type SafeCreate } from "@webagent/engine"
import { invalid } from "./Invalid.ts"

/** The request header that makes a create safe to send again. The description does not show it. */
const idempotencyKeyHeader = "Idempotency-Key"

/** The answer header that says that nothing was created now: an earlier request with the same key did. */
const replayedHeader = "Idempotency-Replayed"

const longest = 255

const refuse = (msg: string, type: string) => Effect.fail(invalid(["header", idempotencyKeyHeader], msg, type))

/** One text for all JSON that says the same, whatever the order of its keys and its spaces. */
const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1))
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`).join(",")}}`
}

const digest = (value: unknown): string => hash("sha256", canonical(value), "base64url")

/** The request of a create operation, with its decoded body. */
interface CreateRequest {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly payload: unknown
}

const keyIn = (request: HttpServerRequest.HttpServerRequest) => request.headers[idempotencyKeyHeader.toLowerCase()]

/** The digest of the request's idempotency key, its API key and its path; `undefined` for a create without a key. */
const keyOf = (request: HttpServerRequest.HttpServerRequest): string | undefined => {
  const key = keyIn(request)
  if (key === undefined) return undefined
  const path = request.url.split(/[?;#]/u, 1)[0] ?? ""
  return digest([request.headers[apiKeyHeader.toLowerCase()] ?? "", path.toLowerCase(), key])
}

/** The key of a create with its scope, as digests; `undefined` for a create without a key. */
const fromRequest = ({
  payload,
  request
}: CreateRequest): Effect.Effect<SafeCreate | undefined, HTTPValidationError> => {
  const header = keyIn(request)
  const key = keyOf(request)
  if (header === undefined || key === undefined) return Effect.succeed(undefined)
  if (header === "")
    return refuse("The key is empty. Send 1 to 255 characters or leave the header out", "string_too_short")
  if (header.length > longest) return refuse(`The key is longer than ${longest} characters`, "string_too_long")
  if (/\p{Cc}/u.test(header))
    return refuse("The key has control characters. Send printable characters", "string_pattern_mismatch")
  return Effect.succeed({ key, body: digest(payload) })
}

/** Carries out a create once a key, and says on the wire when it answers what an earlier one made. */
export const once = <A extends { readonly replayed: boolean }, E, R>(
  wanted: CreateRequest,
  create: (safe: SafeCreate | undefined) => Effect.Effect<A, E, R>
) =>
  fromRequest(wanted).pipe(
    Effect.flatMap(create),
    Effect.tap(({ replayed }) =>
      replayed
        ? HttpEffect.appendPreResponseHandler((_, response) =>
            Effect.succeed(HttpServerResponse.setHeader(response, replayedHeader, "true"))
          )
        : Effect.void
    ),
    Effect.catchIf(
      (error) => error instanceof IdempotencyKeyReused,
      () => refuse("The key was used before with another body. Send a new key for a new create", "value_error")
    )
  )
