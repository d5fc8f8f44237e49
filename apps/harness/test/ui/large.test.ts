import { assert, describe, it } from "@effect/vitest"
import { type NightScenario, withId } from "@webagent/nights/Night"
import type { Finding } from "@webagent/report/Finding"
import * as Effect from "effect/Effect"
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { afterAll } from "vitest"
import { type Served, serve } from "./served.ts"

const folder = mkdtempSync(join(tmpdir(), "webagent-ui-large-"))
const store = join(folder, ".webagent")
afterAll(() => rmSync(folder, { recursive: true }))

const [nights, scenarios] = [365, 500]

const scenario = (index: number, day: number): NightScenario => {
  const passed = (index * 7 + day * 13) % 97 === 0 ? 3 : 5
  const median_ms = 1000 + ((index * 31 + day * 17) % 400)
  return {
    suite: `suite-${index % 20}`,
    name: `does the thing number ${index} with a realistic name`,
    source: "aabbccddeeff0011",
    verdict: passed === 5 ? "passed" : "flaky",
    passed,
    scored: 5,
    failed: 5 - passed,
    claimed: 0,
    infra: 0,
    durations: { count: passed, mean_log: 7.123456, deviation_log: 0.123456, median_ms },
    spent_ms: 5 * median_ms,
    trials: 5,
    cost_usd: "0.0132",
    requests: 50,
    breaches: 0,
    leaks: 0
  }
}

const { name, suite } = scenario(0, 0)
const leak: Finding = { kind: { _tag: "Leak" }, severity: "error", scenarios: [{ suite, name }] }

const writeYear = () => {
  mkdirSync(store, { recursive: true })
  const file = join(store, "history.ndjson")
  writeFileSync(file, "")
  for (let day = 0; day < nights; day++) {
    const night = withId({
      version: 2,
      kind: "night",
      startedAt: new Date(Date.UTC(2025, 10, 28 + day, 2)).toISOString(),
      duration_ms: 60_000,
      status: day === nights - 1 ? "failed" : "passed",
      findings: day === nights - 1 ? [leak] : [],
      fingerprint: { target: "simulated", tool: "0.1.0", concurrency: 8, trials: 5 },
      seed: 1,
      cost_usd: "6.6",
      requests: 25_000,
      breaches: 0,
      scenarios: Array.from({ length: scenarios }, (_, index) => scenario(index, day))
    })
    appendFileSync(file, `${JSON.stringify(night)}\n`)
  }
}

/** The most memory that a process has had, in MB. */
const mostMemory = (pid: number | undefined) =>
  Number(/VmHWM:\s+(?<kb>\d+) kB/u.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.groups?.["kb"]) / 1000

describe.runIf(process.platform === "linux")("ui with a year of 500 scenarios", () => {
  let ui: Served

  it("takes less than 300 MB, and sends a heat map of less than 100 kB", { timeout: 120_000 }, async () => {
    writeYear()
    ui = await serve(folder, ["--built-in"])
    const map = await ui.read((source) => source.nights())
    assert.deepEqual([map.nights.length, map.rows.length], [nights, scenarios])
    assert.isBelow(gzipSync(JSON.stringify(map)).length, 100_000)
    const [before, last] = map.nights.slice(-2).map(({ id }) => id)
    if (before === undefined || last === undefined) throw new Error("a year has two nights")
    const compared = await ui.read((source) => source.compare(last, before))
    assert.strictEqual(compared.scenarios, scenarios)
    const refused = await ui.refused(({ actions }) => actions.acknowledge(before, { owner: "ann" }))
    assert.include(refused.detail, "no problem")
    await ui.read(({ actions }) => actions.acknowledge(last, { owner: "ann" }))
    const { acknowledged } = await ui.read((source) => source.night(last))
    assert.strictEqual(acknowledged[0]?.owner, "ann")
    assert.isBelow(mostMemory(ui.program.pid), 300)
  })

  it("needs no more memory for a recorded night of every built-in scenario", { timeout: 300_000 }, async () => {
    const before = mostMemory(ui.program.pid)
    const { id } = await ui.read(({ actions }) => actions.start({ record: true, trials: 1 }))
    await ui.follow({ run: id, after: 0 }, ({ _tag }) => _tag === "Finished")
    const { nights: recorded, rows } = await ui.read((source) => source.nights(500))
    assert.lengthOf(recorded, nights + 1)
    assert.isAbove(rows.length, scenarios)
    const { report } = await ui.read((source) => source.run(id))
    assert.isAbove(report?.results.length ?? 0, 50)
    const after = mostMemory(ui.program.pid)
    assert.isBelow(after, 300)
    assert.isBelow(after - before, 60)
    // its process has ended then
    await ui.read(({ actions }) => Effect.ignore(actions.stop(id)))
  })

  it("reports in one sentence that no report can be written", async () => {
    rmSync(join(store, "runs"), { recursive: true })
    writeFileSync(join(store, "runs"), "a file in the place of the folder")
    const { detail } = await ui.refused(({ actions }) => actions.start({}))
    assert.include(detail, "cannot be written")
    assert.notInclude(detail, "\n")
  })

  it("stops", async () => {
    ui.program.signal("SIGINT")
    assert.strictEqual((await ui.program.ended).code, 0)
  })
})
