import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Socket from "effect/socket/Socket"

/** No connection, a lost one, no answer in time, or an error that the browser answered (`code` is then its own). */
export class CdpError extends Schema.TaggedError<CdpError>()("CdpError", {
  message: Schema.String,
  code: Schema.optionalKey(Schema.Number)
}) {}

/** A connection to a browser over the Chrome DevTools Protocol. It closes with its scope, which stops nothing. */
export interface CdpConnection {
  /** Sends one command and waits for its result, at most ten seconds. */
  readonly send: (method: string, params?: Readonly<Record<string, unknown>>) => Effect.Effect<unknown, CdpError>
  /** Waits until the other side has closed the connection. */
  readonly closed: Effect.Effect<void>
}

const patience = Duration.seconds(10)

const Message = Schema.fromJsonString(
  Schema.Struct({
    id: Schema.optionalKey(Schema.Number),
    result: Schema.optionalKey(Schema.Unknown),
    error: Schema.optionalKey(Schema.Struct({ code: Schema.optionalKey(Schema.Number), message: Schema.String }))
  })
)

const Endpoint = Schema.Struct({ webSocketDebuggerUrl: Schema.String })

const textOf = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return String(value)
  if ("message" in value && typeof value.message === "string" && value.message !== "") return value.message
  return "type" in value ? String(value.type) : String(value)
}

const describe = (error: Socket.SocketError): string =>
  "cause" in error.reason ? textOf(error.reason.cause) : error.reason.message

/** A Chromium's own HTTP address leads to its WebSocket; a WebSocket address is taken as it is. */
const webSocketUrl = (client: HttpClient.HttpClient, url: string): Effect.Effect<string, CdpError> =>
  url.startsWith("http")
    ? client.get(`${url.replace(/\/$/u, "")}/json/version`).pipe(
        Effect.flatMap((response) => response.json),
        Effect.flatMap(Schema.decodeUnknownEffect(Endpoint)),
        Effect.map((endpoint) => endpoint.webSocketDebuggerUrl),
        Effect.mapError((error) => new CdpError({ message: `No CDP endpoint at ${url}: ${error.message}` }))
      )
    : Effect.succeed(url)

/** Connects to a `cdpUrl`; a refused connection is a CdpError that says how it was refused. */
export const connect = Effect.fnUntraced(function* (
  client: HttpClient.HttpClient,
  url: string
): Effect.fn.Return<CdpConnection, CdpError, Scope.Scope | Socket.WebSocketConstructor> {
  const socket = yield* Socket.makeWebSocket(yield* webSocketUrl(client, url), { openTimeout: patience })
  const writer = yield* socket.writer
  const pull = yield* Socket.readerString(socket).pipe(
    Effect.mapError((error) => new CdpError({ message: `The CDP connection was refused: ${describe(error)}` }))
  )
  const waiting = new Map<number, Deferred.Deferred<unknown, CdpError>>()
  const ended = yield* Deferred.make<void>()
  const lost = new CdpError({ message: "The CDP connection was closed" })
  let last = 0

  const receive = (text: string) =>
    Effect.flatMap(Effect.option(Schema.decodeUnknownEffect(Message)(text)), (decoded) => {
      const message = decoded._tag === "Some" ? decoded.value : undefined
      const deferred = message?.id === undefined ? undefined : waiting.get(message.id)
      if (message === undefined || deferred === undefined) return Effect.void
      const { error } = message
      return error === undefined
        ? Deferred.succeed(deferred, message.result)
        : Deferred.fail(
            deferred,
            new CdpError({ message: error.message, ...(error.code === undefined ? {} : { code: error.code }) })
          )
    })

  yield* pull.pipe(
    Effect.flatMap((texts) => Effect.forEach(texts, receive, { discard: true })),
    Effect.forever,
    Effect.ignore,
    Effect.ensuring(
      Effect.suspend(() =>
        Effect.andThen(
          Effect.forEach([...waiting.values()], (deferred) => Deferred.fail(deferred, lost), { discard: true }),
          Deferred.succeed(ended, undefined)
        )
      )
    ),
    Effect.forkScoped
  )

  const send = (method: string, params: Readonly<Record<string, unknown>> = {}) =>
    Effect.gen(function* () {
      if (yield* Deferred.isDone(ended)) return yield* lost
      const id = ++last
      const answer = yield* Deferred.make<unknown, CdpError>()
      waiting.set(id, answer)
      return yield* writer.write(JSON.stringify({ id, method, params })).pipe(
        Effect.mapError(() => lost),
        Effect.andThen(Deferred.await(answer)),
        Effect.timeoutOrElse({
          duration: patience,
          orElse: () => Effect.fail(new CdpError({ message: `No answer to ${method} within ten seconds` }))
        }),
        Effect.ensuring(Effect.sync(() => waiting.delete(id)))
      )
    })

  return { send, closed: Deferred.await(ended) }
})
