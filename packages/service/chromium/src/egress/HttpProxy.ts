import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import { identity } from "effect/Function"
import {
  createServer,
  type IncomingMessage,
  request as forward,
  type Server,
  type ServerResponse,
  STATUS_CODES
} from "node:http"
import type { Socket } from "node:net"
import { type Duplex, pipeline } from "node:stream"
import { parseAuthority, type Target, targetOf } from "./Address.ts"

/** A request that gets an answer of the proxy's own. */
export class Refused extends Data.TaggedError("Refused")<{
  readonly status: 400 | 403 | 502 | 503 | 504
  readonly message: string
}> {}

/** Limits of a proxy for its clients. */
export interface HttpLimits {
  /** Connections of a browser at once. */
  readonly connections: number
  /** Bytes of a request's head. */
  readonly head_bytes: number
  /** Time limit for receiving the head of a request. */
  readonly head: Duration.Duration
  /** Time after which a connection without traffic in either direction is closed. */
  readonly idle: Duration.Duration
}

/** Connects to a target, or says why not. */
type Reach = (target: Target, found: (upstream: Socket) => void, refuse: (refused: Refused) => void) => void

/** Headers between two neighbours, which a proxy does not pass on. `Host` is set from the URL that was checked. */
const hopByHop = new Set([
  "connection",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

/** The headers that a proxy passes on, as they were written. */
const passedOn = ({ headers, rawHeaders }: IncomingMessage): Array<[name: string, value: string]> => {
  const named = (headers.connection ?? "").toLowerCase().split(/\s*,\s*/u)
  return Array.from({ length: rawHeaders.length / 2 }, (_, index): [string, string] => [
    rawHeaders[2 * index] ?? "",
    rawHeaders[2 * index + 1] ?? ""
  ]).filter(([name]) => !hopByHop.has(name.toLowerCase()) && !named.includes(name.toLowerCase()))
}

const textType = "text/plain; charset=utf-8"

/** Answers on a connection that Node no longer reads as HTTP. */
const answer = (socket: Duplex, status: number, sentence: string): void => {
  if (!socket.writable) return void socket.destroy()
  const body = `${sentence}\n`
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: ${textType}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  )
  // what still comes is read and dropped: bytes left unread would reset the connection, and the answer be lost
  socket.resume()
}

/** Answers a request to which no site has begun to answer. */
const answerInPlace = (response: ServerResponse, status: number, sentence: string): void => {
  if (response.headersSent) return void response.destroy()
  const body = `${sentence}\n`
  const head = {
    "content-type": textType,
    "content-length": Buffer.byteLength(body),
    // no answer of the site (RFC 9209)
    "proxy-status": `webagent; error=${status === 403 ? "http_request_denied" : "destination_unavailable"}`
  }
  response.writeHead(status, head).end(body)
}

/** Carries bytes both ways, after those that came too soon; an end of one side is an end for the other. */
const join = (client: Duplex, head: Buffer, upstream: Socket): void => {
  if (head.length > 0) client.unshift(head)
  pipeline(client, upstream, client, () => upstream.destroy())
}

const urlOf = ({ url = "" }: IncomingMessage): URL | undefined => {
  const parsed = /^http:\/\//iu.test(url) ? URL.parse(url) : null
  return parsed === null || parsed.hostname === "" ? undefined : parsed
}

/** Asks for another protocol at a site. What comes then is not looked at. */
const upgrade = (request: IncomingMessage, url: URL, upstream: Socket): void => {
  const headers = [
    ["Host", url.host],
    ...passedOn(request),
    ["Connection", "Upgrade"],
    ["Upgrade", request.headers.upgrade ?? ""]
  ].map(([name, value]) => `${name}: ${value}\r\n`)
  upstream.write(`${request.method} ${url.pathname}${url.search} HTTP/1.1\r\n${headers.join("")}\r\n`, "latin1")
}

/** Passes a request on to a site, and the site's answer back. */
const exchange = (request: IncomingMessage, response: ServerResponse, url: URL, upstream: Socket): void => {
  const forwarded = forward({
    createConnection: () => upstream,
    method: request.method ?? "GET",
    path: `${url.pathname}${url.search}`,
    headers: [
      "Host",
      url.host,
      ...passedOn(request).flat(),
      // Node frames the bodies of some methods only, and one without a frame would be read as the next request
      ...(request.headers["transfer-encoding"] === undefined ? [] : ["Transfer-Encoding", "chunked"])
    ],
    setHost: false
  })
  // a client that leaves leaves nothing behind
  response.once("close", () => upstream.destroy())
  forwarded.once("error", () => answerInPlace(response, 502, `"${url.host}" broke the connection off.`))
  forwarded.once("response", (answered) => {
    response.writeHead(answered.statusCode ?? 502, answered.statusMessage, passedOn(answered).flat())
    pipeline(answered, response, () => upstream.destroy())
  })
  pipeline(request, forwarded, () => {})
}

const noTarget = new Refused({ status: 400, message: "This is a proxy: ask it for http://host/ or host:port." })

/** A server that is a proxy: of tunnels, of requests by their URL, and of WebSockets by theirs. */
export const make = (limits: HttpLimits, reach: Reach): Server => {
  const server = createServer({
    maxHeaderSize: limits.head_bytes,
    headersTimeout: Duration.toMillis(limits.head),
    connectionsCheckingInterval: Math.min(Duration.toMillis(limits.head), 5000),
    requestTimeout: 0,
    keepAliveTimeout: Duration.toMillis(limits.idle)
  })
  server.maxConnections = limits.connections
  server.on("clientError", (error: Error & { readonly code?: string }, socket) => {
    if (error.code === "HPE_HEADER_OVERFLOW") return answer(socket, 431, "The head of this request is too large.")
    if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") return answer(socket, 408, "The request did not come in time.")
    answer(socket, 400, "This is no HTTP request.")
  })
  const serve = <A>(
    to: A | undefined,
    targetOf: (to: A) => Target,
    client: Duplex,
    use: (upstream: Socket, to: A) => void,
    refuse = ({ message, status }: Refused) => answer(client, status, message)
  ) => {
    if (to === undefined) return refuse(noTarget)
    reach(targetOf(to), (upstream) => (client.destroyed ? upstream.destroy() : use(upstream, to)), refuse)
  }
  server.on("connect", (request, client: Duplex, head: Buffer) =>
    serve(parseAuthority(request.url ?? ""), identity, client, (upstream) => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n")
      join(client, head, upstream)
    })
  )
  server.on("upgrade", (request, client: Duplex, head: Buffer) =>
    serve(urlOf(request), targetOf, client, (upstream, url) => {
      upgrade(request, url, upstream)
      join(client, head, upstream)
    })
  )
  server.on("request", (request: IncomingMessage, response: ServerResponse) =>
    serve(
      urlOf(request),
      targetOf,
      request.socket,
      (upstream, url) => exchange(request, response, url, upstream),
      ({ message, status }) => answerInPlace(response, status, message)
    )
  )
  return server
}
