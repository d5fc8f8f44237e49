import { ContentTooLargeError, HTTPValidationError, RequestValidation } from "@webagent/contract"
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import type * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpApiError from "effect/http-api/HttpApiError"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { invalid } from "../../api/Invalid.ts"
import { misspeltFields } from "./BodyFields.ts"
import * as ValidationDetail from "./ValidationDetail.ts"

/** The longest body that the server reads. */
export const maxBodySize = ByteSize.mebibytes(1)

/** Maximum nesting of a body, because responses repeat parts of it, and JSON.stringify recurses. */
const maxNesting = 200

const invalidBody = (type: string, msg: string) => invalid(["body"], msg, type)

const tooLarge = new ContentTooLargeError({ detail: "The body is larger than 1 MiB" })

const unreadable = (error: HttpServerError.HttpServerError) =>
  error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"
    ? tooLarge
    : invalidBody("body_error", "The body could not be read")

/** The text must be valid JSON: an unclosed string would make the pattern quadratic. */
const nesting = (text: string): number => {
  let depth = 0
  let deepest = 0
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[{]|[\]}]/gsu)) {
    if (token === "[" || token === "{") deepest = Math.max(deepest, ++depth)
    else if (token === "]" || token === "}") depth--
  }
  return deepest
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

const parseJson = (text: string): Result.Result<unknown, unknown> => Result.try((): unknown => JSON.parse(text))

const bodies = (endpoint: HttpApiEndpoint.Top) => [...endpoint.payload.values()].flatMap(({ schemas }) => schemas)

/** True if all fields are optional, so that an absent body is equivalent to `{}`. */
const asksForNothing = (schemas: ReadonlyArray<Schema.Top>): boolean =>
  schemas.some((schema) => Schema.is(Schema.toEncoded(schema))({}))

/** The same request with `{}` for a body. */
const withEmptyObject = (request: HttpServerRequest.HttpServerRequest): HttpServerRequest.HttpServerRequest =>
  Object.create(request.modify({ headers: { ...request.headers, "content-type": "application/json" } }), {
    text: { value: Effect.succeed("{}") }
  })

/** Keeps the text of a request's body, so that it isn't decoded again. A second request with this one as its prototype takes more memory. */
const keepText = (request: HttpServerRequest.HttpServerRequest, text: string): HttpServerRequest.HttpServerRequest =>
  Object.defineProperty(request, "text", { value: Effect.succeed(text), configurable: true })

/** Reads the body within its limits, and refuses a body that is not JSON, before the handler decodes it. */
const checkBody = Effect.fnUntraced(function* (schemas: ReadonlyArray<Schema.Top>) {
  const request = yield* HttpServerRequest.HttpServerRequest
  if (Number(request.headers["content-length"]) > ByteSize.toNumberUnsafe(maxBodySize)) return yield* tooLarge
  const bytes = yield* Effect.mapError(request.arrayBuffer, unreadable)
  if (bytes.byteLength === 0) {
    if (asksForNothing(schemas)) return withEmptyObject(request)
    return yield* invalidBody("missing", "Field required")
  }
  const contentType = request.headers["content-type"]
  if (contentType !== undefined && !/^application\/json(?:$|[\s;])/iu.test(contentType.trim())) {
    return yield* invalidBody("model_attributes_type", `Expected a body of type application/json, got ${contentType}`)
  }
  const coding = request.headers["content-encoding"]?.trim() ?? ""
  if (!/^(?:identity)?$/iu.test(coding)) {
    return yield* invalidBody("body_error", `The body is encoded with ${coding}: send it as it is`)
  }
  // a lenient decoder would change the text of a task
  const text = Result.getOrUndefined(Result.try(() => utf8.decode(bytes)))
  if (text === undefined) return yield* invalidBody("json_invalid", "The body is not UTF-8")
  const json = parseJson(text)
  if (Result.isFailure(json)) return yield* invalidBody("json_invalid", "JSON decode error")
  // each level has two brackets, so most bodies are too short for that
  if (text.length > 2 * maxNesting && nesting(text) > maxNesting) {
    return yield* invalidBody("json_invalid", `JSON is nested deeper than ${maxNesting} levels`)
  }
  const detail = schemas.flatMap((schema) => misspeltFields(schema, json.success))
  if (detail.length > 0) return yield* new HTTPValidationError({ detail })
  return keepText(request, text)
})

/**
 * Every issue of a request. HttpApiBuilder decodes a body against the union of the payloads of an operation, and the
 * issue of a union names no field. Each operation has one payload, so the body is decoded again against that.
 */
const detailOf = Effect.fnUntraced(function* (error: HttpApiError.HttpApiSchemaError, endpoint: HttpApiEndpoint.Top) {
  const [schema] = bodies(endpoint)
  const detail = ValidationDetail.fromIssue(error.kind, error.cause.issue)
  // an operation that refuses unknown fields has all its issues, and decoding again would accept these fields
  const isComplete = detail.some(({ type }) => type === "extra_forbidden")
  if (error.kind !== "Payload" || schema === undefined || isComplete) return detail
  const request = yield* HttpServerRequest.HttpServerRequest
  const json = Result.getOrUndefined(parseJson(yield* Effect.orElseSucceed(request.text, () => "")))
  const again = Schema.decodeUnknownResult(Schema.toEncoded(schema), { errors: "all" })(json)
  return Result.isFailure(again) ? ValidationDetail.fromIssue(error.kind, again.failure.issue) : detail
})

/** Answers a request that does not fit its operation as FastAPI does: 422 with an entry for each issue. */
export const layer: Layer.Layer<RequestValidation> = Layer.succeed(RequestValidation, (httpEffect, { endpoint }) =>
  (endpoint.payload.size === 0
    ? httpEffect
    : Effect.flatMap(checkBody(bodies(endpoint)), (request) =>
        Effect.provideService(httpEffect, HttpServerRequest.HttpServerRequest, request)
      )
  ).pipe(
    Effect.catch((error) => {
      if (!HttpApiError.HttpApiSchemaError.is(error)) return Effect.fail(error)
      // a response that does not encode is a bug of the server
      if (error.kind === "Body" || error.kind === "ResponseHeaders") return Effect.die(error)
      return Effect.flatMap(detailOf(error, endpoint), (detail) => Effect.fail(new HTTPValidationError({ detail })))
    }),
    Effect.provideService(HttpIncomingMessage.MaxBodySize, maxBodySize)
  )
)
