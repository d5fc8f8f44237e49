import * as Effect from "effect/Effect"
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** A head as it was read. */
const headOf = ({ rawHeaders, statusCode, statusMessage }: IncomingMessage) =>
  `HTTP/1.1 ${statusCode} ${statusMessage}\r\n${rawHeaders.map((part, at) => part + (at % 2 === 0 ? ": " : "\r\n")).join("")}\r\n`

/**
 * A reverse proxy that sends each request and each WebSocket to the next server, whatever came before: its address. It
 * opens a connection for each, and sends nothing twice.
 */
export const roundRobin = (servers: ReadonlyArray<string>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<{ readonly address: string; readonly close: () => void }>((resume) => {
        let turn = 0
        const next = ({ headers, method, url }: IncomingMessage, connection: string) =>
          request(`${servers[turn++ % servers.length]}${url}`, {
            agent: false,
            method,
            headers: { ...headers, connection }
          })

        const answered = (asked: IncomingMessage, answer: ServerResponse) => {
          const onward = next(asked, "close")
          onward.once("response", (response) => {
            const { connection: _, ...headers } = response.headersDistinct
            answer.writeHead(response.statusCode ?? 502, headers)
            response.pipe(answer)
          })
          onward.once("error", () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()))
          answer.once("close", () => onward.destroy())
          asked.pipe(onward)
        }

        const upgraded = (asked: IncomingMessage, here: Socket, head: Buffer) => {
          const onward = next(asked, "Upgrade")
          onward.once("upgrade", (response, there, first) => {
            here.write(headOf(response), "latin1")
            here.write(first)
            there.write(head)
            here.pipe(there).pipe(here)
            here.once("close", () => there.destroy())
            there.once("close", () => here.destroy())
            there.once("error", () => undefined)
          })
          onward.once("response", (response) => {
            here.write(headOf(response), "latin1")
            response.pipe(here)
          })
          onward.once("error", () => here.destroy())
          here.once("error", () => onward.destroy())
          onward.end()
        }

        const server = createServer(answered).on("upgrade", upgraded)
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          const port = typeof address === "object" && address !== null ? address.port : 0
          const close = () => {
            server.close()
            server.closeAllConnections()
          }
          resume(Effect.succeed({ address: `http://127.0.0.1:${port}`, close }))
        })
      }),
      ({ close }) => Effect.sync(close)
    ),
    ({ address }) => address
  )

/** A proxy that sends requests to a server, and closes each connection instead of returning the response. */
export const losing = (server: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<{ readonly port: number; readonly statuses: ReadonlyArray<number>; readonly close: () => void }>(
        (resume) => {
          const statuses: Array<number> = []
          const proxy = createServer((asked) => {
            const { headers, method, url } = asked
            const onward = request(`${server}${url}`, { agent: false, method, headers })
            onward.once("response", (answer) => {
              statuses.push(answer.statusCode ?? 0)
              answer.resume().once("end", () => asked.socket.destroy())
            })
            asked.pipe(onward)
          })
          proxy.listen(0, "127.0.0.1", () => {
            const address = proxy.address()
            const port = typeof address === "object" && address !== null ? address.port : 0
            const close = () => void proxy.close().closeAllConnections()
            resume(Effect.succeed({ port, statuses, close }))
          })
        }
      ),
      ({ close }) => Effect.sync(close)
    ),
    ({ port, statuses }) => ({ address: `http://127.0.0.1:${port}`, statuses })
  )
