import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type ChildProcess, spawn } from "node:child_process"
import { createServer } from "node:net"
import { fileURLToPath } from "node:url"

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))

interface Program {
  readonly process: ChildProcess
  readonly stdout: () => string
  /** Resolves with the exit code and all that was said on stderr. */
  readonly ended: Effect.Effect<{ readonly code: number | null; readonly stderr: string }>
}

/** Runs the program itself; whatever a test does, it is gone at the end. */
const start = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {}
): Effect.Effect<Program, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const { WEBAGENT_SERVER_API_KEY: _, ...inherited } = process.env
      const child = spawn(process.execPath, ["--conditions=@webagent/source", main, ...args], {
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
const ready = (program: Program): Effect.Effect<Readonly<Record<string, string>>> =>
  Effect.callback((resume) => {
    const look = () => {
      if (!/^key .*\n/mu.test(program.stdout())) return
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

const createRun = (baseUrl: string | undefined, key: string) =>
  Effect.promise(() =>
    fetch(`${baseUrl}/runs`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-service-api-key": key },
      body: JSON.stringify({ task: "Find a red mug" })
    })
  )

const takenPort = Effect.acquireRelease(
  Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      resume(Effect.succeed({ port, close: () => void server.close() }))
    })
  }),
  (server) => Effect.sync(server.close)
)

describe("webagent-server", () => {
  it.live("prints where it is and the key that works, and Ctrl-C stops it with 0", () =>
    Effect.gen(function* () {
      const program = yield* start(["--port", "0"])
      const printed = yield* ready(program)
      assert.deepStrictEqual(Object.keys(printed), ["v2", "v3", "v4", "docs", "key"])
      assert.match(printed["key"] ?? "", /^wak_\S{24}$/u)
      const create = (key: string) => createRun(printed["v4"], key)
      assert.strictEqual((yield* create(printed["key"] ?? "")).status, 201)
      assert.strictEqual((yield* create("wak_test")).status, 401)
      program.process.kill("SIGINT")
      assert.deepStrictEqual(yield* program.ended, { code: 0, stderr: "" })
    })
  )

  it.live("takes its keys from --api-key before WEBAGENT_SERVER_API_KEY, and the same seed gives the same ids", () =>
    Effect.gen(function* () {
      const environment = { WEBAGENT_SERVER_API_KEY: "from-environment" }
      const [one, two] = yield* Effect.all(
        [
          start(["--port", "0", "--seed", "7", "--turn-duration", "1ms"], environment),
          start(["--port", "0", "--seed", "7", "--api-key", "first", "--api-key", "second"], environment)
        ],
        { concurrency: "unbounded" }
      )
      const create = Effect.fnUntraced(function* (program: Program, key: string) {
        const { v4 } = yield* ready(program)
        const answer = yield* createRun(v4, key)
        const { id } = yield* Effect.promise(() => answer.json() as Promise<{ id?: string }>)
        return { status: answer.status, id }
      })
      const first = yield* create(one, "from-environment")
      assert.strictEqual(first.status, 201)
      assert.strictEqual((yield* create(two, "from-environment")).status, 401)
      const second = yield* create(two, "second")
      assert.strictEqual(second.id, first.id)
    })
  )

  it.live("the same seed gives the same browser another secret address every time", () =>
    Effect.gen(function* () {
      const addresses = yield* Effect.all(
        [start(["--port", "0", "--seed", "7"]), start(["--port", "0", "--seed", "7"])],
        { concurrency: "unbounded" }
      ).pipe(
        Effect.flatMap(
          Effect.forEach((program) =>
            Effect.flatMap(ready(program), ({ key = "", v4 }) =>
              Effect.promise(async () => {
                const headers = { "x-service-api-key": key }
                const answer = await fetch(`${v4}/browsers`, { method: "POST", headers })
                return new URL(((await answer.json()) as { cdpUrl: string }).cdpUrl)
              })
            )
          )
        )
      )
      assert.strictEqual(new Set(addresses.map(({ pathname }) => pathname)).size, 1)
      assert.strictEqual(new Set(addresses.map(({ searchParams }) => searchParams.get("token"))).size, 2)
    })
  )

  it.live("a taken port is one sentence and exit 2", () =>
    Effect.gen(function* () {
      const { port } = yield* takenPort
      const program = yield* start(["--port", String(port)])
      assert.deepStrictEqual(yield* program.ended, {
        code: 2,
        stderr: `Port ${port} is taken. Choose another with --port, or 0 for any free one.\n`
      })
      assert.strictEqual(program.stdout(), "")
    })
  )

  it.live("listens for other machines only with an explicit key", () =>
    Effect.gen(function* () {
      const program = yield* start(["--port", "0", "--host", "0.0.0.0"])
      assert.deepStrictEqual(yield* program.ended, {
        code: 2,
        stderr: "Other machines can reach 0.0.0.0: give a key with --api-key, or in WEBAGENT_SERVER_API_KEY.\n"
      })
    })
  )

  it.live("a wrong flag is named, without the whole help", () =>
    Effect.gen(function* () {
      const program = yield* start(["--turn-duration", "soon"])
      const { code, stderr } = yield* program.ended
      assert.strictEqual(code, 2)
      assert.match(stderr, /^Invalid value for flag --turn-duration: "soon"\..*200ms\nSee --help\.\n$/u)
      assert.strictEqual(program.stdout(), "")
    })
  )
})
