import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { TooManyRequestsError } from "./TooManyRequestsError.ts"
import { TransportError, UndecodableAnswer, UnexpectedStatus } from "./TransportError.ts"

/** The bodies that an operation describes. */
export interface Described {
  readonly success: Schema.Codec<unknown>
  readonly errors: ReadonlyMap<number, Schema.Codec<unknown>>
}

const parseJson = (text: string): Result.Result<unknown, string> =>
  text.trim() === ""
    ? Result.succeed({})
    : Result.try({ try: (): unknown => JSON.parse(text), catch: () => "the body is not JSON" })

const decode = (schema: Schema.Codec<unknown>, text: string): Result.Result<unknown, string> =>
  Result.flatMap(parseJson(text), (json) =>
    Result.mapError(Schema.decodeUnknownResult(schema, { errors: "all" })(json), (error) => error.message)
  )

const stringField = (value: unknown, name: string) => {
  const field = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined
  return typeof field === "string" ? field : undefined
}

const retryAfterOf = (response: HttpClientResponse.HttpClientResponse, now: number) => {
  const header = response.headers["retry-after"]
  const parsed = header === undefined ? undefined : Result.getOrUndefined(Headers.parseRetryAfter(header))
  return parsed === undefined ? undefined : Headers.retryAfterDelay(parsed, now)
}

/**
 * The described error that an answer is, if it is one. 401 and 429 say all that matters by their status; any other
 * error has to look as it is described, or it comes from somewhere else: a proxy, another path.
 */
const describedError = (described: Described, status: number, body: string) => {
  const schema = described.errors.get(status)
  if (schema === undefined) return undefined
  const error = decode(schema, body)
  if (Result.isSuccess(error)) return error.success
  return status === 401 || status === 429 ? Result.getOrUndefined(decode(schema, "{}")) : undefined
}

/** What an answer means. Any 2xx is a success, whichever the contract names, and an empty body is `{}`. */
export const interpret = Effect.fnUntraced(function* (
  described: Described,
  response: HttpClientResponse.HttpClientResponse,
  redact: (text: string) => string
): Effect.fn.Return<unknown, unknown> {
  const { request, status } = response
  const url = new URL(request.url)
  const text = yield* Effect.orDie(response.text)
  const body = redact(text)
  const failWith = (reason: UndecodableAnswer | UnexpectedStatus) =>
    new TransportError({ method: request.method, path: url.pathname, origin: url.origin, attempts: 1, reason })

  if (status >= 200 && status < 300) {
    const answer = decode(described.success, text)
    if (Result.isSuccess(answer)) return answer.success
    const id = stringField(Result.getOrUndefined(parseJson(body)), "id")
    return yield* failWith(
      new UndecodableAnswer({ status, body, issue: answer.failure, ...(id === undefined ? {} : { id }) })
    )
  }

  const retryAfter = retryAfterOf(response, yield* Clock.currentTimeMillis)
  const error = describedError(described, status, body)
  if (status === 429 && error !== undefined) {
    return yield* Effect.fail(new TooManyRequestsError(stringField(error, "detail") ?? "Too many requests", retryAfter))
  }
  if (error !== undefined) return yield* Effect.fail(error)
  return yield* failWith(new UnexpectedStatus({ status, body, ...(retryAfter === undefined ? {} : { retryAfter }) }))
})
