import * as NodeServices from "@effect/platform-node/NodeServices"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stdio from "effect/Stdio"
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { teardown } from "@webagent/cli/CommandLine"
import { commandLine } from "../src/commandLine.ts"

/** The server from source. */
export const source = fileURLToPath(new URL("../src/main.ts", import.meta.url))

/** The server as `setup.ts` has bundled it from source. */
export const bundle = process.env["WEBAGENT_SERVER_BUNDLE"] ?? source

/** A program that was started. */
export interface Program {
  readonly process: ChildProcess
  readonly stdout: () => string
  /** Resolves with the exit code and all that was said on stderr. */
  readonly ended: Effect.Effect<{ readonly code: number | null; readonly stderr: string }>
}

/** Runs the server, or another program, inside a command such as bubblewrap's; whatever a test does, it is gone at the end. */
export const start = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {},
  program = bundle,
  around: ReadonlyArray<string> = [],
  cwd = process.cwd()
): Effect.Effect<Program, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const inherited = Object.fromEntries(
        Object.entries(process.env).filter(([name]) => !name.startsWith("WEBAGENT_"))
      )
      const command = [...around, process.execPath, "--conditions=@webagent/source", program, ...args]
      const [executable = "", ...rest] = command
      const child = spawn(executable, rest, {
        cwd,
        env: { ...inherited, ...environment },
        stdio: ["ignore", "pipe", "pipe"]
      })
      let stdout = ""
      let stderr = ""
      child.stdout.on("data", (chunk) => (stdout += String(chunk)))
      child.stderr.on("data", (chunk) => (stderr += String(chunk)))
      const exit = new Promise<number | null>((resolve) => child.once("close", resolve))
      const ended = Effect.map(
        Effect.promise(() => exit),
        (code) => ({ code, stderr })
      )
      return { process: child, stdout: () => stdout, ended }
    }),
    (program) =>
      Effect.andThen(
        Effect.sync(() => program.process.kill("SIGKILL")),
        program.ended
      )
  )

/** What the program prints once it listens, by the first word of each line. */
export const ready = (program: Program): Effect.Effect<Readonly<Record<string, string>>> =>
  Effect.raceFirst(
    printed(program),
    Effect.flatMap(program.ended, ({ code, stderr }) => Effect.die(`The server ended with ${code}: ${stderr}`))
  )

const printed = (program: Program): Effect.Effect<Readonly<Record<string, string>>> =>
  Effect.callback((resume) => {
    const look = () => {
      if (!/^keys? .*\n/mu.test(program.stdout())) return
      program.process.stdout?.off("data", look)
      resume(
        Effect.succeed(
          Object.fromEntries(
            program
              .stdout()
              .trimEnd()
              .split("\n")
              .map((line) => line.split(/\s+/u) as [string, string])
          )
        )
      )
    }
    program.process.stdout?.on("data", look)
    look()
  })

/** A folder that is gone after the test. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "webagent-server-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

/** Runs a command to its end, in this process: a process of its own takes a second of CPU to start. */
export const run = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {}
) {
  const said = { stdout: "", stderr: "" }
  const write = (stream: keyof typeof said) => (text: unknown) => void (said[stream] += `${String(text)}\n`)
  const console: Console.Console = { ...globalThis.console, log: write("stdout"), error: write("stderr") }
  const surroundings = Layer.mergeAll(
    Stdio.layerTest({ args: Effect.succeed(args) }),
    Layer.succeed(Console.Console, console),
    ConfigProvider.layer(ConfigProvider.fromEnvRecord(environment))
  )
  const exit = yield* commandLine.pipe(Effect.provide(surroundings), Effect.provide(NodeServices.layer), Effect.exit)
  const code = yield* Effect.callback<number>((resume) => teardown(exit, (code) => resume(Effect.succeed(code))))
  return { code, ...said }
})

/** A port that another program listens on until the test ends. */
export const takenPort = Effect.acquireRelease(
  Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      resume(Effect.succeed({ port, close: () => void server.close() }))
    })
  }),
  (server) => Effect.sync(server.close)
)

/** What a server answers. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Readonly<Record<string, unknown>>
}

/** Sends a request to v4, or to another path of the server. */
export const send = (
  base: string | undefined,
  key: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {}
) =>
  Effect.promise(async (signal): Promise<Answer> => {
    const response = await fetch(`${base}${path}`, {
      method,
      signal,
      headers: {
        "x-service-api-key": key,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: text.startsWith("{") ? JSON.parse(text) : { text }
    }
  })

/** Asks again until the answer is as it is to be. */
export const until = (ask: Effect.Effect<Answer>, enough: (answer: Answer) => boolean): Effect.Effect<Answer> =>
  Effect.flatMap(ask, (answer) =>
    enough(answer) ? Effect.succeed(answer) : Effect.andThen(Effect.sleep("20 millis"), until(ask, enough))
  )
