import * as Effect from "effect/Effect"
import { connect } from "node:net"
import { Server } from "@webagent/server"

/** How a connection ended: with a FIN, or with the code of an error such as `ECONNRESET`. */
export type Ended = "FIN" | (string & {})

/** A TCP connection as it is. */
export interface Wire {
  readonly send: (text: string) => void
  /** All that came. */
  readonly received: () => string
  /** All that came, once it is enough or the connection has ended. */
  readonly until: (enough: (received: string) => boolean) => Effect.Effect<string>
  readonly ended: Effect.Effect<Ended>
  readonly leave: () => void
}

/** Connects to the server of this test; a connection that is refused ends at once. */
export const dial = Effect.gen(function* () {
  const { address } = yield* Server
  const { hostname, port } = new URL(address)
  return yield* dialTo(hostname, Number(port))
})

/** Connects to an address. */
export const dialTo = (host: string, port: number) =>
  Effect.acquireRelease(
    Effect.sync((): Wire => {
      const socket = connect({ host, port, noDelay: true })
      const looking = new Set<() => void>()
      const look = () => {
        for (const one of looking) one()
      }
      let received = ""
      let code: string | undefined
      let ended: Ended | undefined
      socket.setEncoding("latin1")
      socket.on("data", (chunk) => {
        received += String(chunk)
        look()
      })
      socket.on("error", (error: Error & { readonly code?: string }) => (code = error.code ?? error.message))
      socket.on("close", () => {
        ended = code ?? "FIN"
        look()
      })
      const wait = <A>(find: () => A | undefined) =>
        Effect.callback<A>((resume) => {
          const one = () => {
            const found = find()
            if (found === undefined) return
            looking.delete(one)
            resume(Effect.succeed(found))
          }
          looking.add(one)
          one()
          return Effect.sync(() => looking.delete(one))
        })
      return {
        send: (text) => socket.write(text),
        received: () => received,
        until: (enough) => wait(() => (enough(received) || ended !== undefined ? received : undefined)),
        ended: wait(() => ended),
        leave: () => socket.destroy()
      }
    }),
    (wire) => Effect.sync(wire.leave)
  )

/** The text of a request. */
export const request = (method: string, path: string, body?: unknown, headers: ReadonlyArray<string> = []) => {
  const text = body === undefined ? "" : JSON.stringify(body)
  const head = [
    `${method} ${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    "X-Service-API-Key: wak_test",
    ...(body === undefined ? [] : ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(text)}`]),
    ...headers
  ]
  return `${head.join("\r\n")}\r\n\r\n${text}`
}

/** An answer, as far as it came. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly isWhole: boolean
}

/** Reads an answer; undefined before its head is there. */
export const parse = (received: string): Answer | undefined => {
  const end = received.indexOf("\r\n\r\n")
  if (end === -1) return undefined
  const [first = "", ...lines] = received.slice(0, end).split("\r\n")
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()])
  )
  const body = received.slice(end + 4)
  return {
    status: Number(first.split(" ")[1]),
    headers,
    body,
    isWhole: body.length === Number(headers["content-length"])
  }
}

/** Sends one request on a connection of its own, and reads until the answer is whole or the connection ended. */
export const ask = Effect.fnUntraced(function* (...of: Parameters<typeof request>) {
  const wire = yield* dial
  wire.send(request(...of))
  const received = yield* wire.until((text) => parse(text)?.isWhole === true)
  const answer = parse(received)
  return { wire, received, answer }
})
