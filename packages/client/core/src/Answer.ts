import * as Contract from "@webagent/contract"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Answered } from "./Answered.ts"
import * as Call from "./Call.ts"
import * as OwnError from "./OwnError.ts"
import * as Received from "./Received.ts"
import type { Redact } from "./Redact.ts"
import { TooManyRequestsError } from "./TooManyRequestsError.ts"
import { called, inLine, TransportError, UndecodableAnswer, UnexpectedStatus } from "./TransportError.ts"

/** The bodies that an operation describes: its errors by status. */
interface Described {
  readonly success: Schema.Codec<unknown>
  readonly errors: Readonly<Record<string, Schema.Codec<unknown>>>
}

const parseJson = (text: string): Result.Result<unknown, string> => {
  try {
    return Result.succeed(text.trim() === "" ? {} : JSON.parse(text))
  } catch {
    return Result.fail("the body is not JSON")
  }
}

/** The most of a body that an error keeps, in characters: a page of megabytes would fill logs. */
const kept = 65_536

/** To make one costs as much as to use it, and to look for all errors costs twice as much as for the first. */
const decoderOf = (schema: Schema.Codec<unknown>) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (json: Result.Result<unknown, string>): Result.Result<unknown, string> => {
    if (Result.isFailure(json)) return json
    const read = decode(json.success)
    const decoded = Result.isSuccess(read) ? read : decode(json.success, { errors: "all" })
    return Result.isSuccess(decoded) ? Result.succeed(decoded.success) : Result.fail(decoded.failure.message)
  }
}

const detailOf = (error: unknown) =>
  error instanceof Contract.TooManyRequestsError ? error.detail : "Too many requests"

/** A date of HTTP in any of its three forms; the oldest does not say that it is GMT. */
const httpDate =
  /^[A-Za-z]{3,9}(?:, \d\d[ -][A-Za-z]{3}[ -]\d{2,4} \d\d:\d\d:\d\d GMT| [A-Za-z]{3} [ \d]\d \d\d:\d\d:\d\d \d{4})$/u

/**
 * Returns how long the response asks to wait. A date is compared with the service's own `Date` header, because a local
 * clock that is an hour off would turn it into an hour, or into nothing. Headers.parseRetryAfter would do the rest, but
 * adds 1 kB to every client.
 */
const retryAfterOf = (answered: Answered, now_ms: number) => {
  const header = answered.header("retry-after")?.trim() ?? ""
  if (/^\d+$/u.test(header)) return Duration.seconds(Number(header))
  if (!httpDate.test(header)) return undefined
  const there_ms = Date.parse(answered.header("date") ?? "")
  const wait_ms =
    Date.parse(header.endsWith("GMT") ? header : `${header} GMT`) - (Number.isNaN(there_ms) ? now_ms : there_ms)
  return Number.isNaN(wait_ms) ? undefined : Duration.millis(Math.max(0, wait_ms))
}

/** Returns the target of a redirect without its query, which may hold secrets. */
const locationOf = (answered: Answered) => {
  const url = URL.parse(answered.header("location") ?? "", answered.url)
  return url === null || answered.header("location") === undefined ? undefined : `${url.origin}${url.pathname}`
}

/**
 * The described error that an answer is, if it is one. 401 and 429 say all that matters by their status; any other
 * error has to look as it is described, or it comes from somewhere else: a proxy, another path.
 */
const describedError = (described: Described, status: number, body: string) => {
  const schema = described.errors[status]
  if (schema === undefined) return undefined
  const decode = decoderOf(schema)
  if (body.length <= kept && OwnError.isOwn(body)) {
    const error = decode(parseJson(body))
    if (Result.isSuccess(error)) return error.success
  }
  return status === 401 || status === 429 ? Result.getOrUndefined(decode(Result.succeed({}))) : undefined
}

/**
 * Makes the interpreter of an operation's responses. Any 2xx is a success, even one that the contract doesn't name, and
 * an empty body is `{}`. `idOf` finds the id in a body that can't be decoded.
 */
export const interpreter = (
  described: Described,
  redact: Redact,
  idOf: (answer: unknown) => string | undefined
): ((answered: Answered) => Effect.Effect<unknown, unknown>) => {
  const { complete, prepare, schema } = Received.make(described.success)
  const decode = decoderOf(schema)
  return (answered) => {
    const { status } = answered
    if (status < 200 || status > 299) {
      return Effect.flatMap(Clock.currentTimeMillis, (now_ms) =>
        Effect.fail(refusal(described, answered, redact, now_ms))
      )
    }
    const text = answered.text()
    const json = parseJson(redact(text, true))
    const answer = decode(Result.isSuccess(json) ? Result.succeed(prepare(json.success)) : json)
    if (Result.isSuccess(answer)) return Effect.succeed(complete(answer.success, Result.getOrUndefined(json)))
    const body = redact(text)
    const id = idOf(Result.getOrUndefined(parseJson(body)))
    const isJson = text.trim() !== "" && Result.isSuccess(json)
    return Effect.fail(
      failed(
        answered,
        new UndecodableAnswer({
          status,
          body: body.slice(0, kept),
          isJson,
          issue: inLine(redact(answer.failure), kept),
          ...(id === undefined ? {} : { id })
        })
      )
    )
  }
}

const failed = (answered: Answered, reason: UndecodableAnswer | UnexpectedStatus) =>
  new TransportError({ ...Call.of(answered), reason })

/** Advice for described errors, by status; a 429 has its own message. */
const advice: { readonly [status: number]: string } = {
  401: ". Check the API key, and the header that carries it",
  404: ". Check the id and the key's account",
  409: ". Look at its status, or make a new one",
  413: ". Send less",
  422: ". Change the request"
}

/**
 * A described error with the call that it answers, in its message and for who asks. None of it is a field: what is
 * encoded stays as it is.
 */
const withCall = (error: Error, answered: Answered, body: string) => {
  const call = Call.of(answered)
  const what = `status ${answered.status}, ${inLine(error.message, 1000).replace(/\.$/u, "")}${advice[answered.status] ?? ""}`
  const message = `${called(call)}: ${what}. Request id ${call.requestId}.`
  return Object.defineProperties(error, {
    call: { value: call },
    body: { value: body },
    // code that passes it on may extend the message, as with any Error
    message: { value: message, writable: true, configurable: true },
    toJSON: { value: () => ({ ...error, message: error.message }) }
  })
}

const refusal = (
  described: Described,
  answered: Answered,
  redact: (text: string) => string,
  now_ms: number
): unknown => {
  const { status } = answered
  const body = redact(answered.text())
  const retryAfter = retryAfterOf(answered, now_ms)
  const start = body.slice(0, kept)
  const found = describedError(described, status, body)
  const error =
    status === 429 && found !== undefined
      ? new TooManyRequestsError(detailOf(found), retryAfter, answered.requestId)
      : found
  if (error instanceof Error) return withCall(error, answered, start)
  const location = locationOf(answered)
  return failed(
    answered,
    new UnexpectedStatus({
      status,
      body: start,
      ...(retryAfter === undefined ? {} : { retryAfter }),
      ...(location === undefined ? {} : { location: redact(location) })
    })
  )
}
