import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Dns from "effect/net/Dns"
import type * as NetAddress from "effect/net/NetAddress"
import type * as Scope from "effect/Scope"
import { createServer, type IncomingMessage, request as forward, type ServerResponse, STATUS_CODES } from "node:http"
import type { Server, Socket } from "node:net"
import { type Duplex, pipeline } from "node:stream"
import { parseAuthority, type Target, targetOf } from "./Address.ts"
import { type Checked, dial } from "./Dial.ts"
import { addressRefusal, parseException, refusal, type Rules } from "./Rules.ts"

/** How browsers reach the network. */
export interface EgressOptions {
  /** The ports that are open; 80 and 443 unless said otherwise. */
  readonly ports?: ReadonlyArray<number>
  /** Addresses that are reached although they are not public: `10.0.0.5`, `10.0.0.5:8080`, `[fd00::5]:8080`. */
  readonly allowPrivate?: ReadonlyArray<string>
  /** The proxy of a country, by its two letters: `http://user:password@proxy.example:8080`, or `https://`. */
  readonly countries?: Readonly<Record<string, string>>
  readonly limits?: Partial<EgressLimits>
}

export interface EgressLimits {
  /** Connections of a browser at once. */
  readonly connections: number
  /** Bytes of a request's head. */
  readonly head_bytes: number
  /** How long the head of a request may take to come. */
  readonly head: Duration.Duration
  /** How long resolving a name and connecting may take. */
  readonly connect: Duration.Duration
  /** How long a connection may be silent both ways. */
  readonly idle: Duration.Duration
}

const defaultLimits: EgressLimits = {
  connections: 512,
  head_bytes: 128 * 1024,
  head: Duration.seconds(30),
  connect: Duration.seconds(20),
  idle: Duration.minutes(10)
}

/** The network cannot be opened as asked. The message says what to do. */
export class EgressError extends Data.TaggedError("EgressError")<{ readonly message: string }> {}

/** The proxy of one browser. */
export interface EgressProxy {
  /** Serves what connects to a listener, or to a free port of the loopback interface; gives the port. */
  readonly listen: (listener?: Server) => Effect.Effect<number, EgressError>
  /** What went out and what came in, between the proxy and the network. */
  readonly bytes: Effect.Effect<{ readonly sent: number; readonly received: number }>
  /** Restricts what is reached to these domains, from now on; null for all names. Connections to others end. */
  readonly allow: (domains: ReadonlyArray<string> | null) => Effect.Effect<void>
}

/** A request that gets an answer of the proxy's own. */
class Refused extends Data.TaggedError("Refused")<{
  readonly status: 400 | 403 | 502 | 503 | 504
  readonly message: string
}> {}

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

/** Carries bytes both ways; an end of one side is an end for the other. */
const join = (client: Duplex, upstream: Socket): void => {
  pipeline(client, upstream, client, () => upstream.destroy())
}

const make = Effect.fnUntraced(function* (options: EgressOptions) {
  const dns = yield* Dns.Dns
  const limits = { ...defaultLimits, ...options.limits }
  const ports = options.ports ?? [80, 443]
  const exceptions = yield* Effect.forEach(options.allowPrivate ?? [], (text) => {
    const exception = parseException(text)
    return exception === undefined
      ? Effect.fail(new EgressError({ message: `"${text}" is no address. Write 10.0.0.5 or 10.0.0.5:8080.` }))
      : Effect.succeed(exception)
  })
  const proxies = new Map<string, URL>()
  for (const [country, text] of Object.entries(options.countries ?? {})) {
    const url = URL.parse(text)
    // the address has a password: it is not repeated
    if (url === null || !["http:", "https:"].includes(url.protocol)) {
      const message = `The proxy of country "${country}" has no URL. Write http://user:password@host:port.`
      return yield* new EgressError({ message })
    }
    proxies.set(country.toUpperCase(), url)
  }

  /**
   * The addresses that DNS has. The system's resolver is not asked: it blocks one of Node's few threads, and pages that
   * ask for many slow names would keep all of them from the server.
   */
  const addressesOf = (name: string) =>
    Effect.map(
      Effect.forEach(
        ["A", "AAAA"] as const,
        (type) =>
          Effect.orElseSucceed(
            Effect.map(dns.resolve(name, type), (records) => records.map(({ address }) => address)),
            () => []
          ),
        { concurrency: "unbounded" }
      ),
      (found): ReadonlyArray<NetAddress.IpAddress> => found.flat()
    )

  const open = Effect.fnUntraced(function* (proxyCountryCode: string | null) {
    let rules: Rules = { ports, exceptions, domains: null }
    const proxy = proxyCountryCode === null ? null : proxies.get(proxyCountryCode.toUpperCase())
    if (proxy === undefined) {
      return yield* new EgressError({ message: `No proxy is configured for country "${proxyCountryCode}".` })
    }
    const run = yield* FiberSet.makeRuntime()
    const clients = new Set<Socket>()
    const upstreams = new Map<Socket, Target>()
    const past = { sent: 0, received: 0 }

    const keep = (socket: Socket) => {
      socket.on("error", () => socket.destroy())
      socket.setTimeout(Duration.toMillis(limits.idle), () => socket.destroy())
    }
    const adopt = (target: Target) => (socket: Socket) => {
      upstreams.set(socket, target)
      keep(socket)
      socket.once("close", () => {
        upstreams.delete(socket)
        past.sent += socket.bytesWritten
        past.received += socket.bytesRead
      })
      if (refusal(rules, target) !== undefined) socket.destroy(new Error("its domain is closed by now"))
    }

    /** Resolves once, checks each address, and connects to what was checked. */
    const connect = Effect.fnUntraced(function* (target: Target) {
      const refuse = (message: string) => new Refused({ status: 403, message })
      const asked = refusal(rules, target)
      if (asked !== undefined) return yield* refuse(asked)
      const { host, name } = target
      const [first, ...others] = typeof host === "string" ? yield* addressesOf(host) : [host]
      if (first === undefined) return yield* new Refused({ status: 502, message: `"${name}" has no address.` })
      const addresses: Checked = [first, ...others]
      // the domains may be others by now
      const resolved = refusal(rules, target) ?? addressRefusal(rules, target, addresses)
      if (resolved !== undefined) return yield* refuse(resolved)
      if (upstreams.size >= limits.connections) {
        const message = `This browser has ${limits.connections} connections already.`
        return yield* new Refused({ status: 503, message })
      }
      return yield* Effect.mapError(
        dial(target, addresses, proxy, adopt(target)),
        ({ message }) => new Refused({ status: 502, message })
      )
    })

    /** Connects for a client, or says why not. */
    const serve = (
      target: Target | undefined,
      client: Duplex,
      use: (upstream: Socket) => void,
      refuse = (status: number, message: string) => answer(client, status, message)
    ) => {
      const reached =
        target === undefined
          ? Effect.fail(new Refused({ status: 400, message: "This is a proxy: ask it for http://host/ or host:port." }))
          : Effect.timeoutOrElse(connect(target), {
              duration: limits.connect,
              orElse: () => Effect.fail(new Refused({ status: 504, message: `"${target.name}" does not answer.` }))
            })
      run(
        Effect.match(reached, {
          onSuccess: (upstream) => (client.destroyed ? upstream.destroy() : use(upstream)),
          onFailure: ({ message, status }) => refuse(status, message)
        })
      )
    }

    const urlOf = ({ url = "" }: IncomingMessage) => {
      const parsed = /^http:\/\//iu.test(url) ? URL.parse(url) : null
      return parsed === null || parsed.hostname === "" ? undefined : parsed
    }

    const server = createServer({
      maxHeaderSize: limits.head_bytes,
      headersTimeout: Duration.toMillis(limits.head),
      connectionsCheckingInterval: Math.min(Duration.toMillis(limits.head), 5000),
      requestTimeout: 0,
      keepAliveTimeout: Duration.toMillis(limits.idle)
    })
    server.maxConnections = limits.connections
    server.on("connection", (socket) => {
      clients.add(socket)
      keep(socket)
      socket.once("close", () => clients.delete(socket))
    })
    server.on("clientError", (error: Error & { readonly code?: string }, socket) => {
      if (error.code === "HPE_HEADER_OVERFLOW") return answer(socket, 431, "The head of this request is too large.")
      if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") return answer(socket, 408, "The request did not come in time.")
      answer(socket, 400, "This is no HTTP request.")
    })
    server.on("connect", (request, client: Duplex, head: Buffer) =>
      serve(parseAuthority(request.url ?? ""), client, (upstream) => {
        client.write("HTTP/1.1 200 Connection established\r\n\r\n")
        if (head.length > 0) client.unshift(head)
        join(client, upstream)
      })
    )
    server.on("upgrade", (request, client: Duplex, head: Buffer) => {
      const url = urlOf(request)
      serve(url && targetOf(url), client, (upstream) => {
        if (url === undefined) return
        const headers = [
          ["Host", url.host],
          ...passedOn(request),
          ["Connection", "Upgrade"],
          ["Upgrade", request.headers.upgrade ?? ""]
        ].map(([name, value]) => `${name}: ${value}\r\n`)
        upstream.write(`${request.method} ${url.pathname}${url.search} HTTP/1.1\r\n${headers.join("")}\r\n`, "latin1")
        if (head.length > 0) client.unshift(head)
        join(client, upstream)
      })
    })
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      const url = urlOf(request)
      const refuse = (status: number, message: string) => {
        if (response.headersSent) return void response.destroy()
        const body = `${message}\n`
        const head = {
          "content-type": textType,
          "content-length": Buffer.byteLength(body),
          // no answer of the site (RFC 9209)
          "proxy-status": `webagent; error=${status === 403 ? "http_request_denied" : "destination_unavailable"}`
        }
        response.writeHead(status, head).end(body)
      }
      const exchange = (upstream: Socket) => {
        if (url === undefined) return
        const asked = forward({
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
        asked.once("error", () => refuse(502, `"${url.host}" broke the connection off.`))
        asked.once("response", (answered) => {
          response.writeHead(answered.statusCode ?? 502, answered.statusMessage, passedOn(answered).flat())
          pipeline(answered, response, () => upstream.destroy())
        })
        pipeline(request, asked, () => {})
      }
      serve(url && targetOf(url), request.socket, exchange, refuse)
    })

    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        server.close()
        for (const socket of [...clients, ...upstreams.keys()]) socket.destroy()
      })
    )

    const proxyOf: EgressProxy = {
      listen: (listener) =>
        Effect.callback((resume) => {
          server.once("error", (error) =>
            resume(Effect.fail(new EgressError({ message: `The proxy of a browser cannot listen: ${error.message}` })))
          )
          server.listen(listener ?? { host: "127.0.0.1", port: 0 }, () => {
            const address = server.address()
            resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
          })
        }),
      bytes: Effect.sync(() => {
        const total = { ...past }
        for (const { bytesRead, bytesWritten } of upstreams.keys()) {
          total.sent += bytesWritten
          total.received += bytesRead
        }
        return total
      }),
      allow: (domains) =>
        Effect.sync(() => {
          rules = { ...rules, domains }
          for (const [socket, target] of upstreams) if (refusal(rules, target) !== undefined) socket.destroy()
        })
    }
    return proxyOf
  })

  return { countries: [...proxies.keys()], open }
})

/** The way from browsers to the network: a proxy for each, which checks what it connects to. */
export class Egress extends Context.Service<
  Egress,
  {
    /** The countries with a proxy. */
    readonly countries: ReadonlyArray<string>
    /** Opens the proxy of one browser, until the scope closes. */
    readonly open: (proxyCountryCode: string | null) => Effect.Effect<EgressProxy, EgressError, Scope.Scope>
  }
>()("@webagent/chromium/Egress") {
  static readonly layer = (options: EgressOptions = {}): Layer.Layer<Egress, EgressError, Dns.Dns> =>
    Layer.effect(Egress, make(options))
}
