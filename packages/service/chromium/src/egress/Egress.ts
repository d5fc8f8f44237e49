import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Dns from "effect/net/Dns"
import type * as NetAddress from "effect/net/NetAddress"
import type * as Scope from "effect/Scope"
import type { Server, Socket } from "node:net"
import type { Target } from "./Address.ts"
import { type Checked, dial } from "./Dial.ts"
import * as HttpProxy from "./HttpProxy.ts"
import { addressRefusal, parseException, refusal, type Rules } from "./Rules.ts"
import * as Traffic from "./Traffic.ts"

/** Network access of browsers. */
export interface EgressOptions {
  /** The ports that are open; 80 and 443 unless said otherwise. */
  readonly ports?: ReadonlyArray<number>
  /** Addresses that are reached although they are not public: `10.0.0.5`, `10.0.0.5:8080`, `[fd00::5]:8080`. */
  readonly allowPrivate?: ReadonlyArray<string>
  /** The proxy of a country, by its two letters: `http://user:password@proxy.example:8080`, or `https://`. */
  readonly countries?: Readonly<Record<string, string>>
  readonly limits?: Partial<EgressLimits>
}

export interface EgressLimits extends HttpProxy.HttpLimits {
  /** Time limit for resolving a name and connecting. */
  readonly connect: Duration.Duration
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
  /** Bytes sent and received between the proxy and the network. */
  readonly bytes: Effect.Effect<Traffic.Bytes>
  /**
   * Restricts what is reached to these domains and the current private addresses, from now on; null for all names.
   * Connections to others end.
   */
  readonly allow: (domains: ReadonlyArray<string> | null) => Effect.Effect<void>
}

const refuse = (status: HttpProxy.Refused["status"]) => (message: string) =>
  Effect.fail(new HttpProxy.Refused({ status, message }))

const exceptionsOf = ({ allowPrivate = [] }: EgressOptions) =>
  Effect.forEach(allowPrivate, (text) => {
    const exception = parseException(text)
    return exception === undefined
      ? Effect.fail(new EgressError({ message: `"${text}" is no address. Write 10.0.0.5 or 10.0.0.5:8080.` }))
      : Effect.succeed(exception)
  })

/** The proxies of countries, by their two letters. */
const proxiesOf = Effect.fnUntraced(function* ({ countries = {} }: EgressOptions) {
  const proxies = new Map<string, URL>()
  for (const [country, text] of Object.entries(countries)) {
    const url = URL.parse(text)
    // the address has a password: it is not repeated
    if (url === null || !["http:", "https:"].includes(url.protocol)) {
      const message = `The proxy of country "${country}" has no URL. Write http://user:password@host:port.`
      return yield* new EgressError({ message })
    }
    proxies.set(country.toUpperCase(), url)
  }
  return proxies
})

/**
 * The addresses that DNS has. The system's resolver is not asked: it blocks one of Node's few threads, and pages that
 * ask for many slow names would keep all of them from the server.
 */
const addressesOf = (dns: typeof Dns.Dns.Service, name: string) =>
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
    (lists): ReadonlyArray<NetAddress.IpAddress> => lists.flat()
  )

/** Has a server listen, and gives its port. */
const listen = (server: Server, listener: Server | undefined) =>
  Effect.callback<number, EgressError>((resume) => {
    server.once("error", (error) =>
      resume(Effect.fail(new EgressError({ message: `The proxy of a browser cannot listen: ${error.message}` })))
    )
    server.listen(listener ?? { host: "127.0.0.1", port: 0 }, () => {
      const address = server.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

const make = Effect.fnUntraced(function* (options: EgressOptions) {
  const dns = yield* Dns.Dns
  const limits = { ...defaultLimits, ...options.limits }
  const ports = options.ports ?? [80, 443]
  yield* exceptionsOf(options)
  const proxies = yield* proxiesOf(options)

  const open = Effect.fnUntraced(function* (proxyCountryCode: string | null) {
    // read for each browser, and for each of its users, because a program may change them
    let rules: Rules = { ports, exceptions: yield* exceptionsOf(options), domains: null }
    const proxy = proxyCountryCode === null ? null : proxies.get(proxyCountryCode.toUpperCase())
    if (proxy === undefined) {
      return yield* new EgressError({ message: `No proxy is configured for country "${proxyCountryCode}".` })
    }
    const run = yield* FiberSet.makeRuntime()
    const traffic = Traffic.make(Duration.toMillis(limits.idle))
    const isRefused = (target: Target) => refusal(rules, target) !== undefined

    /** Resolves once, checks each address, and connects to what was checked. */
    const connect = Effect.fnUntraced(function* (target: Target) {
      const refused = refusal(rules, target)
      if (refused !== undefined) return yield* refuse(403)(refused)
      const { host, name } = target
      const [first, ...others] = typeof host === "string" ? yield* addressesOf(dns, host) : [host]
      if (first === undefined) return yield* refuse(502)(`"${name}" has no address.`)
      const addresses: Checked = [first, ...others]
      // the domains may be others by now
      const resolved = refusal(rules, target) ?? addressRefusal(rules, target, addresses)
      if (resolved !== undefined) return yield* refuse(403)(resolved)
      if (traffic.upstreams() >= limits.connections) {
        return yield* refuse(503)(`This browser has ${limits.connections} connections already.`)
      }
      const adopt = (socket: Socket) => {
        traffic.upstream(target, socket)
        if (isRefused(target)) socket.destroy(new Error("its domain is closed by now"))
      }
      return yield* Effect.catchTag(dial(target, addresses, proxy, adopt), "Unreachable", ({ message }) =>
        refuse(502)(message)
      )
    })

    const server = HttpProxy.make(limits, (target, onConnected, refused) => {
      const reached = Effect.timeoutOrElse(connect(target), {
        duration: limits.connect,
        orElse: () => refuse(504)(`"${target.name}" does not respond.`)
      })
      run(Effect.match(reached, { onSuccess: onConnected, onFailure: refused }))
    })
    server.on("connection", traffic.client)
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        server.close()
        traffic.end()
      })
    )

    return {
      listen: (listener) => listen(server, listener),
      bytes: Effect.sync(traffic.bytes),
      allow: (domains) =>
        Effect.map(
          Effect.orElseSucceed(exceptionsOf(options), () => rules.exceptions),
          (exceptions) => {
            rules = { ...rules, exceptions, domains }
            traffic.endWhere(isRefused)
          }
        )
    } satisfies EgressProxy
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
  /** Checks the private addresses of options, which may change while browsers run. */
  static readonly check = (options: EgressOptions): Effect.Effect<void, EgressError> =>
    Effect.asVoid(exceptionsOf(options))

  static readonly layer = (options: EgressOptions = {}): Layer.Layer<Egress, EgressError, Dns.Dns> =>
    Layer.effect(Egress, make(options))
}
