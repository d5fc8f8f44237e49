import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import type * as HttpServerError from "effect/http/HttpServerError"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { createServer, type IncomingMessage, type Server, ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { setTimeout as startTimer } from "node:timers"
import { uploadPath } from "../../api/FileLinks.ts"
import { LinkRules } from "../../api/Origin.ts"
import { publicUrlOf } from "../../api/PublicUrl.ts"
import { fromTexts, TrustedProxies } from "../../api/TrustedProxies.ts"
import * as ApiKeyHeader from "./ApiKeyHeader.ts"
import { BytesWebSocket } from "../websocket/BytesWebSocket.ts"
import { AllowedHosts, allowedHosts } from "../policy/Hosts.ts"

/** The port is in use. */
export class PortInUseError extends Data.TaggedError("PortInUseError")<{
  readonly host: string
  readonly port: number
}> {
  override get message() {
    return `Port ${this.port} is in use`
  }
}

/** The server cannot listen for another reason, such as a missing address or permission. */
export class ListenError extends Data.TaggedError("ListenError")<{
  readonly host: string
  readonly port: number
  readonly cause: unknown
}> {
  override get message() {
    return `Cannot listen on ${this.host}:${this.port}: ${this.cause instanceof Error ? this.cause.message : this.cause}`
  }
}

/** Address to listen on; port 0 is any free one. */
export interface ListenerOptions {
  readonly host: string
  readonly port: number
  /**
   * The host names that requests to browsers may address besides those of this machine, such as the name of a proxy in
   * front (default: none on a loopback address, any elsewhere).
   */
  readonly allowedHosts?: ReadonlyArray<string> | undefined
  /**
   * The address under which clients reach the server, such as `https://agent.example`, with the path under which a proxy
   * serves it if there is one. All links in responses start with it (default: the address that the client used).
   */
  readonly publicUrl?: string | undefined
  /**
   * The addresses and CIDR networks of the proxies in front, such as `["10.0.0.5", "10.1.0.0/16"]`. `X-Forwarded-*` and
   * `Forwarded` are used only in requests from them (default: none).
   */
  readonly trustProxy?: ReadonlyArray<string> | undefined
  /** A header that may carry the API key in place of `X-Service-API-Key` (default: none). */
  readonly apiKeyHeader?: string | undefined
}

const listenError =
  ({ host, port }: ListenerOptions) =>
  ({ cause }: HttpServerError.ServeError): PortInUseError | ListenError =>
    Predicate.hasProperty(cause, "code") && cause.code === "EADDRINUSE"
      ? new PortInUseError({ host, port })
      : new ListenError({ host, port, cause })

/** The last two responses of a connection, newest first: invalid bytes may arrive while one is still being sent. */
type Answers = WeakMap<Duplex, Array<ServerResponse>>

/** The code of Node's error for a request that did not arrive in time. */
const timedOut = "ERR_HTTP_REQUEST_TIMEOUT"

/** Time for the client of a refused request to close its connection. */
const lingering_ms = 1000

/** Sends the last bytes of a connection and closes it, even if the client keeps its end open. */
const close = (socket: Socket, isTimeout: boolean, text = ""): void => {
  // the rest of a request that timed out must not be carried out
  socket.end(text, () => (isTimeout ? socket.destroy() : undefined))
  socket.setTimeout(lingering_ms, () => socket.destroy())
}

/**
 * Lets Node write the head and a text in one piece. It would write two while it counts the bytes, as Effect has it do for
 * every body; the length of a text has been taken from this text.
 */
class OneWriteResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  override end(chunk?: unknown, ...more: ReadonlyArray<unknown>): this {
    if (typeof chunk === "string") this.strictContentLength = false
    return super.end(chunk, ...(more as [BufferEncoding]))
  }
}

/** Answers bytes that are not HTTP like all other errors, after the responses that are due, and closes. */
const refuse = (answers: Answers, code: string | undefined, socket: Socket): void => {
  const isTimeout = code === timedOut
  if (!socket.writable || code === "ECONNRESET") return void socket.destroy()
  const responses = answers.get(socket) ?? []
  const due = responses.find((answer) => !answer.writableFinished && (answer.req.complete || answer.writableEnded))
  if (due !== undefined) return void due.once("close", () => refuse(answers, code, socket))
  // the request was answered before it broke off
  if (responses[0]?.writableFinished === true && !responses[0].req.complete) return close(socket, isTimeout)
  const status = { HPE_HEADER_OVERFLOW: 431, [timedOut]: 408 }[code ?? ""] ?? 400
  const body = JSON.stringify({
    detail: isTimeout ? "The request did not arrive in time. Send it again" : STATUS_CODES[status]
  })
  close(
    socket,
    isTimeout,
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  )
}

/** Time limits for receiving a request. A slower one gets a 408, and its connection is closed. */
export interface RequestTimeouts {
  /** For head and body together, except for the bytes of a file: those may take `upload_ms`. */
  readonly whole_ms: number
  readonly upload_ms: number
  /** For the next bytes of a body. */
  readonly progress_ms: number
}

/** The time limits of a listener. */
export const RequestTimeouts: Context.Reference<RequestTimeouts> = Context.Reference(
  "@webagent/server/RequestTimeouts",
  { defaultValue: (): RequestTimeouts => ({ whole_ms: 30_000, upload_ms: 3_600_000, progress_ms: 10_000 }) }
)

/** The time between two checks of `whole_ms`. Node's default of 30 seconds would double it. */
const checkInterval_ms = 1000

const ignore = () => undefined

/** True if a request without progress waits for its client, and not for this server to read its body. */
const isStalled = ({ readableHighWaterMark, readableLength }: IncomingMessage) => readableLength < readableHighWaterMark

/**
 * Time that an idle connection stays open. Proxies and clients close theirs sooner, most often after 60 seconds: if the
 * server closed first, a request in flight at that moment would be lost.
 */
const keepAliveTimeout_ms = 65_000

/** Node would drop the body of any other request that it upgrades. */
const isWebSocket = ({ headers, method }: IncomingMessage) =>
  method === "GET" && headers.upgrade?.toLowerCase() === "websocket"

/** True for a request with the bytes of a file, which may be large and its client slow. */
const isFile = ({ method, url = "" }: IncomingMessage) => method === "PUT" && url.startsWith(uploadPath(""))

/** The largest CDP message, such as an upload. A larger one ends its connection with 1009. */
const maxPayload_bytes = 256 * 1024 * 1024

/** The listening server and its sockets, for layers that decorate it. */
export class NodeListener extends Context.Service<
  NodeListener,
  {
    readonly node: Server
    readonly host: string
    /** Every open connection. */
    readonly sockets: ReadonlySet<Socket>
  }
>()("@webagent/server/NodeListener") {}

const make = Effect.fnUntraced(function* (options: ListenerOptions) {
  const { progress_ms, upload_ms, whole_ms } = yield* RequestTimeouts
  const node = createServer({
    requestTimeout: upload_ms,
    headersTimeout: whole_ms,
    keepAliveTimeout: keepAliveTimeout_ms,
    connectionsCheckingInterval: Math.min(checkInterval_ms, whole_ms),
    shouldUpgradeCallback: isWebSocket,
    ServerResponse: OneWriteResponse
  })
  const sockets = new Set<Socket>()
  const answers: Answers = new WeakMap()
  node.on("clientError", (error: NodeJS.ErrnoException, socket) => refuse(answers, error.code, socket as Socket))
  /** Limits the time that the rest of a body may take. */
  const limit = (request: IncomingMessage, response: ServerResponse) => {
    // without a listener, Node would close the connection when a response takes longer than that
    response.on("timeout", ignore)
    request.setTimeout(progress_ms, () => {
      if (isStalled(request)) refuse(answers, timedOut, request.socket)
    })
    if (isFile(request)) return
    // the time of sockets, as in Node's own limits, and not of a clock that tests move
    // a large body that has arrived isn't complete before it is read, and a cut request may never end
    const check = () => {
      if (request.complete || request.socket.destroyed) return
      if (isStalled(request)) refuse(answers, timedOut, request.socket)
      else late = startTimer(check, whole_ms).unref()
    }
    let late = startTimer(check, whole_ms).unref()
    request.once("end", () => clearTimeout(late)).once("close", () => clearTimeout(late))
  }
  // requests that arrive before the app is ready wait for it
  const early: Array<() => void> = []
  const acceptKey = options.apiKeyHeader === undefined ? undefined : ApiKeyHeader.accept(options.apiKeyHeader)
  node.on("request", (request, response) => {
    acceptKey?.(request.headers)
    if (node.listenerCount("request") === 1) return void early.push(() => node.emit("request", request, response))
    const responses = answers.get(request.socket)
    if (responses !== undefined && responses.unshift(response) > 2) responses.pop()
    if (request.headers["content-length"] !== undefined || request.headers["transfer-encoding"] !== undefined) {
      // most bodies arrive with their headers, and need no limit
      process.nextTick(() => {
        if (!request.complete) limit(request, response)
      })
    }
    // Node drops bytes behind an upgrade that it does not carry out, so the client must open a new connection
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false
  })
  node.on("newListener", (event) => {
    if (event === "request") setImmediate(() => early.splice(0).forEach((again) => again()))
  })
  // Node would answer these without a body, or not at all
  node.on("checkExpectation", (request, response) => node.emit("request", request, response))
  node.on("connect", (request: IncomingMessage, socket: Socket) => {
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket)
    response.once("finish", () => socket.end())
    socket.on("error", () => socket.destroy())
    node.emit("request", request, response)
  })
  node.on("connection", (socket: Socket) => {
    sockets.add(socket)
    answers.set(socket, [])
    socket.once("close", () => sockets.delete(socket))
  })
  // The adapter waits for all connections when it stops, and clients keep theirs open. Responses are short, so all
  // connections are cut first.
  const adapter = yield* Scope.make()
  yield* Effect.addFinalizer((exit) =>
    Effect.suspend(() => {
      for (const socket of sockets) socket.destroy()
      return Scope.close(adapter, exit)
    })
  )
  const server = yield* Scope.provide(
    NodeHttpServer.make(() => node, {
      ...options,
      disablePreemptiveShutdown: true,
      websocket: { maxPayload: maxPayload_bytes, WebSocket: BytesWebSocket }
    }),
    adapter
  )
  return Context.make(HttpServer.HttpServer, server).pipe(
    Context.add(NodeListener, { node, host: options.host, sockets })
  )
})

const trustedProxies = (texts: ReadonlyArray<string>): TrustedProxies =>
  Result.getOrThrowWith(
    fromTexts(texts),
    (text) => new TypeError(`trustProxy: "${text}" is neither an address nor a network such as 10.1.0.0/16.`)
  )

const publicUrl = (text: string): string =>
  Option.getOrThrowWith(
    publicUrlOf(text),
    () => new TypeError(`publicUrl: "${text}" is no http or https address without user, query and hash.`)
  )

/** Logs once that links don't start with the host that clients send: the operator has to name it. */
const makeHint = (): LinkRules["onReplacedHost"] => {
  let isLogged = false
  return (host) =>
    Effect.suspend(() => {
      if (isLogged) return Effect.void
      isLogged = true
      return Effect.annotateLogs(
        Effect.logWarning(
          "A request's Host is not known to be this server, so links start with the server's own address. Set --public-url, or --trust-proxy if a proxy is in front."
        ),
        { host }
      )
    })
}

/** Attribution of requests to clients, and origin of links. */
const layerAddresses = ({ allowedHosts: hosts, host, ...options }: ListenerOptions) =>
  Layer.unwrap(
    Effect.sync(() => {
      const url = options.publicUrl === undefined ? undefined : publicUrl(options.publicUrl)
      const publicName = url === undefined ? [] : [new URL(url).hostname]
      const names = hosts?.map((name) => name.toLowerCase()) ?? []
      const allowed = allowedHosts(host, hosts)
      return Layer.mergeAll(
        Layer.succeed(AllowedHosts, allowed === null ? null : [...allowed, ...publicName]),
        Layer.succeed(TrustedProxies, trustedProxies(options.trustProxy ?? [])),
        Layer.succeed(LinkRules, {
          publicUrl: url,
          hosts: [host.toLowerCase(), ...names],
          onReplacedHost: makeHint()
        })
      )
    })
  )

/** Listens on a socket. Stopping it closes every connection. */
export const layer = (options: ListenerOptions) =>
  Layer.mergeAll(
    Layer.effectContext(Effect.mapError(make(options), listenError(options))),
    layerAddresses(options),
    NodeHttpServer.layerHttpServices
  )
