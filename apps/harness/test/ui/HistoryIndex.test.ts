import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { cellsOf } from "@webagent/harness-api/NightCells"
import { type Night, type NightScenario, withId } from "@webagent/nights/Night"
import * as Effect from "effect/Effect"
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeEach } from "vitest"
import * as HistoryIndex from "../../src/page/HistoryIndex.ts"
import * as NightsView from "../../src/page/NightsView.ts"

const folder = mkdtempSync(join(tmpdir(), "webagent-ui-history-"))
const file = join(folder, "history.ndjson")
beforeEach(() => rmSync(file, { force: true }))
afterAll(() => rmSync(folder, { recursive: true }))

const scenario = (name: string, passed = 5): NightScenario => ({
  suite: "shop",
  name,
  verdict: passed === 5 ? "passed" : passed === 0 ? "failed" : "flaky",
  passed,
  scored: 5,
  failed: 5 - passed,
  claimed: 0,
  infra: 0,
  durations: { count: passed, mean_log: 1, median_ms: 100 + passed },
  spent_ms: 500,
  trials: 5,
  cost_usd: "0.05",
  requests: 1,
  breaches: 0,
  leaks: 0
})

const night = (day: number, scenarios: ReadonlyArray<NightScenario>, change: Partial<Night> = {}): Night =>
  withId({
    version: 2,
    kind: "night",
    startedAt: `2026-11-${String(day).padStart(2, "0")}T02:00:00.000Z`,
    duration_ms: 1000,
    status: "passed",
    fingerprint: { target: "simulated", tool: "0.1.0", concurrency: 8, trials: 5 },
    seed: 1,
    cost_usd: "0.05",
    requests: 1,
    breaches: 0,
    scenarios,
    ...change
  })

const lineOf = (one: Night) => `${JSON.stringify(one)}\n`

const run = <A, E>(use: (reader: HistoryIndex.HistoryReader) => Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromise(Effect.flatMap(HistoryIndex.make(file), use).pipe(Effect.provide(NodeServices.layer)))

const idsOf = ({ nights }: HistoryIndex.HistoryIndex) => nights.map(({ head }) => head.id)

const mapOf = (index: HistoryIndex.HistoryIndex, last = 365) =>
  NightsView.mapOf(index, {
    last,
    factsOf: () => ({ tags: [], owner: null, quarantine: null }),
    runOf: () => undefined
  })

describe("HistoryIndex", () => {
  it("has no nights if the file doesn't exist", async () => {
    const index = await run((reader) => reader.read)
    assert.deepEqual([index.nights, index.problems], [[], []])
  })

  it("reads nights as columns, and each night completely", async () => {
    const first = night(1, [scenario("pays"), scenario("gone", 2)])
    const second = night(2, [scenario("new", 0), scenario("pays")])
    writeFileSync(file, lineOf(second) + lineOf(first))
    const { index, whole } = await run((reader) =>
      Effect.gen(function* () {
        const index = yield* reader.read
        return { index, whole: yield* Effect.forEach(index.nights, reader.night) }
      })
    )
    assert.deepEqual(whole, [first, second])
    const map = mapOf(index)
    const names = map.rows.map(({ name }) => name)
    const cells = map.nights.map((column) => names.map((name, row) => [name, cellsOf(column)(row)?.passed]))
    assert.deepEqual(cells.map(Object.fromEntries), [
      { pays: 5, gone: 2, new: undefined },
      { pays: 5, gone: undefined, new: 0 }
    ])
    const lastRows = mapOf(index, 1).rows.map(({ name }) => name)
    assert.deepEqual(lastRows.toSorted(), ["new", "pays"])
    // each figure has the rows and nights of the map
    const durations = NightsView.figuresOf(index, "duration", 1)
    assert.deepEqual(durations.nights, [second.id])
    assert.deepEqual(
      lastRows.map((name, row) => [name, durations.rows[row]]),
      lastRows.map((name) => [name, [name === "new" ? 100 : 105]])
    )
    const points = NightsView.trendOf(index, "shop", "gone")?.points
    assert.deepEqual(
      points?.map(({ duration_ms, night, passed }) => [night, passed, duration_ms]),
      [[first.id, 2, 102]]
    )
    assert.isUndefined(NightsView.trendOf(index, "shop", "unknown"))
  })

  it("reads only added lines, and rereads a line that was incomplete", async () => {
    const [one, two] = [night(1, [scenario("pays")]), night(2, [scenario("pays")])]
    const three = night(3, [scenario("new")])
    writeFileSync(file, lineOf(one) + lineOf(two).slice(0, 100))
    const { cut, other, whole } = await run((reader) =>
      Effect.gen(function* () {
        const cut = yield* reader.read
        appendFileSync(file, lineOf(two).slice(100) + lineOf(three))
        const whole = yield* reader.read
        // another file in its place is read from its start
        rmSync(file)
        writeFileSync(file, lineOf(three))
        return { cut, whole, other: yield* reader.read }
      })
    )
    assert.deepEqual(idsOf(cut), [one.id])
    assert.lengthOf(cut.problems, 1)
    assert.include(cut.problems[0], "line 2")
    assert.deepEqual([idsOf(whole), whole.problems, whole.rows.length], [[one.id, two.id, three.id], [], 2])
    assert.deepEqual(idsOf(other), [three.id])
  })

  it("reads all nights of a merged or damaged file, with one sentence per invalid line", async () => {
    const [one, two, three] = [1, 2, 3].map((day) => lineOf(night(day, [scenario("pays")])))
    writeFileSync(
      file,
      `${one}<<<<<<< ours\n${two}=======\n${one}${three?.slice(0, 80)}${three}>>>>>>> theirs\n{"version":1,"kind":"night"}\n`
    )
    const index = await run((reader) => reader.read)
    assert.lengthOf(index.nights, 3)
    const lines = index.problems.map((problem) => /line (?<line>\d+)/u.exec(problem)?.groups?.["line"])
    assert.deepEqual(lines, ["2", "4", "6", "7", "8"])
    assert.isTrue(index.problems.every((problem) => !problem.includes("\n")))
  })

  it("shows a run that was recorded twice once, with most of its trials", async () => {
    const short = night(1, [scenario("pays")], { partial: { _tag: "Stopped", isShard: false } })
    const whole = night(1, [scenario("pays"), scenario("ships")])
    writeFileSync(file, lineOf(whole) + lineOf(short))
    assert.deepEqual(idsOf(await run((reader) => reader.read)), [whole.id])
  })
})
