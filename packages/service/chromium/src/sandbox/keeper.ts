import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { ChildProcess } from "node:child_process"
import { Server, Socket } from "node:net"
import { niceness } from "./Priority.ts"

/** Loopback ports of the proxy and of DevTools in a namespace, which has no other port open. */
export const proxyPort = 3128
export const devToolsPort = 9222

/**
 * Program that runs in a network namespace, next to the browser and out of its reach. It passes sockets of that network
 * to the server, over the channel that Node has between processes. No byte of a connection passes through it. First, it
 * sends the listener of the proxy; then the browser starts, and for each message of the server it returns a connection
 * to DevTools.
 */
export const keeper = `
const { connect, createServer } = require("node:net")
const { spawn } = require("node:child_process")
const { constants: { signals }, setPriority } = require("node:os")
const [executable, ...args] = process.argv.slice(1)
const local = (port) => ({ host: "127.0.0.1", port })

// whatever it starts is as nice
try {
  setPriority(${niceness})
} catch {}

const start = () => {
  // Chromium ends with the pipes 3 and 4, which are the server's
  const browser = spawn(executable, args, { stdio: ["ignore", "ignore", "inherit", 3, 4] })
  browser.once("error", (error) => {
    console.error(error.message)
    process.exit(127)
  })
  browser.once("exit", (code, signal) => process.exit(code ?? 128 + signals[signal]))
}

process.once("disconnect", () => process.exit())
process.on("message", () => {
  const socket = connect(local(${devToolsPort}))
  const failed = ({ message }) => process.send({ message })
  socket.once("error", failed)
  socket.once("connect", () => {
    socket.off("error", failed).on("error", () => {})
    process.send({}, socket)
  })
})
const listener = createServer().listen(local(${proxyPort}), () =>
  process.send({}, listener, () => {
    listener.close()
    start()
  })
)
`

type Done = (error: Error | null, socket: Socket) => void

/** Sockets that a browser's keeper passes to the server. */
export interface Network {
  /** The listener of the proxy: what connects to it is the browser. */
  readonly listener: Effect.Effect<Server>
  /** Opens a connection to DevTools. */
  readonly connect: (done: Done) => void
}

/** Listens to a keeper that was just started. Nothing that a page can reach writes to this channel. */
export const networkOf = (child: ChildProcess): Network => {
  const listener = Deferred.makeUnsafe<Server>()
  // one connection is as good as another
  const waiting: Array<Done> = []
  const refuse = (done: Done | undefined, message: string) => done?.(new Error(message), new Socket())
  child.on("message", (message, handle) => {
    if (handle instanceof Server) {
      // after a start that was given up, no proxy serves it
      child.once("disconnect", () => handle.close())
      return void Deferred.doneUnsafe(listener, Effect.succeed(handle))
    }
    const done = waiting.shift()
    if (!(handle instanceof Socket)) return refuse(done, `DevTools do not respond: ${JSON.stringify(message)}`)
    if (done === undefined) return void handle.destroy()
    done(null, handle)
  })
  child.once("disconnect", () => {
    for (const done of waiting.splice(0)) refuse(done, "The browser ended.")
  })
  return {
    listener: Deferred.await(listener),
    connect: (done) => {
      if (!child.connected) return refuse(done, "The browser ended.")
      waiting.push(done)
      // a channel that breaks now says so by the event
      child.send({}, () => undefined)
    }
  }
}
