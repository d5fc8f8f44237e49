import { assert, describe, it } from "@effect/vitest"
import { Server, SimulatedService } from "@webagent/simulation"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

const runner = fileURLToPath(new URL("../../../../apps/examples/run.ts", import.meta.url))

const run = (env: Record<string, string>) =>
  Effect.callback<{ readonly code: number | null; readonly output: string }>((resume) => {
    const child = spawn(process.execPath, ["--conditions=@webagent/source", runner, "10_create-a-run"], { env })
    let output = ""
    child.stdout.on("data", (chunk) => (output += String(chunk)))
    child.stderr.on("data", (chunk) => (output += String(chunk)))
    child.once("close", (code) => resume(Effect.succeed({ code, output })))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

describe("The first example, run by hand", () => {
  it.live("reports a missing key in one sentence", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* run({}), {
        code: 1,
        output: "No API key: set WEBAGENT_API_KEY to a key from the service's console.\n"
      })
    })
  )

  it.live("prints the result", () =>
    Effect.gen(function* () {
      const { address, apiKeys } = yield* Server
      assert.deepStrictEqual(yield* run({ WEBAGENT_BASE_URL: address, WEBAGENT_API_KEY: apiKeys[0] ?? "" }), {
        code: 0,
        output: "Simulated result of: Find the cheapest direct flight from Oslo to Rome in May\n"
      })
    }).pipe(Effect.provide(SimulatedService.layerTest))
  )
})
