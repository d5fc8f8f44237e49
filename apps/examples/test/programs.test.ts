import { assert, describe, it } from "@effect/vitest"
import { Server, SimulatedService } from "@webagent/simulation"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

const home = fileURLToPath(new URL("../", import.meta.url))

const flight = "Simulated result of: Find the cheapest direct flight from Oslo to Rome in May"

describe("programs", () => {
  const run = (args: ReadonlyArray<string>, env: Record<string, string>) =>
    Effect.callback<{ readonly code: number | null; readonly output: string }>((resume) => {
      const child = spawn(process.execPath, ["--conditions=@webagent/source", ...args], { cwd: home, env })
      let output = ""
      child.stdout.on("data", (chunk) => (output += String(chunk)))
      child.stderr.on("data", (chunk) => (output += String(chunk)))
      child.once("close", (code) => resume(Effect.succeed({ code, output })))
      return Effect.sync(() => child.kill("SIGKILL"))
    })

  const withService = (args: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const { address, apiKeys } = yield* Server
      return yield* run(args, { WEBAGENT_BASE_URL: address, WEBAGENT_API_KEY: apiKeys[0] ?? "" })
    }).pipe(Effect.provide(SimulatedService.layerTest))

  // the README shows these two: running the file runs them
  for (const example of ["first-run", "first-run-effect"]) {
    it.live(`${example} prints the status and the result`, () =>
      Effect.gen(function* () {
        const ended = yield* withService([`src/${example}.mjs`])
        assert.deepStrictEqual(ended, { code: 0, output: `completed ${flight}\n` })
      })
    )

    it.live(`${example} reports a missing key, and fails`, () =>
      Effect.gen(function* () {
        const { code, output } = yield* run([`src/${example}.mjs`], {})
        assert.strictEqual(code, 1)
        assert.include(output, "No API key")
      })
    )
  }

  it.live("typed-run prints the fields of the result", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* withService(["src/typed-run.mjs"]), { code: 0, output: "Norwegian 89\n" })
    })
  )

  it.live("follow-up prints the result of the message's run", () =>
    Effect.gen(function* () {
      const output = "Simulated result of: Now the same for June\n"
      assert.deepStrictEqual(yield* withService(["src/follow-up.mjs"]), { code: 0, output })
    })
  )

  it.live("main runs the program that it imports", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* withService(["src/main.ts"]), { code: 0, output: "Norwegian: 89.00 EUR\n" })
    })
  )

  it.live("run.ts runs an example in promises", () =>
    Effect.gen(function* () {
      const ended = yield* withService(["run.ts", "31_promises-browser"])
      assert.deepStrictEqual(ended, { code: 0, output: "SimulatedBrowser/1.0\n" })
    })
  )

  it.live("run.ts lists the examples for an unknown one", () =>
    Effect.gen(function* () {
      const { code, output } = yield* run(["run.ts", "10_create"], {})
      assert.strictEqual(code, 2)
      assert.match(output, /^No example is named "10_create"\. Choose one of: 10_create-a-run, 11_/u)
    })
  )

  it.live("11_handle-errors reports a missing key in one sentence", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* run(["run.ts", "11_handle-errors"], {}), {
        code: 1,
        output: "No API key: set WEBAGENT_API_KEY to a key from the service's console.\n"
      })
    })
  )

  it.live("26_embedded-server prints its counts, and exits", () =>
    Effect.gen(function* () {
      const { code, output } = yield* run(["run.ts", "26_embedded-server"], {})
      assert.strictEqual(code, 0)
      assert.match(output, /^\{ completed: \d+, failed: \d+ \}\n$/u)
    })
  )
})
