import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { memoize } from "effect/Function"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as IpNetwork from "effect/net/IpNetwork"
import * as NetAddress from "effect/net/NetAddress"
import * as Option from "effect/Option"
import type * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"

/** Decides whether the address of a connection belongs to a proxy whose forwarded headers are used. */
export type TrustedProxies = Predicate.Predicate<NetAddress.IpAddress>

/** The trusted proxies of a server. By default no address is trusted, so forwarded headers are ignored. */
export const TrustedProxies: Context.Reference<TrustedProxies> = Context.Reference("@webagent/server/TrustedProxies", {
  defaultValue: (): TrustedProxies => () => false
})

/** True if another node sent the request and wrote its forwarded headers. */
export const IsFromNode: Context.Reference<boolean> = Context.Reference("@webagent/server/IsFromNode", {
  defaultValue: () => false
})

const parse = (text: string): NetAddress.IpAddress | undefined => {
  const address = NetAddress.ipFromString(text.replace(/^\[(.*)\]$/u, "$1"))
  if (Result.isSuccess(address)) return NetAddress.toCanonical(address.success)
  const withPort = NetAddress.inetAddressFromString(text)
  return Result.isSuccess(withPort) ? NetAddress.toCanonical(withPort.success.address) : undefined
}

/** The latest addresses: most requests come from few of them. */
const parsed = new Map<string, NetAddress.IpAddress | undefined>()
const mostParsed = 1000
const longestAddress = 64

/** Parses an address, an address with a port, or an IPv6 address in brackets. An IPv4-mapped address becomes IPv4. */
export const addressOf = (text: string | undefined): NetAddress.IpAddress | undefined => {
  if (text === undefined) return undefined
  // clients can send long texts
  if (text.length > longestAddress) return parse(text)
  if (!parsed.has(text)) {
    if (parsed.size >= mostParsed) parsed.clear()
    parsed.set(text, parse(text))
  }
  return parsed.get(text)
}

/** Formats an address, which is mostly one of the latest. */
export const formatIp = memoize(NetAddress.formatIp)

const networkOf = (text: string): Result.Result<IpNetwork.IpNetwork, unknown> =>
  text.includes("/")
    ? IpNetwork.fromString(text)
    : Result.flatMap(NetAddress.ipFromString(text), (address) => {
        const canonical = NetAddress.toCanonical(address)
        return IpNetwork.fromAddress(canonical, NetAddress.width(canonical))
      })

/** Trusts these addresses and CIDR networks; the text that is neither if there is one. */
export const fromTexts = (texts: ReadonlyArray<string>): Result.Result<TrustedProxies, string> => {
  const networks: Array<IpNetwork.IpNetwork> = []
  for (const text of texts) {
    const network = networkOf(text)
    if (Result.isFailure(network)) return Result.fail(text)
    networks.push(network.success)
  }
  return Result.succeed((address) => networks.some((network) => IpNetwork.contains(network, address)))
}

/** The headers in which proxies name the client of a request. */
export const forwardedHeaders = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"] as const

/** The sender of a request, as far as its connection and the trusted proxies in front of it show. */
export interface Sender {
  /** The address of the client. Undefined for a request without a connection. */
  readonly address: string | undefined
  /** The scheme that the client used, if a trusted proxy reports it. */
  readonly protocol: "http" | "https" | undefined
  /** The host, with its port, that the client used, if a trusted proxy reports it. */
  readonly host: string | undefined
  /** True if a trusted proxy sent the request. */
  readonly isProxied: boolean
}

/** One entry of the forwarded headers: what a proxy knew about the connection that it accepted. */
interface Hop {
  readonly address: string | undefined
  readonly protocol: string | undefined
  readonly host: string | undefined
}

const valuesOf = (header: string | undefined): ReadonlyArray<string> =>
  header?.split(",").map((value) => value.trim()) ?? []

/** The hops in `X-Forwarded-*`, oldest first. Proxies that don't append to a list replace its only value. */
const extendedHops = (headers: HttpServerRequest.HttpServerRequest["headers"]): ReadonlyArray<Hop> => {
  const [addresses, protocols, hosts] = ["for", "proto", "host"].map((name) => valuesOf(headers[`x-forwarded-${name}`]))
  const count = Math.max(addresses?.length ?? 0, protocols?.length || hosts?.length ? 1 : 0)
  const at = (values: ReadonlyArray<string> = [], fromRight: number) => values[Math.max(0, values.length - fromRight)]
  return Array.from({ length: count }, (_, index) => ({
    address: addresses?.[index],
    protocol: at(protocols, count - index),
    host: at(hosts, count - index)
  }))
}

/** A parameter of the header `Forwarded`, such as `for="[2001:db8::1]:4711"`. */
const parameter = /^\s*([\w-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s"]*))\s*$/u

const hopOf = (element: string): Hop => {
  const parameters = new Map<string, string>()
  for (const pair of element.match(/(?:"(?:[^"\\]|\\.)*"|[^;"])+/gu) ?? []) {
    const [, name = "", quoted, token = ""] = parameter.exec(pair) ?? []
    parameters.set(name.toLowerCase(), quoted?.replaceAll(/\\(.)/gu, "$1") ?? token)
  }
  return { address: parameters.get("for"), protocol: parameters.get("proto"), host: parameters.get("host") }
}

/** The hops in `Forwarded` (RFC 7239), oldest first. */
const standardHops = (header: string | undefined): ReadonlyArray<Hop> =>
  (header?.match(/(?:"(?:[^"\\]|\\.)*"|[^,"])+/gu) ?? []).map(hopOf)

const hostShape = /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/iu

const validHost = (host: string | undefined): string | undefined =>
  host !== undefined && hostShape.test(host) && URL.canParse(`http://${host}`) ? host.toLowerCase() : undefined

const validProtocol = (protocol: string | undefined): "http" | "https" | undefined => {
  const name = protocol?.toLowerCase()
  return name === "http" || name === "https" ? name : undefined
}

/**
 * The sender of a request. The forwarded headers are read from right to left, because each proxy appends to them: an
 * entry counts only if a trusted proxy wrote it. `Forwarded` is read only without any `X-Forwarded-*`, because a proxy
 * that sets one family usually passes on the other one as the client sent it.
 */
export const senderOf = (
  { headers, remoteAddress }: HttpServerRequest.HttpServerRequest,
  isTrusted: TrustedProxies
): Sender => {
  let address = addressOf(Option.getOrUndefined(remoteAddress))
  const isProxied = address !== undefined && isTrusted(address)
  let protocol: Sender["protocol"]
  let host: string | undefined
  if (isProxied) {
    const extended = extendedHops(headers)
    for (const hop of (extended.length > 0 ? extended : standardHops(headers["forwarded"])).toReversed()) {
      protocol = validProtocol(hop.protocol) ?? protocol
      host = validHost(hop.host) ?? host
      const next = addressOf(hop.address)
      if (next === undefined) break
      address = next
      if (!isTrusted(address)) break
    }
  }
  return { address: address && formatIp(address), protocol, host, isProxied }
}

/** The sender of a request to this server. */
export const requestSender = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<Sender> =>
  Effect.withFiber((fiber) =>
    Effect.succeed(senderOf(request, fiber.getRef(IsFromNode) ? () => true : fiber.getRef(TrustedProxies)))
  )
