import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { folder, ready, start } from "./program.ts"

const harness = fileURLToPath(new URL("../../harness/src/main.ts", import.meta.url))

interface Report {
  readonly results: ReadonlyArray<{
    readonly name: string
    readonly verdict: string
    readonly needs: ReadonlyArray<string>
  }>
}

it.live("every built-in suite passes over a database; only those of the control API are skipped", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const server = yield* start(["--port", "0", "--data", join(path, "server.db"), "--api-key", "K"])
    const { v4 = "" } = yield* ready(server)
    const reports = join(path, "report")
    const args = ["run", "--built-in", "--target", v4, "--report-dir", reports]
    const run = yield* start(args, { WEBAGENT_API_KEY: "K" }, harness)
    const { code, stderr } = yield* run.ended
    const { results }: Report = JSON.parse(readFileSync(join(reports, "report.json"), "utf8"))
    assert.deepStrictEqual(
      results
        .filter(({ needs, verdict }) => verdict !== (needs.includes("control-api") ? "skipped" : "passed"))
        .map(({ name, verdict }) => `${name}: ${verdict}`),
      []
    )
    assert.isAbove(results.length, 180)
    assert.strictEqual(code, 0, stderr)
  })
)
