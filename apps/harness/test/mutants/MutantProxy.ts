import { createServer, type IncomingHttpHeaders, request as forward } from "node:http"
import { type AddressInfo, connect } from "node:net"

/** A request on its way to the server. */
export interface Sent {
  readonly method: string
  /** With the query, from the first slash. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** An answer on its way back. */
export interface Answered {
  readonly status: number
  readonly body: string
}

/** What a mutant does differently; everything that it does not name passes unchanged. */
export interface Mutation {
  /** What reaches the server instead, or what is answered without asking it. */
  readonly onRequest?: (sent: Sent) => Sent | Answered
  readonly onAnswer?: (answered: Answered, sent: Sent) => Answered
  /** After a client's CDP connection closed. `send` asks the server, with a valid key. */
  readonly onDisconnect?: (path: string, send: (sent: Omit<Sent, "headers">) => void) => void
}

/** A server with a mutation, seen from outside. */
export interface MutantProxy {
  readonly address: string
  readonly close: () => Promise<void>
}

const isAnswer = (either: Sent | Answered): either is Answered => "status" in either

/** Puts a mutation in front of a server that runs: to a client, the two are one broken server. */
export const start = (address: string, apiKey: string, mutation: Mutation): Promise<MutantProxy> => {
  const { host, hostname, port } = new URL(address)
  let own = ""

  const ask = (sent: Sent): Promise<Answered & { readonly headers: IncomingHttpHeaders }> =>
    new Promise((resolve, reject) => {
      const { "content-length": _length, host: _host, ...headers } = sent.headers
      const length = sent.body === "" && sent.method === "GET" ? {} : { "content-length": Buffer.byteLength(sent.body) }
      const outgoing = forward(
        // a connection that was idle may end just when it is used again
        { hostname, port, method: sent.method, path: sent.path, headers: { ...headers, ...length }, agent: false },
        (response) => {
          const chunks: Array<Buffer> = []
          response.on("data", (chunk: Buffer) => chunks.push(chunk))
          response.on("end", () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: Buffer.concat(chunks).toString("utf8")
            })
          )
          response.on("error", reject)
        }
      )
      outgoing.on("error", reject)
      outgoing.end(sent.body)
    })

  const proxy = createServer({ keepAliveTimeout: 180_000 }, (incoming, outgoing) => {
    const chunks: Array<Buffer> = []
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
    incoming.on("end", () => {
      const sent: Sent = {
        method: incoming.method ?? "GET",
        path: incoming.url ?? "/",
        headers: incoming.headers,
        body: Buffer.concat(chunks).toString("utf8")
      }
      const write = ({ body, status }: Answered, headers: IncomingHttpHeaders = {}) => {
        // the server names its own address in what it hands out; a client must come back through the mutation
        const text = body.replaceAll(host, own)
        const { "content-length": _length, "transfer-encoding": _encoding, connection: _connection, ...kept } = headers
        outgoing.writeHead(status, {
          "content-type": "application/json",
          ...kept,
          "content-length": Buffer.byteLength(text)
        })
        outgoing.end(text)
      }
      const changed = mutation.onRequest?.(sent) ?? sent
      if (isAnswer(changed)) return write(changed)
      ask(changed).then(
        ({ headers, ...answered }) => write(mutation.onAnswer?.(answered, sent) ?? answered, headers),
        (error: unknown) => outgoing.destroy(error instanceof Error ? error : undefined)
      )
    })
  })

  proxy.on("upgrade", (incoming, client, head) => {
    const upstream = connect(Number(port), hostname, () => {
      const headers = Object.entries({ ...incoming.headers, host }).map(([name, value]) => `${name}: ${String(value)}`)
      upstream.write(`GET ${incoming.url ?? "/"} HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n`)
      upstream.write(head)
      upstream.pipe(client)
      client.pipe(upstream)
    })
    const end = () => {
      client.destroy()
      upstream.destroy()
    }
    client.on("error", end)
    upstream.on("error", end)
    upstream.on("close", end)
    client.on("close", () => {
      upstream.destroy()
      mutation.onDisconnect?.(incoming.url ?? "/", (sent) => {
        const headers = { "content-type": "application/json", "x-service-api-key": apiKey }
        ask({ ...sent, headers }).catch(() => undefined)
      })
    })
  })

  return new Promise((resolve) => {
    proxy.listen(0, "127.0.0.1", () => {
      own = `127.0.0.1:${(proxy.address() as AddressInfo).port}`
      resolve({
        address: `http://${own}`,
        close: () =>
          new Promise((closed) => {
            proxy.close(() => closed())
            proxy.closeAllConnections()
          })
      })
    })
  })
}
