import { fieldIssues, ControlInvalidError, ControlValidation, line } from "@webagent/control"
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpApiError from "effect/http-api/HttpApiError"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** The longest body that is read: a snapshot of a hundred thousand runs has some 60 MB. */
const maxBodySize = ByteSize.mebibytes(256)

const parts = { Params: "path", Headers: "header", Cookies: "cookie", Query: "query", Payload: "body" } as const

const invalid = (detail: string) => new ControlInvalidError({ detail })

const parseJson = (text: string): Result.Result<unknown, unknown> => Result.try((): unknown => JSON.parse(text))

const bodyOf = (request: HttpServerRequest.HttpServerRequest) => Effect.map(request.text, (text) => text || "{}")

/** The body has to be JSON before its fields can be wrong; none at all is as good as `{}`. */
const readable = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const text = yield* Effect.mapError(bodyOf(request), () => invalid("The body could not be read."))
  if (Result.isFailure(parseJson(text))) return yield* invalid("The body is not JSON.")
  const type = request.headers["content-type"] ?? "application/json"
  if (!type.toLowerCase().startsWith("application/json")) {
    return yield* invalid(`The content type must be application/json; got ${type}.`)
  }
  // not `modify`, which makes a request that does not know the body that was read already
  return Object.create(request, {
    headers: { value: { ...request.headers, "content-type": "application/json" } },
    text: { value: Effect.succeed(text) }
  }) as HttpServerRequest.HttpServerRequest
})

/** All problems of a body at once. An unknown field is one, since it is more often a typing error than intended. */
const bodyProblems = Effect.fnUntraced(function* (endpoint: HttpApiEndpoint.Top) {
  const body: unknown = JSON.parse(yield* Effect.orDie(bodyOf(yield* HttpServerRequest.HttpServerRequest)))
  const [schema] = [...endpoint.payload.values()].flatMap(({ schemas }) => schemas)
  if (schema === undefined) return []
  const decoded = Schema.decodeUnknownResult(Schema.toEncoded(schema), { errors: "all", onExcessProperty: "error" })(
    body
  )
  return Result.isFailure(decoded) ? fieldIssues(decoded.failure.issue, body) : []
})

const checked = <A, E, R>(endpoint: HttpApiEndpoint.Top, handled: Effect.Effect<A, E, R>) =>
  Effect.flatMap(readable, (request) =>
    Effect.flatMap(bodyProblems(endpoint), (problems): Effect.Effect<A, E | ControlInvalidError, R> =>
      problems.length > 0 ? Effect.fail(invalid(problems.map(line).join("\n"))) : handled
    ).pipe(Effect.provideService(HttpServerRequest.HttpServerRequest, request))
  )

/** Answers every request that does not fit its operation with 422, and a line for each field that is wrong. */
export const layer: Layer.Layer<ControlValidation> = Layer.succeed(ControlValidation, (httpEffect, { endpoint }) =>
  (endpoint.payload.size === 0 ? httpEffect : checked(endpoint, httpEffect)).pipe(
    Effect.catch((error) => {
      if (!HttpApiError.HttpApiSchemaError.is(error)) return Effect.fail(error)
      // an answer of our own that does not encode is our mistake, not the caller's
      if (error.kind === "Body" || error.kind === "ResponseHeaders") return Effect.die(error)
      const { kind, cause } = error
      return Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) => {
        const input = kind === "Query" ? Object.fromEntries(new URLSearchParams(url.replace(/^[^?]*/u, ""))) : {}
        const problems = fieldIssues(cause.issue, input).map((problem) => `${parts[kind]} ${line(problem)}`)
        return Effect.fail(invalid(problems.join("\n")))
      })
    }),
    Effect.provideService(HttpIncomingMessage.MaxBodySize, maxBodySize)
  )
)
