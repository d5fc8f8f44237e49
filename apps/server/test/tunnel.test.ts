import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { WebSocket } from "ws"
import { folder, ready, send, start, until } from "./program.ts"

const program = fileURLToPath(new URL("./node-server.ts", import.meta.url))

/** A server in a process of its own, over a file that it shares. */
const node = Effect.fnUntraced(function* (file: string, name: string) {
  const started = yield* start([file, name], {}, program)
  const { address = "" } = yield* ready(started)
  return { address, process: started.process }
})

/** A CDP connection, and how it ends: the close code and the reason. */
const connect = (url: string) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly socket: WebSocket; readonly ended: Effect.Effect<string> }>((resume) => {
      const socket = new WebSocket(url)
      const end = new Promise<string>((ended) => socket.once("close", (code, reason) => ended(`${code} ${reason}`)))
      socket.once("open", () => resume(Effect.succeed({ socket, ended: Effect.promise(() => end) })))
      socket.once("error", (error) => resume(Effect.die(error)))
    }),
    ({ socket }) => Effect.sync(() => socket.terminate())
  )

const asked = (socket: WebSocket) =>
  Effect.callback<string>((resume) => {
    socket.once("message", (data) => resume(Effect.succeed(String(data))))
    socket.send('{"id":1,"method":"Browser.getVersion"}')
  })

type Owner = Effect.Success<ReturnType<typeof node>>

const kill = (owner: Owner) => Effect.sync(() => void owner.process.kill("SIGKILL"))

/** Freezes a node while another process writes to the file: frozen in a write of its own, it would lock out the others. */
const freeze = (file: string) => (owner: Owner) =>
  Effect.sync(() => {
    const writer = new DatabaseSync(file, { timeout: 60_000 })
    writer.exec("BEGIN IMMEDIATE")
    owner.process.kill("SIGSTOP")
    const state = () => execFileSync("ps", ["-o", "stat=", "-p", String(owner.process.pid)], { encoding: "utf8" })
    while (!state().startsWith("T")) continue
    writer.exec("ROLLBACK")
    writer.close()
  })

/** Drives a browser of one node through another one, and loses the first. */
const lose = Effect.fnUntraced(function* (owner: Owner, other: string, end: (owner: Owner) => Effect.Effect<void>) {
  const { body } = yield* send(owner.address, "K", "POST", "/api/v4/browsers", {})
  const { pathname, search } = new URL(String(body["cdpUrl"]))
  const through = `${other}${pathname}${search}`
  const { ended, socket } = yield* connect(through.replace(/^http/u, "ws"))
  assert.include(yield* asked(socket), "product")
  yield* end(owner)
  assert.strictEqual(yield* ended, "4001 The browser is gone: its server was lost")
  const gone = yield* until(send(through, "K", "GET", ""), ({ status }) => status === 410)
  assert.deepStrictEqual(gone.body, { detail: "The browser is gone: its server was lost" })
  const stop = { action: "stop" }
  const stopped = yield* send(other, "K", "PATCH", `/api/v4/browsers/${String(body["id"])}`, stop)
  assert.deepInclude(stopped.body, { id: body["id"], status: "stopped" })
})

it.live(
  "a browser's client learns that its server was killed or frozen for longer than its lease",
  Effect.fnUntraced(function* () {
    const file = join(yield* folder, "server.db")
    // the first one makes the file
    const { address } = yield* node(file, "other")
    const [killed, frozen] = yield* Effect.all([node(file, "killed"), node(file, "frozen")], { concurrency: 2 })
    yield* Effect.all([lose(killed, address, kill), lose(frozen, address, freeze(file))], { concurrency: 2 })
  })
)
