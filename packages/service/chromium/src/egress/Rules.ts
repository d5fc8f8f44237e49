import { notPublic } from "@webagent/engine"
import * as Equal from "effect/Equal"
import * as NetAddress from "effect/net/NetAddress"
import * as Result from "effect/Result"
import { parseAuthority, type Target } from "./Address.ts"

/** An address that is reached although it is not public; null for the ports that are open anyway. */
interface Exception {
  readonly address: NetAddress.IpAddress
  readonly port: number | null
}

/** Hosts that a browser may reach. */
export interface Rules {
  readonly ports: ReadonlyArray<number>
  /** Such as `example.com` and `*.example.com`, which is every name below it; null for all names. */
  readonly domains: ReadonlyArray<string> | null
  readonly exceptions: ReadonlyArray<Exception>
}

/** Reads `10.0.0.5`, `10.0.0.5:8080` or `[fd00::5]:8080`; undefined where it is no address. */
export const parseException = (text: string): Exception | undefined => {
  const address = Result.getOrUndefined(NetAddress.ipFromString(text))
  if (address !== undefined) return { address, port: null }
  const target = parseAuthority(text)
  return target === undefined || typeof target.host === "string"
    ? undefined
    : { address: target.host, port: target.port }
}

const isIn = (domains: ReadonlyArray<string>, name: string) =>
  domains.some((domain) => {
    const pattern = domain.toLowerCase()
    return pattern.startsWith("*.") ? name.endsWith(pattern.slice(1)) : name === pattern
  })

const isExcepted = ({ exceptions, ports }: Rules, address: NetAddress.IpAddress, port: number) =>
  exceptions.some(
    (exception) =>
      Equal.equals(exception.address, address) &&
      (exception.port === null ? ports.includes(port) : exception.port === port)
  )

/**
 * The reason why a browser may not request a host and a port, regardless of the host's addresses; undefined if it may.
 */
export const refusal = (rules: Rules, { host, name, port }: Target): string | undefined => {
  if (rules.domains !== null && !isIn(rules.domains, name)) {
    return `"${name}" is not one of the domains that this browser may reach.`
  }
  // the port of an exception is only known together with its address
  const mayBeOpen =
    rules.ports.includes(port) ||
    rules.exceptions.some(
      (exception) => exception.port === port && (typeof host === "string" || Equal.equals(exception.address, host))
    )
  return mayBeOpen ? undefined : `Port ${port} is closed to browsers. Open are ${rules.ports.join(" and ")}.`
}

/**
 * The reason why a browser may not connect to a host with these addresses; undefined if it may. One address that is not
 * public is enough to refuse: a name with a public and a private address is an attack, or a mistake. The reason does
 * not contain an address that its reader did not write, because a client could otherwise read the names of an intranet
 * from it.
 */
export const addressRefusal = (
  rules: Rules,
  { host, name, port }: Target,
  addresses: ReadonlyArray<NetAddress.IpAddress>
): string | undefined => {
  for (const address of addresses) {
    if (isExcepted(rules, address, port)) continue
    const why = notPublic(address)
    if (why !== undefined) {
      const what = typeof host === "string" ? "does not only have public addresses" : `is not public: ${why}`
      return `"${name}" ${what}. Browsers reach public addresses only.`
    }
    if (!rules.ports.includes(port)) return `Port ${port} is closed to browsers. Open are ${rules.ports.join(" and ")}.`
  }
  return undefined
}
