import { isLoopback } from "@webagent/contract/Loopback"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as NetAddress from "effect/net/NetAddress"
import * as Option from "effect/Option"
import { IncomingMessage } from "node:http"
import { addressOf, formatIp, requestSender } from "./TrustedProxies.ts"

/** The rules for the start of the links in responses. */
export interface LinkRules {
  /** The address under which clients reach the server, without a slash at the end. All links start with it. */
  readonly publicUrl: string | undefined
  /** The host names, besides those of this machine, that a link may take from the header `Host`. */
  readonly hosts: ReadonlyArray<string>
  /** Runs when a link doesn't start with the request's `Host`. */
  readonly onReplacedHost: (host: string) => Effect.Effect<void>
}

/** The rules of a server. By default only the names and addresses of this machine are taken from `Host`. */
export const LinkRules: Context.Reference<LinkRules> = Context.Reference("@webagent/server/LinkRules", {
  defaultValue: (): LinkRules => ({ publicUrl: undefined, hosts: [], onReplacedHost: () => Effect.void })
})

/** True if a host name always means the machine that resolves it. */
export const isLocalName = (name: string): boolean => isLoopback(name) || name.endsWith(".localhost")

/** The host name in a `Host` header, in lower case. */
export const nameOf = (host: string): string => URL.parse(`http://${host}`)?.hostname ?? host

/** The address of this machine that the client connected to. */
const localOrigin = ({ localAddress, localPort }: IncomingMessage["socket"]): string => {
  const address = addressOf(localAddress)
  return address === undefined ? "http://localhost" : `http://${NetAddress.formatUrlHost(address)}:${localPort}`
}

/** True if the client used the host with this name: the name is local or allowed, or the address is that of its connection. */
const isOwnHost = (name: string, { hosts }: LinkRules, { localAddress }: IncomingMessage["socket"]): boolean => {
  if (isLocalName(name) || hosts.includes(name)) return true
  const address = addressOf(name)
  const local = addressOf(localAddress)
  return address !== undefined && local !== undefined && formatIp(address) === formatIp(local)
}

/** The latest address that a request named, because most name the same one. */
let latest = { text: "", url: URL.parse("") }

const urlOf = (text: string) => (text === latest.text ? latest : (latest = { text, url: URL.parse(text) })).url

/**
 * The start of the links in the response to a request: scheme, host, port, and the path of a public URL if it has one.
 * Without a public URL it is the address that the client used. A `Host` that the client could have made up is replaced
 * by the address of its connection, so that no link leads to a foreign server.
 */
export const originOf = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<string> =>
  Effect.withFiber((fiber) => {
    const rules = fiber.getRef(LinkRules)
    if (rules.publicUrl !== undefined) return Effect.succeed(rules.publicUrl)
    const { headers, source } = request
    // a request of this process, for example of an MCP tool, has the host of its caller
    if (!(source instanceof IncomingMessage)) {
      const url = HttpServerRequest.toURL(request)
      return Effect.succeed(Option.match(url, { onNone: () => "http://localhost", onSome: ({ origin }) => origin }))
    }
    return Effect.flatMap(requestSender(request), ({ host: forwardedHost, isProxied, protocol = "http" }) => {
      const host = forwardedHost ?? headers["host"]
      const url = host === undefined ? null : urlOf(`${protocol}://${host}`)
      if (host === undefined || url === null) return Effect.succeed(localOrigin(source.socket))
      if (isProxied || isOwnHost(url.hostname, rules, source.socket)) return Effect.succeed(url.origin)
      return Effect.as(rules.onReplacedHost(host), localOrigin(source.socket))
    })
  })
