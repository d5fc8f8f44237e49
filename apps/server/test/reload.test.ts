import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { spawn } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder, type Program, ready, send, start } from "./program.ts"

const key = "K"
const adminKey = "A"

/** Starts a server with a configuration file. `setsid` takes it away from the terminal of the tests. */
const serving = Effect.fnUntraced(function* (settings: object, ...args: ReadonlyArray<string>) {
  const path = yield* folder
  const config = join(path, "config.json")
  const write = (settings: object) => Effect.sync(() => writeFileSync(config, JSON.stringify(settings)))
  yield* write(settings)
  const program = yield* start(
    [
      "serve",
      "--port=0",
      `--data=${join(path, "server.db")}`,
      `--config=${config}`,
      `--api-key=${key}`,
      `--admin-key=${adminKey}`,
      "--log-level=info",
      ...args
    ],
    {},
    undefined,
    ["setsid"]
  )
  let stderr = ""
  program.process.stderr?.on("data", (chunk) => (stderr += String(chunk)))
  const { v4 } = yield* ready(program)
  const logged = (text: string) =>
    Effect.suspend(() => (stderr.includes(text) ? Effect.succeed(stderr) : Effect.fail(stderr))).pipe(
      Effect.retry({ schedule: Schedule.spaced("20 millis"), times: 500 })
    )
  const reload = Effect.fnUntraced(function* (settings: object, text: string) {
    yield* write(settings)
    program.process.kill("SIGHUP")
    return yield* logged(text)
  })
  return { path, program, reload, v4: String(v4) }
})

const adminOf = (v4: string) => v4.replace("/api/v4", "/admin/v1")

const settingOf = Effect.fnUntraced(function* (v4: string, name: string) {
  const { body } = yield* send(adminOf(v4), adminKey, "GET", "/settings")
  const settings = JSON.parse(String(body["text"])) as ReadonlyArray<{
    readonly name: string
    readonly value: string | null
  }>
  return settings.find((setting) => setting.name === name)?.value
})

const stop = Effect.fnUntraced(function* (program: Program) {
  program.process.kill("SIGTERM")
  return (yield* program.ended).code
})

const webhook = (v4: string) =>
  Effect.map(
    send(adminOf(v4), adminKey, "POST", "/webhooks", { url: "http://127.0.0.1:9/hook" }),
    ({ status }) => status
  )

describe("SIGHUP", () => {
  it.live("reloads a configuration file, and names the settings that need a restart", () =>
    Effect.gen(function* () {
      const { program, reload, v4 } = yield* serving({ keepDays: 30, fileLimit: 10 })
      const refused = yield* webhook(v4)
      const settings = { keepDays: 7, fileLimit: 20, allowPrivateWebhooks: true }
      const log = yield* reload(settings, "restart the server to change fileLimit")
      assert.include(log, "Reloaded after SIGHUP: changed keepDays, allowPrivateWebhooks;")
      assert.strictEqual(yield* settingOf(v4, "keepDays"), "7")
      assert.strictEqual(yield* settingOf(v4, "fileLimit"), "10")
      // used, and not only shown
      assert.strictEqual(refused, 422)
      assert.strictEqual(yield* webhook(v4), 201)
      assert.strictEqual(yield* stop(program), 0)
    })
  )

  it.live("keeps every setting if the file has a mistake", () =>
    Effect.gen(function* () {
      const { program, reload, v4 } = yield* serving({ keepDays: 30 })
      const log = yield* reload({ keepDays: 7, keepDay: 1 }, "Could not reload after SIGHUP")
      assert.include(log, 'unknown setting \\"keepDay\\"')
      yield* reload({ keepDays: -1, keepRuns: 5 }, "--keep-days")
      assert.strictEqual(yield* settingOf(v4, "keepDays"), "30")
      assert.strictEqual(yield* settingOf(v4, "keepRuns"), "1000000")
      assert.strictEqual(yield* stop(program), 0)
    })
  )

  it.live("stops a server whose terminal was closed, even with a configuration file", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const config = join(path, "config.json")
      writeFileSync(config, "{}")
      const [out, id] = [join(path, "out"), join(path, "id")]
      const server = `${process.execPath} --conditions=@webagent/source ${join(import.meta.dirname, "../src/main.ts")}`
      const args = `serve --port=0 --data=${join(path, "server.db")} --config=${config} --api-key=${key}`
      const shell = `echo $$ >${id}; exec ${server} ${args} </dev/null >${out} 2>&1`
      const terminal = yield* Effect.acquireRelease(
        Effect.sync(() => spawn("script", ["-qec", shell, "/dev/null"], { stdio: "ignore" })),
        (child) => Effect.sync(() => child.kill("SIGKILL"))
      )
      const eventually = <A, E>(effect: Effect.Effect<A, E>) =>
        Effect.retry(effect, { schedule: Schedule.spaced("50 millis"), times: 600 })
      yield* eventually(
        Effect.filterOrFail(
          Effect.try(() => readFileSync(out, "utf8")),
          (text) => text.includes("keys ")
        )
      )
      const pid = Number(readFileSync(id, "utf8"))
      const isRunning = Effect.sync(() => readdirSync("/proc").includes(String(pid)))
      assert.isTrue(yield* isRunning)
      terminal.kill("SIGKILL")
      yield* eventually(Effect.filterOrFail(isRunning, (is) => !is))
      assert.notInclude(readFileSync(out, "utf8"), "Reloaded")
    })
  )
})
