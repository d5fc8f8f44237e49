import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as NetAddress from "effect/net/NetAddress"
import { request as requestHttp } from "node:http"
import { request as requestHttps } from "node:https"
import { connect, type Socket } from "node:net"
import { portOf, type Target } from "./Address.ts"

/** Nothing answered. */
class Unreachable extends Data.TaggedError("Unreachable")<{ readonly message: string }> {}

/** The addresses of a target, each of them checked. */
export type Checked = readonly [NetAddress.IpAddress, ...ReadonlyArray<NetAddress.IpAddress>]

/** Is given each socket as it is made: whatever becomes of the dial, its owner can end it. */
type Adopt = (socket: Socket) => void

const whyOf = (error: Error) => ("code" in error ? String(error.code) : error.message)

/** Connects to these addresses and no others: nothing resolves the name again. Node tries them in turn. */
const direct = ({ name, port }: Target, addresses: Checked, adopt: Adopt) =>
  Effect.callback<Socket, Unreachable>((resume) => {
    const resolved = addresses.map((address) => ({
      address: NetAddress.formatIp(address),
      family: NetAddress.isIpv4Address(address) ? 4 : 6
    }))
    const socket = connect({
      // no literal: Node asks `lookup` for names only, and answers with what was checked
      host: "checked.invalid",
      port,
      allowHalfOpen: true,
      // a part of a request does not wait for the acknowledgement of the one before
      noDelay: true,
      autoSelectFamily: true,
      lookup: (_host, _options, callback) => callback(null, resolved)
    })
    adopt(socket)
    socket.once("connect", () => resume(Effect.succeed(socket)))
    socket.once("error", (error) =>
      resume(Effect.fail(new Unreachable({ message: `"${name}:${port}" does not respond: ${whyOf(error)}.` })))
    )
    return Effect.sync(() => socket.destroy())
  })

/** Asks a proxy to connect to a checked address. It is not told the name, which it might resolve to another. */
const through = (proxy: URL, { name, port }: Target, [address]: Checked, adopt: Adopt) =>
  Effect.callback<Socket, Unreachable>((resume) => {
    const authority = `${NetAddress.formatUrlHost(address)}:${port}`
    const credentials = [proxy.username, proxy.password].map(decodeURIComponent).join(":")
    const authorization = `Basic ${Buffer.from(credentials).toString("base64")}`
    const request = (proxy.protocol === "https:" ? requestHttps : requestHttp)({
      host: proxy.hostname.replaceAll(/^\[|\]$/gu, ""),
      port: portOf(proxy),
      method: "CONNECT",
      path: authority,
      headers: { host: authority, ...(credentials === ":" ? {} : { "proxy-authorization": authorization }) },
      agent: false
    })
    const failed = (why: string) => {
      request.destroy()
      const message = `The proxy of this browser's country does not reach "${name}:${port}": ${why}.`
      resume(Effect.fail(new Unreachable({ message })))
    }
    request.once("socket", adopt)
    request.once("connect", ({ statusCode }, socket: Socket, head) => {
      if (statusCode !== 200) return failed(`it answered ${statusCode}`)
      if (head.length > 0) socket.unshift(head)
      resume(Effect.succeed(socket))
    })
    request.once("response", ({ statusCode }) => failed(`it answered ${statusCode}`))
    request.once("error", (error) => failed(whyOf(error)))
    request.end()
    return Effect.sync(() => request.destroy())
  })

/** Connects to a target at addresses that were checked, directly or through a proxy. */
export const dial = (
  target: Target,
  addresses: Checked,
  proxy: URL | null,
  adopt: Adopt
): Effect.Effect<Socket, Unreachable> =>
  proxy === null ? direct(target, addresses, adopt) : through(proxy, target, addresses, adopt)
