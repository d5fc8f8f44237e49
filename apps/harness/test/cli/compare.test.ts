import { assert, describe, it } from "@effect/vitest"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import * as Schema from "effect/Schema"
import { type Change, kinds, type Reason } from "@webagent/findings/NightChanges"
import * as Changes from "@webagent/findings/words/Changes"
import { evidence } from "@webagent/findings/words/Pair"
import * as PartialText from "@webagent/findings/words/PartialText"
import * as Night from "@webagent/nights/Night"
import { countsOf, type RunReport, type ScenarioResult, verdictOf } from "@webagent/report/RunReport"
import type { Trial } from "@webagent/report/Trial"
import { result } from "@webagent/test-fixtures/Reports"
import { CompareOutput } from "../../src/cli/compare/CompareOutput.ts"
import { green, trial } from "../reporters/fixture.ts"
import { call } from "./inProcess.ts"

const folder = mkdtempSync(join(tmpdir(), "webagent-compare-"))
afterAll(() => rmSync(folder, { recursive: true }))

const trials = (count: number, change: Partial<Trial> = {}): ReadonlyArray<Trial> =>
  Array.from({ length: count }, (_, index) =>
    trial({ index, seed: index, duration_ms: 1000, cost_usd: "0.01", ...change })
  )

const emptyCart = trials(3, {
  verdict: "failed",
  failure: { kind: "check", message: "the order exists", service: "The cart was empty." }
})

const scenario = (name: string, its: ReadonlyArray<Trial> = trials(3)): ScenarioResult => {
  const [failure] = its.flatMap(({ failure }) => failure ?? [])
  return {
    ...result,
    name,
    verdict: verdictOf(its),
    duration_ms: 3000,
    checks: 3,
    cost_usd: String(its.reduce((sum, { cost_usd }) => sum + Number(cost_usd), 0)),
    trials: its,
    ...(failure === undefined ? {} : { failure })
  }
}

/** Of many scenarios some others. */
const night = (day: number, ...others: ReadonlyArray<ScenarioResult>): RunReport => {
  const names = new Set(others.map(({ name }) => name))
  const steady = ["searches", "pays", "returns", "reviews"].flatMap((name) => (names.has(name) ? [] : [scenario(name)]))
  const results = [...steady, ...others]
  return {
    ...green,
    results,
    header: {
      ...green.header,
      startedAt: `2026-11-${String(day).padStart(2, "0")}T02:00:00.000Z`,
      machine: { cpu: "x", cores: 2, platform: "linux-x64", node: "24" }
    },
    counts: countsOf(results),
    cost_usd: "1"
  }
}

const written = (name: string, report: RunReport): string => {
  const directory = join(folder, name)
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, "report.json"), JSON.stringify(report))
  return directory
}

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(CompareOutput))

/** A reason as a kind or figure, and how much of it there is. */
const brief = (reason: Reason): string => {
  switch (reason._tag) {
    case "Scenarios":
      return `${reason.kind}: ${reason.count}`
    case "Whole":
      return `${reason.comparison.figure}${reason.comparison.change === undefined ? "" : `: ${reason.comparison.change.toFixed(2)}`}`
    case "Partial":
      return `${reason.night}: ${reason.partial._tag}`
  }
}

/** A change without its cause. */
const counts = ({ before, isCertain, kind, name, now }: Change) => {
  const of = (value: Change["before"]) =>
    value?._tag === "Trials" ? `${value.passed} of ${value.scored}` : value?._tag
  return [kind, name, of(before), of(now), isCertain]
}

/** Compares two nights for a program and for a person, who reads each change and the conclusion in the module's words. */
const compared = async (args: ReadonlyArray<string>) => {
  const [records, text] = await Promise.all([call(["compare", ...args, "--json"]), call(["compare", ...args])])
  assert.deepStrictEqual([records.stderr, text.stderr, text.code], ["", "", records.code])
  const output = decode(records.stdout)
  const { after, also, because, before, changes, needs, rows, verdict } = output
  const lines = text.stdout.trimEnd().split("\n")
  assert.strictEqual(lines.at(-1), Changes.conclusion(output))
  const expected = kinds.flatMap((kind) => {
    const some = changes.filter((change) => change.kind === kind)
    return some.length === 0
      ? []
      : [kind, ...some.flatMap((one) => [Changes.line(one), ...(one.cause === undefined ? [] : [Changes.cause(one)])])]
  })
  const listed = lines.slice(2, lines.indexOf("all together")).map((line) => line.trim())
  assert.deepStrictEqual(
    listed.filter((line) => line !== ""),
    expected
  )
  for (const { partial } of [before, after]) {
    if (partial !== undefined) assert.include(text.stdout, PartialText.text(partial))
  }
  // once the verdict is clear, the changes that could have been detected would only confuse
  const isClear = verdict === "worse" || verdict === "better"
  for (const row of rows.filter(({ scenario }) => scenario === null)) {
    assert.include(lines, `  ${row.figure.padEnd(15)}  ${evidence(row, isClear)}`)
  }
  return {
    code: records.code,
    verdict,
    because: because.map(brief),
    also: also.map(brief),
    changes,
    needs,
    before,
    after,
    rows,
    needed: lines.filter((line) => line.startsWith("needs "))
  }
}

let pairs = 0

const compare = (before: RunReport, after: RunReport) => {
  const key = String(pairs++)
  const [a, b] = [written(`${key}-a`, before), written(`${key}-b`, after)]
  return compared([a, b, "--history", join(folder, "none.ndjson")])
}

const cartCause = {
  key: "service run The cart was empty.",
  facts: { _tag: "Service" as const, error: "The cart was empty.", message: "the order exists", isCheck: true }
}

it("compare reports that no scenario is left because their code has changed", async () => {
  const as = (source: string) => ({ ...green, results: [{ ...scenario("pays"), source }] })
  const [a, b] = [written("code-a", as("one")), written("code-b", as("two"))]
  const { code, stderr } = await call(["compare", a, b, "--history", join(folder, "none.ndjson")])
  assert.strictEqual(code, 2)
  assert.include(stderr, `The code of 1 scenario changed between ${a} and ${b}`)
})

describe.concurrent("compare prints a conclusion and sets the exit code:", () => {
  it("worse when a scenario went from 3 of 3 to 0 of 3 trials, with the cause", async () => {
    const { because, changes, code, verdict } = await compare(night(1), night(2, scenario("pays", emptyCart)))
    assert.deepStrictEqual([code, verdict, because], [1, "worse", ["newly failing: 1"]])
    assert.deepStrictEqual(changes.map(counts), [["newly failing", "pays", "3 of 3", "0 of 3", true]])
    assert.deepStrictEqual(changes[0]?.cause, cartCause)
  })

  it("worse if a scenario began to leak a browser", async () => {
    const leaking = trials(3, { leakedBrowsers: [{ id: "b-1", stopped: true }] })
    const { because, changes, code, rows } = await compare(night(1), night(2, scenario("pays", leaking)))
    assert.deepStrictEqual([code, because], [1, ["newly leaking: 1", "leaked browsers"]])
    assert.deepStrictEqual(
      changes.map(({ kind, cause }) => [kind, cause?.key]),
      [["newly leaking", "leaked browser"]]
    )
    const leaks = rows.find(({ figure, scenario }) => figure === "leaked browsers" && scenario === null)
    assert.deepStrictEqual(
      [leaks?.now, leaks?.before],
      [
        { _tag: "Count", count: 3 },
        { _tag: "Count", count: 0 }
      ]
    )
  })

  it("no difference between two equal runs of a selection, stored as a record or as an earlier version's text", async () => {
    const selected = (day: number, selection: unknown) => {
      const run = night(day)
      return { ...run, header: { ...run.header, selection } } as RunReport
    }
    for (const selection of [{ tags: ["smoke"] }, "--tag smoke"]) {
      const { before, because, code, verdict } = await compare(selected(1, selection), selected(2, selection))
      assert.deepStrictEqual([code, verdict, because], [0, "no difference seen", []])
      assert.deepStrictEqual(before.partial, { _tag: "Selection", tags: ["smoke"] })
    }
  })

  it("better if a scenario is fixed", async () => {
    const { because, changes, code, verdict } = await compare(night(1, scenario("pays", emptyCart)), night(2))
    assert.deepStrictEqual([code, verdict, because], [6, "better", ["fixed: 1"]])
    assert.deepStrictEqual(changes.map(counts), [["fixed", "pays", "0 of 3", "3 of 3", true]])
    assert.deepStrictEqual(changes[0]?.cause, cartCause)
  })

  it("better if a scenario is fixed and all are faster, and cannot tell if they are slower", async () => {
    const timed = (duration_ms: number) =>
      ["searches", "returns", "reviews"].map((name) => scenario(name, trials(3, { duration_ms })))
    const before = night(1, scenario("pays", emptyCart))
    const less = await compare(before, night(2, ...timed(500)))
    assert.deepStrictEqual([less.code, less.verdict, less.because], [6, "better", ["fixed: 1"]])
    const more = await compare(before, night(2, ...timed(2000)))
    assert.deepStrictEqual([more.code, more.verdict], [5, "cannot tell"])
    assert.deepStrictEqual([more.because, more.also], [["duration: 1.00"], ["fixed: 1"]])
  })

  it("worse if one scenario is fixed and another one fails", async () => {
    const { also, because, code } = await compare(
      night(1, scenario("pays", emptyCart)),
      night(2, scenario("searches", emptyCart))
    )
    assert.deepStrictEqual([code, because, also], [1, ["newly failing: 1"], ["fixed: 1"]])
  })

  it("no difference seen if nothing changed", async () => {
    const { because, changes, code, rows, verdict } = await compare(night(1), night(2))
    assert.deepStrictEqual([code, verdict, because, changes], [0, "no difference seen", [], []])
    // the least change that a comparison sees
    assert.isTrue(rows.some(({ detectable, scenario }) => scenario === null && detectable !== null))
  })

  it("cannot tell with only two nights when everything takes longer and costs more", async () => {
    const slow = ["searches", "pays", "returns", "reviews"].map((name) =>
      scenario(name, trials(3, { duration_ms: 2700, cost_usd: "0.0197" }))
    )
    const { because, changes, code, needed, needs } = await compare(night(1), night(2, ...slow))
    assert.deepStrictEqual([code, because], [5, ["duration: 1.70", "cost: 0.97"]])
    for (const [kind, change] of [
      ["slower", 1.7],
      ["costlier", 0.97]
    ] as const) {
      const some = changes.filter((one) => one.kind === kind)
      assert.deepStrictEqual(
        some.map(({ isCertain }) => isCertain),
        [false, false, false, false]
      )
      assert.closeTo(some[0]?.change ?? 0, change, 0.001)
    }
    assert.deepStrictEqual(needs, { nights: 0, enough: 5 })
    assert.lengthOf(needed, 1)
  })

  it("cannot tell if a scenario is flaky, with the number of trials that it needs", async () => {
    const some = [...trials(2), ...emptyCart.slice(2)]
    const { because, changes, code, needed, needs } = await compare(night(1), night(2, scenario("pays", some)))
    assert.deepStrictEqual([code, because], [5, ["newly flaky: 1"]])
    assert.deepStrictEqual(changes.map(counts), [["newly flaky", "pays", "3 of 3", "2 of 3", false]])
    assert.deepStrictEqual(changes[0]?.cause, cartCause)
    assert.deepStrictEqual(Object.keys(needs), ["trials"])
    assert.include(needed[0], `--trials ${needs.trials}`)
  })

  it("no conclusion from changed code if its scenario passes now, and cannot tell if it fails", async () => {
    const edited = (its: ReadonlyArray<Trial>) => ({ ...scenario("pays", its), source: "edited" })
    const fixed = await compare(night(1, scenario("pays", emptyCart)), night(2, edited(trials(3))))
    assert.deepStrictEqual([fixed.code, fixed.because], [0, []])
    assert.deepStrictEqual(fixed.changes.map(counts), [["code changed", "pays", "0 of 3", "3 of 3", false]])
    const failing = await compare(night(1), night(2, edited(emptyCart)))
    assert.deepStrictEqual([failing.code, failing.because], [5, ["code changed: 1"]])
    assert.deepStrictEqual(failing.changes[0]?.cause, cartCause)
  })

  it("no request for more nights if the verdict is clear", async () => {
    const slow = scenario("searches", trials(3, { duration_ms: 2700 }))
    const { because, changes, needed, needs } = await compare(night(1), night(2, scenario("pays", emptyCart), slow))
    assert.deepStrictEqual(because, ["newly failing: 1"])
    assert.deepStrictEqual(
      changes.map(({ isCertain, kind }) => [kind, isCertain]),
      [
        ["newly failing", true],
        ["slower", false]
      ]
    )
    assert.deepStrictEqual([needs, needed], [{}, []])
  })
})

describe("compare of two nights of a history", () => {
  const history = join(folder, "history.ndjson")
  const reports = [1, 2, 3, 4, 5, 6, 7].map((day) =>
    night(
      day,
      scenario("pays", day === 7 ? emptyCart : trials(3)),
      scenario("drifts", day % 2 === 0 ? trials(3) : emptyCart)
    )
  )
  const record = (recorded: ReadonlyArray<Night.Night>) =>
    writeFileSync(history, recorded.map((line) => `${JSON.stringify(line)}\n`).join(""))
  const last = () => compared(["last-1", "last", "--history", history])

  it("finds both nights' reports, and recognizes a scenario that fails in other nights", async () => {
    record(reports.map((report, index) => Night.ofReport(report, `reports/${index}`)))
    written("reports/6", reports[6] ?? night(7))
    const { because, changes, code, rows } = await last()
    assert.deepStrictEqual([code, because], [1, ["newly failing: 1", "pass rate"]])
    const [pays, drifts] = ["pays", "drifts"].map((wanted) => changes.find(({ name }) => name === wanted))
    assert.deepStrictEqual([pays?.kind, pays?.cause], ["newly failing", cartCause])
    assert.deepStrictEqual(drifts?.others, { failed: 3, of: 5 })
    const rate = rows.find(({ figure, scenario }) => figure === "pass rate" && scenario === null)
    const shares = [rate?.now, rate?.before].map((value) =>
      value?._tag === "Rate" ? value.passed / value.scored : value
    )
    assert.deepStrictEqual(shares, [0.6, 1])
  })

  for (const [often, failed, end] of [
    ["always", [1, 2, 3, 4, 5], [0, []]],
    ["seldom", [1], [1, ["newly failing: 1", "pass rate"]]]
  ] as const) {
    it(`${often === "seldom" ? "decides" : "does not decide"} by a scenario that failed in other nights ${often}`, async () => {
      const of = (day: number, nights: number) => {
        const flaky = [...trials(8), ...emptyCart.slice(0, 2)]
        const tonight = day === nights ? trials(10, { verdict: "failed" }) : trials(10)
        const its = failed.some((one) => one === day) ? flaky : tonight
        return Night.ofReport(night(day, scenario("guesses", its), scenario("pays", trials(10))))
      }
      const nights = often === "seldom" ? 19 : 7
      record(Array.from({ length: nights }, (_, index) => of(index + 1, nights)))
      const { because, changes, code } = await last()
      assert.deepStrictEqual<unknown>([code, because], end)
      assert.deepStrictEqual(
        changes.map((change) => counts(change).slice(0, 4)),
        [["newly failing", "guesses", "10 of 10", "0 of 10"]]
      )
      assert.deepStrictEqual(changes[0]?.others, { failed: failed.length, of: nights - 2 })
    })
  }

  it("works without reports", async () => {
    record(reports.map((report) => Night.ofReport(report)))
    const { changes, code } = await last()
    assert.strictEqual(code, 1)
    assert.deepStrictEqual(changes.map(counts)[0], ["newly failing", "pays", "3 of 3", "0 of 3", true])
    assert.isUndefined(changes[0]?.cause)
  })

  it("reports a single slower scenario if earlier nights are known", async () => {
    const slow = (day: number, factor: number) =>
      night(day, scenario("pays", trials(3, { duration_ms: 1000 * factor * (1 + 0.01 * (day % 3)) })))
    const nights = [1, 2, 3, 4, 5, 6, 7, 8].map((day) => Night.ofReport(slow(day, day === 8 ? 2.7 : 1)))
    record(nights)
    const { because, changes, code } = await last()
    assert.deepStrictEqual([code, because], [1, ["slower: 1", "duration: 0.29"]])
    const [slower] = changes
    assert.deepStrictEqual([slower?.kind, slower?.name, slower?.isCertain], ["slower", "pays", true])
    assert.closeTo(slower?.change ?? 0, 1.73, 0.005)
  })

  for (const [scatter, least, needs] of [
    [0.08, 0.57, { nights: 5, enough: 7 }],
    [3, undefined, { nights: 5 }]
  ] as const) {
    it(`cannot tell if other nights vary by e^${scatter}, and names what is needed`, async () => {
      const of = (day: number) => {
        const duration_ms = 1000 * Math.exp(scatter * Math.sin(5 * day) + (day === 7 ? 0.2 : 0))
        return night(
          day,
          ...["searches", "pays", "returns", "reviews"].map((name) => scenario(name, trials(3, { duration_ms })))
        )
      }
      record([1, 2, 3, 4, 5, 6, 7].map((day) => Night.ofReport(of(day))))
      const output = await last()
      assert.deepStrictEqual([output.code, output.because.map((one) => one.split(":")[0])], [5, ["duration"]])
      assert.deepStrictEqual(output.needs, needs)
      assert.lengthOf(output.needed, 1)
      const row = output.rows.find(({ figure, scenario }) => figure === "duration" && scenario === null)
      assert.deepStrictEqual([row?.verdict, row?.nights], ["not enough data", 5])
      const ratio = row?.detectable?.amount
      if (ratio?._tag !== "Ratio") throw new Error("a duration has a ratio")
      if (least === undefined) assert.isAbove(ratio.ratio, 10)
      else assert.closeTo(ratio.ratio - 1, least, 0.005)
    })
  }
})
