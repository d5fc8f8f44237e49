import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { connect, createServer, type Server, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { createServer as createHttpServer, type RequestListener, type Server as HttpServer } from "node:http"

/** Listens until the scope closes, on a free port of a loopback address. */
export const listening = <S extends Server>(server: S, host = "127.0.0.1", port = 0) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => new Promise<S>((resolve) => server.listen(port, host, () => resolve(server)))),
      (server) => Effect.sync(() => server.close())
    ),
    (server) => {
      const address = server.address()
      if (typeof address !== "object" || address === null) throw new Error("The server has no port.")
      return address.port
    }
  )

/** A web server that counts what reaches it. */
export interface Site {
  readonly port: number
  readonly hits: Array<string>
  readonly server: HttpServer
}

export const site = (answer: RequestListener, host?: string, port?: number): Effect.Effect<Site, never, Scope.Scope> =>
  Effect.suspend(() => {
    const hits: Array<string> = []
    const server = createHttpServer((request, response) => {
      hits.push(`${request.method} ${request.url} ${request.headers.host}`)
      answer(request, response)
    })
    server.on("connection", (socket) => socket.on("error", () => socket.destroy()))
    return Effect.map(listening(server, host, port), (port) => ({ port, hits, server }))
  })

/** A server of bare sockets. */
export const sockets = (serve: (socket: Socket) => void) =>
  Effect.suspend(() =>
    listening(
      createServer({ allowHalfOpen: true }, (socket) => {
        socket.on("error", () => socket.destroy())
        serve(socket)
      })
    )
  )

/** A connection that keeps what it was told. */
export interface Talk {
  readonly socket: Socket
  readonly said: () => string
  /** Waits until the other side has said something like this. */
  readonly until: (what: string | RegExp) => Promise<string>
  /** Waits for the end of the connection, and gives all that was said. */
  readonly ended: Promise<string>
}

export const talk = (at: number): Effect.Effect<Talk, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => connect(at, "127.0.0.1")),
      (socket) => Effect.sync(() => socket.destroy())
    ),
    (socket) => {
      let said = ""
      let heard = () => {}
      const ended = new Promise<string>((resolve) => socket.once("close", () => resolve(said)))
      socket.setEncoding("latin1")
      socket.on("error", () => socket.destroy())
      socket.on("data", (text: string) => {
        said += text
        heard()
      })
      const is = (what: string | RegExp) => (typeof what === "string" ? said.includes(what) : what.test(said))
      const until = (what: string | RegExp) =>
        new Promise<string>((resolve, reject) => {
          heard = () => (is(what) ? resolve(said) : undefined)
          heard()
          void ended.then(() => reject(new Error(`The connection ended. It said: ${said}`)))
        })
      return { socket, said: () => said, until, ended }
    }
  )

/**
 * Whether a message that is written in two parts is ever answered in less than 35 ms. Where a part waits for the
 * acknowledgement of the one before, it takes 40. The first ones are acknowledged at once, and are not counted. A machine
 * that is busy needs more rounds.
 */
export const isPromptInParts = async (
  write: (part: 0 | 1) => void,
  answered: () => Promise<unknown>
): Promise<boolean> => {
  for (let round = 0; round < 300; round++) {
    const answer = answered()
    const start = performance.now()
    write(0)
    await sleep(2)
    write(1)
    await answer
    if (round >= 30 && performance.now() - start < 35) return true
  }
  return false
}

/** What is answered to a request that ends its connection. */
export const ask = (at: number, text: string) =>
  Effect.scoped(
    Effect.flatMap(talk(at), ({ ended, socket }) => {
      socket.write(text)
      return Effect.promise(() => ended)
    })
  )
