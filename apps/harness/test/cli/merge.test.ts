import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import * as EventLog from "../../src/run/events/EventLog.ts"
import * as Result from "effect/Result"
import * as LimitText from "@webagent/findings/words/LimitText"
import * as NightFile from "@webagent/nights/NightFile"
import * as SkipText from "@webagent/findings/words/SkipText"
import { RunReport } from "@webagent/report/RunReport"
import { call } from "./inProcess.ts"

const folder = mkdtempSync(join(tmpdir(), "webagent-merge-"))
afterAll(() => rmSync(folder, { recursive: true }))

const at = (name: string) => join(folder, name)
const example = ["test/cli/example.suite.ts", "--tag", "quick", "--tag", "broken", "--tag", "leak"]

const report = (directory: string) =>
  Schema.decodeUnknownSync(Schema.fromJsonString(RunReport))(readFileSync(join(directory, "report.json"), "utf8"))

const verdicts = ({ results }: RunReport) => results.map(({ name, verdict }) => `${name}: ${verdict}`)

describe("merge", () => {
  it("makes the whole run of its shards: reports, traces, events, exit code and next step", async () => {
    const [whole, ...shards] = await Promise.all([
      call(["run", ...example, "--report-dir", at("whole")]),
      call(["run", ...example, "--shard", "1/2", "--report-dir", at("one"), "--max-cost", "90", "--trial-budget", "1"]),
      call(["run", ...example, "--shard", "2/2", "--report-dir", at("two")])
    ])
    assert.deepStrictEqual([whole.code, ...shards.map(({ stderr }) => stderr)], [1, "", ""])
    const [first] = shards
    assert.match(
      first?.stdout ?? "",
      /^webagent harness .+ · shard 1 of 2\nlimits {3}90\.00 USD: of this shard alone, not of all 2\n/u
    )
    const { code, stderr, stdout } = await call(["merge", at("two"), at("one"), "--report-dir", at("both")])
    assert.deepStrictEqual([code, stderr], [1, ""])
    assert.match(stdout, /^merging 2 shards · the longest took .+, all .+ together\n/u)
    assert.include(stdout, `replay    npm run harness -- run ${example[0]} --name fails --seed 1`)

    const both = report(at("both"))
    assert.deepStrictEqual(verdicts(both), verdicts(report(at("whole"))))
    for (const { trace } of both.results.flatMap(({ trials }) => trials)) {
      assert.isTrue(existsSync(join(at("both"), trace ?? "none")))
    }
    const events = EventLog.parse(readFileSync(join(at("both"), EventLog.fileName), "utf8"))
    const tags = Result.getOrThrow(events).map(({ event }) => event._tag)
    assert.deepStrictEqual(
      ["RunStarted", "TrialFinished", "RunFinished"].map((tag) => tags.filter((one) => one === tag).length),
      [1, 3, 1]
    )

    const dear = await call(["merge", at("one"), at("two"), "--report-dir", at("dear"), "--max-requests", "1"])
    assert.strictEqual(dear.code, 1)
    assert.match(dear.stdout, /^merging 2 shards · .+ together · \d+ of 1 request\n/u)
    const [crossed] = report(at("dear")).crossed ?? []
    if (crossed?._tag !== "Requests") throw new Error("there were more requests than the night may send")
    assert.strictEqual(crossed.limit, 1)
    assert.include(dear.stdout, `\n      ${LimitText.ofRun(crossed)}\n`)

    const nowhere = await call(["merge", at("nowhere")])
    assert.deepStrictEqual(
      [nowhere.code, nowhere.stderr],
      [2, `Folder ${at("nowhere")} not found. Name the report folder of each shard.\n`]
    )
    const missing = await call(["merge", at("one"), "--report-dir", at("half")])
    assert.deepStrictEqual(
      [missing.code, missing.stderr],
      [2, "Of 2 shards shard 2 is missing. Name every folder, or merge the others with --allow-missing.\n"]
    )
    const allowed = await call(["merge", at("one"), "--allow-missing", "--report-dir", at("half")])
    const half = report(at("half"))
    assert.deepStrictEqual(
      half.results.flatMap(({ skip }) => skip ?? []).map(({ _tag }) => _tag),
      ["MissingShard"]
    )
    assert.include(allowed.stdout, `skipped: ${SkipText.text({ _tag: "MissingShard", shard: 2 })}`)
    const lost = half.findings?.flatMap(({ kind }) => (kind._tag === "Incomplete" ? [kind.why] : []))
    const args = [...example, "--max-cost", "90", "--trial-budget", "1", "--built-in", "--seed", "1"]
    assert.deepStrictEqual(lost, [{ _tag: "LostShards", missing: 1, of: 2, shards: [2], args }])

    // the shard that was missing had started first
    const nights = at("nights.ndjson")
    const recorded = ["--record", "--history", nights, "--report-dir"]
    await call(["merge", at("two"), "--allow-missing", ...recorded, at("early")])
    const ran = () =>
      Result.getOrThrow(NightFile.parse(readFileSync(nights, "utf8"), nights)).nights.map(
        ({ scenarios }) => scenarios.filter(({ verdict }) => verdict !== "skipped").length
      )
    assert.deepStrictEqual(ran(), [report(at("two")).results.length])
    await call(["merge", at("one"), at("two"), ...recorded, at("late")])
    assert.deepStrictEqual(ran(), [report(at("late")).results.length])

    // one that was killed has events and no report
    rmSync(join(at("two"), "report.json"))
    const killed = await call(["merge", at("one"), at("two"), "--report-dir", at("rest")])
    assert.strictEqual(killed.code, 2)
    assert.include(
      killed.stderr,
      `Resume it if it was killed: npm run harness -- run --resume ${at("two")}. Or merge without it`
    )
    const rest = await call(["merge", at("two"), at("one"), "--allow-missing", "--report-dir", at("rest")])
    assert.strictEqual(
      rest.stderr,
      `${at("two")} has no report: ${join(at("two"), "report.json")} does not exist. The shard is missing.\n`
    )
    assert.deepStrictEqual([rest.code, verdicts(report(at("rest")))], [1, verdicts(report(at("half")))])
  })
})
