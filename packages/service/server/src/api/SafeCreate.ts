import type { HTTPValidationError } from "@webagent/contract"
import { apiKeyHeader, idempotencyKeyHeader } from "@webagent/contract/Wire"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { hash } from "node:crypto"
import { IdempotencyKeyReused, type SafeCreate } from "@webagent/engine"
import { Caller, unknownCaller } from "./Caller.ts"
import { invalid } from "./Invalid.ts"
import { mapValues } from "./SecretValues.ts"

const keyHeader = idempotencyKeyHeader.toLowerCase()

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
export interface CreateRequest<Payload = unknown> {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly payload: Payload
}

/** The digests of a create's idempotency key, with its caller and path, and of its body; undefined without a key. */
const fromRequest = (wanted: CreateRequest): Effect.Effect<SafeCreate | undefined, HTTPValidationError> => {
  const { [keyHeader]: key } = wanted.request.headers
  return key === undefined ? Effect.succeed(undefined) : fromKey(key, wanted)
}

const fromKey = Effect.fnUntraced(function* (
  key: string,
  { payload, request: { headers, url } }: CreateRequest
): Effect.fn.Return<SafeCreate, HTTPValidationError> {
  const { [apiKeyHeader.toLowerCase()]: apiKey = "" } = headers
  if (key === "")
    return yield* refuse("The key is empty. Send 1 to 255 characters or leave the header out", "string_too_short")
  if (key.length > longest) return yield* refuse(`The key is longer than ${longest} characters`, "string_too_long")
  if (/\p{Cc}/u.test(key))
    return yield* refuse("The key has control characters. Send printable characters", "string_pattern_mismatch")
  const path = (url.split(/[?;#]/u, 1)[0] ?? "").toLowerCase()
  const bySecret = digest([apiKey, path, key])
  // the store has no key, so it doesn't help to guess a secret of the body
  const body = digest(mapValues(payload, (value) => digest(["secret", key, value])))
  const caller = yield* Caller
  if (caller === unknownCaller) return { key: bySecret, body }
  // the name of an API key stays the same when its secret is rotated
  const byName = digest(["caller", caller.name, path, key])
  // servers of the version before know a create by the secret alone
  return apiKey === "" ? { key: byName, body } : { key: bySecret, also: byName, body }
})

/** Makes the digests of one of several creates of a request. */
export const partOf = (safe: SafeCreate | undefined, part: string): SafeCreate | undefined =>
  safe && {
    key: digest([safe.key, part]),
    ...(safe.also === undefined ? {} : { also: digest([safe.also, part]) }),
    body: part
  }

/** Runs a create once per key. The response has a header if an earlier request with the same key did it. */
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
