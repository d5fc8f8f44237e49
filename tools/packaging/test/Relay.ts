import { once } from "node:events"
import { Agent, createServer, type IncomingHttpHeaders, request as ask, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** A request as it arrived. */
export interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** What stands between a client and the service, and does what no service should. */
export interface Relay {
  readonly address: string
  /** Where nothing answers: the same port, at another address of this machine. */
  readonly refused: string
  readonly seen: Array<Seen>
  /** What it serves by itself, by path. */
  readonly pages: Map<string, { readonly type: string; readonly text: string }>
  readonly stop: () => void
}

const misbehaviours: Readonly<Record<string, (response: ServerResponse) => void>> = {
  "/api/v4/runs/moved": (response) => response.writeHead(302, { location: "/elsewhere" }).end(),
  "/api/v4/runs/hangs": () => undefined,
  "/api/v4/runs/cut": (response) => response.destroy(),
  "/api/v4/runs/half": (response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": 100 })
    response.write('{"id":', () => response.destroy())
  }
}

/** Starts a relay to the service at `service`. */
export const startRelay = async (service: string): Promise<Relay> => {
  const seen: Relay["seen"] = []
  const pages: Relay["pages"] = new Map()
  const agent = new Agent({ keepAlive: false })
  const server = createServer(async (request, response) => {
    const chunks: Array<string> = []
    for await (const chunk of request.setEncoding("utf8")) chunks.push(String(chunk))
    const { headers, method = "", url = "" } = request
    const body = chunks.join("")
    seen.push({ method, path: url, headers, body })
    const page = pages.get(url)
    if (page !== undefined) return response.writeHead(200, { "content-type": page.type }).end(page.text)
    const misbehave = misbehaviours[url]
    if (misbehave !== undefined) return misbehave(response)
    const passed = ask(
      `${service}${url}`,
      { method, headers: { ...headers, connection: "close" }, agent },
      (answer) => {
        // the service has acted, and the client does not learn of it
        if (body.includes("lose the answer")) return response.destroy()
        // its connection ends with it, that of the client is kept
        const { connection: _, "keep-alive": __, ...kept } = answer.headers
        response.writeHead(answer.statusCode ?? 500, kept)
        answer.pipe(response)
      }
    )
    passed.on("error", () => response.destroy())
    passed.end(body)
  })
  // a connection that ends by itself would be a failure that no test asked for
  server.keepAliveTimeout = 0
  await once(server.listen(0, "127.0.0.1"), "listening")
  const { port } = server.address() as AddressInfo
  return {
    address: `http://127.0.0.1:${port}`,
    refused: `http://127.0.0.2:${port}`,
    seen,
    pages,
    stop: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}
