import * as Effect from "effect/Effect"
import { Socket } from "node:net"
import { type ClientOptions, WebSocket } from "ws"
import { send } from "../send.ts"

/** A command that every browser answers. */
export const version = '{"id":1,"method":"Browser.getVersion"}'

export const create = Effect.map(send("POST", "/api/v4/browsers"), ({ body }) => ({
  id: String(body["id"]),
  cdpUrl: String(body["cdpUrl"])
}))

export const stop = (id: string) => send("PATCH", `/api/v4/browsers/${id}`, { body: { action: "stop" } })

/** An open connection, or the HTTP answer that came instead. */
export const open = (url: string, options: ClientOptions = {}) =>
  Effect.acquireRelease(
    Effect.callback<{
      readonly socket: WebSocket
      readonly wire: Socket
      readonly refusal: { readonly status: number; readonly body: string } | null
    }>((resume) => {
      const socket = new WebSocket(url, options)
      let wire = new Socket()
      socket.once("upgrade", (response) => (wire = response.socket))
      socket.once("open", () => resume(Effect.succeed({ socket, wire, refusal: null })))
      socket.once("unexpected-response", (_request, response) => {
        let body = ""
        response.on("data", (chunk) => (body += String(chunk)))
        response.on("end", () =>
          resume(Effect.succeed({ socket, wire, refusal: { status: response.statusCode ?? 0, body } }))
        )
      })
      socket.on("error", () => undefined)
    }),
    ({ socket }) => Effect.sync(() => socket.terminate())
  )

export const ask = (socket: WebSocket, message: string) =>
  Effect.callback<unknown>((resume) => {
    socket.once("message", (data) => resume(Effect.sync(() => JSON.parse(String(data)))))
    socket.send(message)
  })

export const closed = (socket: WebSocket) =>
  Effect.callback<number>((resume) => {
    socket.once("close", (code) => resume(Effect.succeed(code)))
  })

/** The path of a link, with its token. */
export const pathOf = (link: string) => new URL(link).pathname + new URL(link).search

/** How a client leaves. */
export const hangUps = [
  ["closed", (socket: WebSocket) => socket.close()],
  ["cut", (socket: WebSocket) => socket.terminate()]
] as const
