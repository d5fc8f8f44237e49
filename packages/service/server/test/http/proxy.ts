import * as Effect from "effect/Effect"
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import { connect, type Socket } from "node:net"

/** Changes the headers of each request, and removes a path before it sends the request on. */
interface ProxyOptions {
  /** The headers to set; undefined removes one. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** The path under which the proxy serves the server. */
  readonly prefix?: string
}

/** A reverse proxy in front of a server that starts later. Returns its address and the function that names the server. */
export const makeProxy = ({ headers = {}, prefix = "" }: ProxyOptions = {}) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly address: string; readonly host: string; target: URL; readonly close: () => void }>(
      (resume) => {
        const headersOf = (incoming: IncomingMessage): Record<string, string> =>
          Object.fromEntries(
            Object.entries({ ...incoming.headers, ...headers }).flatMap(([name, value]) =>
              value === undefined ? [] : [[name, String(value)]]
            )
          )
        const pathOf = ({ url = "" }: IncomingMessage) => (url.startsWith(prefix) ? url.slice(prefix.length) : url)

        const forward = (incoming: IncomingMessage, response: ServerResponse) => {
          const { hostname, port } = proxy.target
          const outgoing = request({
            hostname,
            port,
            method: incoming.method,
            path: pathOf(incoming),
            headers: headersOf(incoming),
            setHost: false
          })
          outgoing.once("response", (received) => {
            response.writeHead(received.statusCode ?? 502, received.headers)
            received.pipe(response)
          })
          outgoing.once("error", () => response.destroy())
          incoming.pipe(outgoing)
        }

        const upgrade = (incoming: IncomingMessage, client: Socket, head: Buffer) => {
          const upstream = connect(Number(proxy.target.port), proxy.target.hostname)
          const lines = Object.entries(headersOf(incoming)).map(([name, value]) => `${name}: ${value}\r\n`)
          upstream.write(`GET ${pathOf(incoming)} HTTP/1.1\r\n${lines.join("")}\r\n`)
          upstream.write(head)
          client.pipe(upstream).pipe(client)
          client.once("close", () => upstream.destroy()).once("error", () => upstream.destroy())
          upstream.once("close", () => client.destroy()).once("error", () => client.destroy())
        }

        const server = createServer(forward).on("upgrade", upgrade)
        const proxy = {
          address: "",
          host: "",
          target: new URL("http://127.0.0.1"),
          close: () => void server.close().closeAllConnections()
        }
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          proxy.host = `127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
          proxy.address = `http://${proxy.host}${prefix}`
          resume(Effect.succeed(proxy))
        })
      }
    ),
    ({ close }) => Effect.sync(close)
  )
