import { meant } from "@webagent/contract/Spelling"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import * as HttpApi from "effect/http-api/HttpApi"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as AdminClient from "./AdminClient.ts"
import { AdminApi } from "./Api.ts"
import { ClientConfigError, InvalidRequestError, NoResponseError, UnexpectedResponseError } from "./PromiseErrors.ts"
import { issueSentence, requestIssues } from "./RequestIssues.ts"

/** A length of time: milliseconds, or a text such as `"30 seconds"`. */
export type Time = number | string

/** Options of a client. */
export interface Options {
  /** Address of the server, such as `http://127.0.0.1:41873`, with or without the path `/admin/v1`. */
  readonly baseUrl: string
  /** A key with the scope `admin` sees the records of every key, any other key sees its own. */
  readonly apiKey: string
  /** The header that carries the key (default: `X-Service-API-Key`). */
  readonly apiKeyHeader?: string | undefined
  /** The longest time until a response (default: 1 minute). */
  readonly timeout?: Time | undefined
}

/** Options of a call. */
export interface CallOptions {
  /** Ends the call: its promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** The longest time until a response; by default, the timeout of the client. */
  readonly timeout?: Time | undefined
  /**
   * The `Idempotency-Key` of a create: 1 to 255 visible ASCII characters. If its response is lost, repeat it with the same
   * key and the same request: you get the record that exists, or a new one if there is none.
   */
  readonly idempotencyKey?: string | undefined
}

interface Request {
  readonly query?: object
}

type Method = (request?: never) => Effect.Effect<unknown, unknown>

/** The responses of other response modes, which this client doesn't use. */
type Raw = HttpClientResponse | readonly [unknown, HttpClientResponse]

/** The values of a stream among the responses of a method; never without one. */
type Streamed<Response> = Response extends Stream.Stream<infer Value, infer _E, infer _R> ? Value : never

/** A method with a promise in place of its Effect, or with an AsyncIterable in place of its Stream. */
type Promised<Of> = Of extends (request: infer Request) => Effect.Effect<infer Response, unknown, unknown>
  ? (
      request: Request,
      options?: CallOptions
    ) => [Streamed<Response>] extends [never] ? Promise<Exclude<Response, Raw>> : AsyncIterable<Streamed<Response>>
  : never

/**
 * The methods of a client by group, each with a promise. `events.stream` and `files.attachment` return an AsyncIterable
 * instead, which sends the request when you iterate, and ends it when you leave the loop.
 */
export type PromiseClient = {
  readonly [Group in keyof AdminClient.AdminClient]: {
    readonly [Name in keyof AdminClient.AdminClient[Group]]: Promised<AdminClient.AdminClient[Group][Name]>
  }
}

const clientOptions = ["baseUrl", "apiKey", "apiKeyHeader", "timeout"]
const callOptions = ["signal", "timeout", "idempotencyKey"]
const requestParts = ["params", "query", "payload", "headers", "sseOptions"]

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Throws for a value that isn't an object, and for the first name that isn't one of these. */
const check = (what: string, value: unknown, names: ReadonlyArray<string>, Failure: new (message: string) => Error) => {
  if (!isObject(value)) throw new Failure(`The ${what}s must be an object with ${names.join(", ")}.`)
  const unknown = Object.keys(value).find((name) => !names.includes(name))
  if (unknown === undefined) return value
  const word = meant(unknown, names)
  throw new Failure(
    `"${unknown}" isn't a ${what}. ${word === undefined ? `Use ${names.join(", ")}.` : `Did you mean "${word}"?`}`
  )
}

const timeOf = (time: unknown): Duration.Duration => {
  const isTime = typeof time === "string" || (typeof time === "number" && time > 0)
  const duration = isTime ? Option.getOrUndefined(Duration.fromInput(time as Duration.Input)) : undefined
  if (duration !== undefined) return duration
  throw new ClientConfigError(`timeout must be a length of time above zero, such as "30 seconds".`)
}

/** An error that programs without Effect can read. */
const readable = (error: unknown, request: Request | undefined, baseUrl: string): unknown => {
  if (Schema.isSchemaError(error)) {
    const query = request?.query ?? {}
    const sentences = requestIssues(error.issue).map((issue) => issueSentence(issue, String(issue.path[0]) in query))
    return new InvalidRequestError(sentences.join(" "))
  }
  if (!HttpClientError.isHttpClientError(error)) return error
  const { message, response } = error
  return response === undefined
    ? new NoResponseError(`No server responds at ${baseUrl}: ${message}. Check baseUrl, and whether the server runs.`, {
        cause: error.cause
      })
    : new UnexpectedResponseError(
        `${baseUrl} responded with HTTP ${response.status}, which the admin API doesn't describe. Check baseUrl.`,
        response.status
      )
}

const unreadableResponse = (baseUrl: string) => (error: unknown) =>
  Schema.isSchemaError(error)
    ? new UnexpectedResponseError(`A response of ${baseUrl} isn't one of the admin API. Check baseUrl.`)
    : error

/** Checks the arguments of a method, and returns the effect of its call. */
const called = (
  method: Method,
  baseUrl: string,
  usualTimeout: Duration.Duration,
  request: Request | undefined,
  options: CallOptions
) => {
  if (request !== undefined) check("part of the request", request, requestParts, InvalidRequestError)
  check("call option", options, callOptions, ClientConfigError)
  const { idempotencyKey: key, timeout } = options
  const limit = timeout === undefined ? usualTimeout : timeOf(timeout)
  if (key !== undefined && !(typeof key === "string" && /^[\x21-\x7e]{1,255}$/u.test(key))) {
    throw new ClientConfigError("idempotencyKey must be 1 to 255 visible ASCII characters.")
  }
  const sent = method(request as never)
  return (key === undefined ? sent : AdminClient.withIdempotencyKey(key)(sent)).pipe(
    Effect.mapError((error) => readable(error, request, baseUrl)),
    Effect.timeoutOrElse({
      duration: limit,
      orElse: () => Effect.fail(new NoResponseError(`No response of ${baseUrl} within ${Duration.format(limit)}.`))
    })
  )
}

const promised =
  (...method: readonly [Method, string, Duration.Duration]) =>
  async (request?: Request, options: CallOptions = {}): Promise<unknown> => {
    const call = called(...method, request, options)
    const { signal } = options
    signal?.throwIfAborted()
    const exit = await Effect.runPromiseExit(call, signal === undefined ? undefined : { signal })
    if (Exit.isSuccess(exit)) return exit.value
    signal?.throwIfAborted()
    throw Cause.squash(exit.cause)
  }

/** Fails with the signal's reason when it aborts. */
const aborted = (signal: AbortSignal): Effect.Effect<never, unknown> =>
  Effect.callback((resume) => {
    const abort = () => resume(Effect.fail(signal.reason))
    if (signal.aborted) return abort()
    signal.addEventListener("abort", abort, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", abort))
  })

const iterated =
  (...method: readonly [Method, string, Duration.Duration]) =>
  (request?: Request, options: CallOptions = {}): AsyncIterable<unknown> => {
    const [, baseUrl] = method
    const opened = called(...method, request, options) as Effect.Effect<Stream.Stream<unknown, unknown>, unknown>
    const values = Stream.unwrap(opened).pipe(Stream.mapError((error) => readable(error, undefined, baseUrl)))
    const { signal } = options
    return Stream.toAsyncIterable(signal === undefined ? values : Stream.interruptWhen(values, aborted(signal)))
  }

/** The methods whose response is a stream: group and name. */
const streams = new Set<string>()
HttpApi.reflect(AdminApi as object as HttpApi.Top, {
  onGroup: () => undefined,
  onEndpoint: ({ endpoint, group }) => {
    const isStream = [...endpoint.success].some(
      (schema) => "_tag" in schema && String(schema._tag).startsWith("Stream")
    )
    if (isStream) streams.add(`${group.identifier}.${endpoint.identifier}`)
  }
})

/**
 * A client of a server's admin API with promises, over `fetch`. A rejected promise has the error of the operation, such
 * as `NotFoundError`, or an `InvalidRequestError`, `NoResponseError` or `UnexpectedResponseError`.
 *
 * @throws `ClientConfigError` if an option is missing, unknown or of the wrong type.
 * @example
 * ```ts
 * import { PromiseClient } from "@webagent/admin"
 *
 * export const watch = async (apiKey: string) => {
 *   const admin = await PromiseClient.make({ baseUrl: "http://127.0.0.1:41873", apiKey })
 *   const { rows } = await admin.runs.list({ query: { status: "running" } }, { timeout: "5 seconds" })
 *   console.log(rows.length)
 *   for await (const { event, data } of admin.events.stream({ headers: {}, query: {} })) console.log(event, data)
 * }
 * ```
 */
export const make = async (options: Options): Promise<PromiseClient> => {
  check("client option", options, clientOptions, ClientConfigError)
  const { apiKey, apiKeyHeader, baseUrl, timeout = "1 minute" } = options
  if (!URL.canParse(baseUrl)) throw new ClientConfigError("baseUrl must be a URL, such as http://127.0.0.1:41873.")
  if (typeof apiKey !== "string" || apiKey === "") throw new ClientConfigError("apiKey must be a string.")
  const limit = timeOf(timeout)
  const made = AdminClient.make({ baseUrl, apiKey, ...(apiKeyHeader === undefined ? {} : { apiKeyHeader }) }, (read) =>
    Effect.mapError(read, unreadableResponse(baseUrl))
  )
  const client = await Effect.runPromise(Effect.provide(made, FetchHttpClient.layer))
  const groups = Object.entries(client as object as Readonly<Record<string, Readonly<Record<string, Method>>>>)
  return Object.fromEntries(
    groups.map(([group, methods]) => [
      group,
      Object.fromEntries(
        Object.entries(methods).map(([name, method]) => [
          name,
          (streams.has(`${group}.${name}`) ? iterated : promised)(method, baseUrl, limit)
        ])
      )
    ])
  ) as object as PromiseClient
}
