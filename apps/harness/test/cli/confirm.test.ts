import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll } from "vitest"
import { withId } from "@webagent/nights/Night"
import * as NightFile from "@webagent/nights/NightFile"
import { call } from "./inProcess.ts"
import { reportIn } from "./lastLine.ts"
import * as ConfirmText from "@webagent/findings/words/ConfirmText"
import * as HistoryLines from "@webagent/findings/words/HistoryLines"

const folder = mkdtempSync(join(tmpdir(), "webagent-confirm-"))
const history = join(folder, "history.ndjson")
const weather = ["run", "test/cli/weather.suite.ts", "--trials", "5"]
const nights = () => Result.getOrThrow(NightFile.parse(readFileSync(history, "utf8"), history)).nights
const to = (directory: string) => ["--report-dir", join(folder, directory), "--history", history]

/** Ten nights like the first, on the days before it. */
beforeAll(async () => {
  const { code, stderr } = await call([...weather, ...to("first"), "--record"], { FAILING: "0" })
  assert.strictEqual(code, 0, stderr)
  const [first] = nights()
  if (first === undefined) throw new Error("nothing was recorded")
  const { id: _, ...of } = first
  const copies = Array.from({ length: 9 }, (_, day) =>
    withId({ ...of, startedAt: `2026-01-0${day + 1}T02:00:00.000Z` })
  )
  writeFileSync(history, copies.map((copy) => `${JSON.stringify(copy)}\n`).join(""), { flag: "a" })
})

afterAll(() => rmSync(folder, { recursive: true }))

describe("--extra-trials", () => {
  it("runs more trials of a suspicious scenario, and every report shows them", async () => {
    const args = [...weather, "--extra-trials", "30", ...to("second"), "--record"]
    const { code, stdout } = await call(args, { FAILING: "0.5" })
    assert.strictEqual(code, 1)
    assert.include(
      stdout,
      `\n${HistoryLines.lines(reportIn(join(folder, "second")))
        .slice(0, 2)
        .join("\n")}\n`
    )
    const read = (name: string) => readFileSync(join(folder, "second", name), "utf8")
    const of = ({ name }: { readonly name: string }) => name === "holds"
    const report = JSON.parse(read("report.json"))
    const { figure, outcome, trials } = report.results.find(of).confirm
    assert.deepStrictEqual([figure, outcome, trials[0].index], ["pass rate", "confirmed", 5])
    assert.isTrue(trials.every(({ trace }: { trace: string }) => read(trace).length > 0))
    const its = nights().at(-1)?.scenarios.find(of)
    assert.deepStrictEqual([its?.confirm?.scored, its?.scored], [trials.length, 5])
    const text = ConfirmText.text(report.results.find(of).confirm)
    assert.include(read("junit.xml"), text)
    assert.match(read("summary.md"), /\bextra\b/u)
  })

  it("counts extra trials in a plan and in the limits of merged shards", async () => {
    const plan = await call(["plan", ...weather.slice(1), "--extra-trials", "30", "--history", history])
    assert.match(plan.stdout, /^limits {3}30 extra trials$[^]* · then up to 30 extra trials$/mu)
    for (const shard of [1, 2]) {
      const args = [...weather, "--extra-trials", "15", "--shard", `${shard}/2`, ...to(`shard${shard}`)]
      await call(args, { FAILING: "0.5" })
    }
    const shards = [join(folder, "shard1"), join(folder, "shard2")]
    const merged = await call(["merge", ...shards, ...to("merged")])
    assert.include(merged.stdout, `\n${HistoryLines.lines(reportIn(join(folder, "merged")))[0]}\n`)
    const { results } = JSON.parse(readFileSync(join(folder, "merged", "report.json"), "utf8"))
    const traces = results.flatMap(({ confirm }: { confirm?: { trials: ReadonlyArray<{ trace: string }> } }) =>
      (confirm?.trials ?? []).map(({ trace }) => trace)
    )
    assert.isTrue(traces.every((trace: string) => readFileSync(join(folder, "merged", trace), "utf8").length > 0))
  })

  it("turns configured extra trials off with 0, and then needs no earlier nights", async () => {
    const config = join(folder, "webagent.config.mjs")
    writeFileSync(config, "export default { extraTrials: 7 }")
    const plan = ["plan", ...weather.slice(1), "--config", config, "--history", history]
    assert.include((await call(plan)).stdout, "7 extra trials")
    const back = await call([...plan, "--extra-trials", "0"])
    assert.deepStrictEqual([back.code, back.stdout.includes("extra trial")], [0, false], back.stderr)
    writeFileSync(config, "export default { extraTrials: 0 }")
    const none = await call([...plan.slice(0, -2), "--trial", "1"])
    assert.deepStrictEqual([none.code, none.stderr], [0, ""])
  })

  it("needs earlier nights, and does not apply to a replay of one trial", async () => {
    const [none, one] = [
      await call([...weather, "--extra-trials", "5"]),
      await call([...weather, "--extra-trials", "5", "--trial", "1", "--history", history])
    ]
    assert.deepStrictEqual(
      [none.code, none.stderr.trim(), one.code, one.stderr.trim()],
      [
        2,
        "--extra-trials compares with earlier nights. Add --history FILE, or --record.",
        2,
        "--extra-trials and --trial cannot be combined: --trial replays one trial."
      ]
    )
  })
})
