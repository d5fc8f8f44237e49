import * as NetAddress from "effect/net/NetAddress"
import * as Result from "effect/Result"

/** A host as it is connected to: a name, or an address. */
export type Host = NetAddress.IpAddress | string

/** A host and a port to connect to. */
export interface Target {
  readonly host: Host
  /** The host in one spelling. */
  readonly name: string
  readonly port: number
}

export const portOf = ({ port, protocol }: URL): number =>
  port === "" ? (protocol === "https:" ? 443 : 80) : Number(port)

/**
 * Reads the host and the port of a URL. The URL parser knows every spelling that browsers know (decimal, octal, hex and
 * short forms of IPv4, mixed forms of IPv6, names with other scripts) and gives one for all; what it refuses, such as a
 * zone, is refused.
 */
export const targetOf = (url: URL): Target => {
  const { hostname } = url
  const address = NetAddress.ipFromString(hostname.replaceAll(/^\[|\]$/gu, ""))
  const name = hostname.replace(/\.$/u, "")
  return { host: Result.getOrElse(address, () => name), name, port: portOf(url) }
}

/** Reads `host:port`; undefined where it is none. */
export const parseAuthority = (text: string): Target | undefined => {
  const url = /^[^\s/@?#\\]+:\d{1,5}$/u.test(text) ? URL.parse(`http://${text}`) : null
  return url === null || url.hostname === "" ? undefined : targetOf(url)
}
