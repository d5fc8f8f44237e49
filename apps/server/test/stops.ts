import { ScriptedModel } from "@webagent/scripted-model"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import type * as Scope from "effect/Scope"
import { chmodSync, readdirSync, readFileSync } from "node:fs"
import { connect as dial, type Socket } from "node:net"
import { join } from "node:path"
import { WebSocket } from "ws"
import { folder, type Program, ready, send, start } from "./program.ts"

/** The result of one stop of a server with real browsers. */
export interface Stop {
  readonly seed: number
  readonly signal: NodeJS.Signals
  /** True if a browser was frozen before the stop, so that it doesn't respond. */
  readonly isFrozen: boolean
  readonly browsers: number
  readonly took_ms: number
  /** The exit code; null after a kill, also by the test. */
  readonly code: number | null
  /** Processes that remained, by their command line. */
  readonly left: ReadonlyArray<string>
  readonly stderr: string
}

const key = "wak_stops"

// SIGHUP has a server without a terminal read its profile key again
const signals = ["SIGTERM", "SIGINT"] as const

/** The processes that were started below a folder, or that have it in their command line. */
const processesIn = (path: string): ReadonlyArray<readonly [pid: number, command: string]> =>
  readdirSync("/proc").flatMap((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ")
      return /^\d+$/u.test(pid) && command.includes(`${path}/webagent-browsers-`) ? [[Number(pid), command]] : []
    } catch {
      return []
    }
  })

/** Sends a signal to a process that may have just gone. */
const tell = (pid: number, signal: NodeJS.Signals) => {
  try {
    process.kill(pid, signal)
  } catch {
    // it has gone
  }
}

/** Opens a WebSocket that stays open and reads everything. A server that stops may refuse it. */
const webSocket = (url: string) =>
  Effect.acquireRelease(
    Effect.callback<WebSocket>((resume) => {
      const socket = new WebSocket(url)
      const done = () => resume(Effect.succeed(socket))
      socket.on("open", done).on("error", done)
    }),
    (socket) => Effect.sync(() => socket.terminate())
  )

/** Opens a connection that sends the beginning of a request, or a request whose response is a stream, and stays. */
const rawSocket = (port: number, text: string) =>
  Effect.acquireRelease(
    Effect.callback<Socket>((resume) => {
      const socket = dial(port, "127.0.0.1")
      const done = () => resume(Effect.succeed(socket))
      socket.on("connect", () => socket.write(text, done)).on("error", done)
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

const oneOf = <A>(values: readonly [A, ...ReadonlyArray<A>]) =>
  Effect.map(Random.nextIntBetween(0, values.length - 1), (at) => values[at] ?? values[0])

/** Opens whatever keeps a server busy: browsers with clients and viewers, runs, requests that never finish. */
const busy = Effect.fnUntraced(function* (v4: string, browsers: number) {
  const port = Number(new URL(v4).port)
  const json = "content-type: application/json\r\naccept: application/json, text/event-stream\r\n"
  yield* rawSocket(port, `POST /api/v4/runs HTTP/1.1\r\nhost: a\r\n${json}content-length: 100\r\n\r\n{`)
  yield* rawSocket(port, "GET /health HTTP/1.1\r\nhost: a\r\n\r\n")
  yield* Effect.forkScoped(Effect.ignoreCause(send(v4, key, "POST", "/runs", { task: "wait" })))
  const open = Effect.gen(function* () {
    const { body, status } = yield* send(v4, key, "POST", "/browsers", { enableRecording: yield* Random.nextBoolean })
    if (status !== 201) return
    const live = String(body["liveUrl"])
    yield* webSocket(String(body["cdpUrl"]))
    yield* webSocket(`${live.replace(/^http/u, "ws")}/socket`)
  })
  yield* Effect.forEach(Array.from({ length: browsers }), () => Effect.ignoreCause(open), {
    concurrency: "unbounded",
    discard: true
  })
})

/** Waits for the end of a program, at most this long: then kills it. */
const exitOf = (program: Program, within_ms: number) =>
  program.ended.pipe(
    Effect.timeoutOrElse({
      duration: within_ms,
      orElse: () => {
        program.process.kill("SIGKILL")
        return Effect.map(program.ended, (exit) => ({ ...exit, code: null }))
      }
    })
  )

/**
 * Starts a server with real browsers, opens whatever could hold it back, and stops it at a random moment. A server that
 * still runs long after its limit is killed, and its code is null.
 */
export const stopOnce = Effect.fnUntraced(
  function* (
    seed: number,
    { within_ms = 30_000, args = [] }: { readonly within_ms?: number; readonly args?: ReadonlyArray<string> } = {}
  ): Effect.fn.Return<Stop, never, Scope.Scope | ScriptedModel> {
    const model = yield* ScriptedModel
    const path = yield* folder
    // browsers of a server that is root run as another user
    chmodSync(path, 0o711)
    const program = yield* start(
      [
        "serve",
        "--browsers=chromium",
        "--min-isolation=none",
        "--port=0",
        `--api-key=${key}`,
        "--drain-within=2s",
        "--model=openai-compatible:scripted-1",
        `--model-url=${model.baseUrl["openai-compatible"]}`,
        `--data=${join(path, "server.db")}`,
        "--max-browsers=4",
        ...args
      ],
      { TMPDIR: path }
    )
    const { v4 = "" } = yield* ready(program)
    const browsers = yield* Random.nextIntBetween(0, 3)
    const isFrozen = yield* Random.nextBoolean
    const signal = yield* oneOf(signals)
    const wait_ms = yield* oneOf([0, 0, 50, 300, 1000, 2000])
    const opened = yield* Effect.forkScoped(busy(v4, browsers), { startImmediately: true })
    // either in the middle of all that, or once it is there
    if (yield* Random.nextBoolean) yield* Fiber.await(opened)
    yield* Effect.sleep(wait_ms)
    const frozen = isFrozen ? processesIn(path).filter(([, command]) => !command.startsWith("/bin/sh")) : []
    for (const [pid] of frozen) tell(pid, "SIGSTOP")
    const began_ms = yield* Clock.currentTimeMillis
    program.process.kill(signal)
    const { code, stderr } = yield* exitOf(program, within_ms)
    const took_ms = (yield* Clock.currentTimeMillis) - began_ms
    const left = processesIn(path)
    for (const [pid] of left) tell(pid, "SIGKILL")
    return { seed, signal, isFrozen, browsers, took_ms, code, left: left.map(([, command]) => command), stderr }
  },
  (effect, seed) => Random.withSeed(effect, `stop ${seed}`)
)
