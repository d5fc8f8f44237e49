import { assert, describe, it } from "@effect/vitest"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import * as Night from "@webagent/nights/Night"
import { countsOf, type RunReport, type ScenarioResult, verdictOf } from "@webagent/report/RunReport"
import type { Trial } from "@webagent/report/Trial"
import { result } from "@webagent/test-fixtures/Reports"
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

let compared = 0

const compare = async (before: RunReport, after: RunReport, ...more: ReadonlyArray<string>) => {
  const key = String(compared++)
  const [a, b] = [written(`${key}-a`, before), written(`${key}-b`, after)]
  const { code, stderr, stdout } = await call(["compare", a, b, "--history", join(folder, "none.ndjson"), ...more])
  assert.strictEqual(stderr, "")
  const lines = stdout.trimEnd().split("\n")
  return { code, stdout, lines, last: lines.at(-1) ?? "" }
}

it("says that no scenario is left to compare because their code has changed", async () => {
  const as = (source: string) => ({ ...green, results: [{ ...scenario("pays"), source }] })
  const [a, b] = [written("code-a", as("one")), written("code-b", as("two"))]
  const { code, stderr } = await call(["compare", a, b, "--history", join(folder, "none.ndjson")])
  assert.strictEqual(code, 2)
  assert.include(stderr, `The code of 1 scenario changed between ${a} and ${b}`)
})

describe.concurrent("compare ends with what it found and an exit code of its own", () => {
  it("worse when a scenario went from 3 of 3 to 0 of 3 trials, with the reason", async () => {
    const { code, last, lines, stdout } = await compare(night(1), night(2, scenario("pays", emptyCart)))
    assert.deepStrictEqual([code, last], [1, "worse: 1 newly failing scenario"])
    // the verdict is clear: what could have been detected would only confuse
    assert.notInclude(stdout, "would be detected")
    assert.deepStrictEqual(lines.slice(2, 6), [
      "",
      "newly failing",
      "  shop › pays  0 of 3 trials passed, was 3 of 3",
      '      the order exists: the service says "The cart was empty."'
    ])
  })

  it("worse, where a scenario began to leak a browser", async () => {
    const leaking = trials(3, { leakedBrowsers: [{ id: "b-1", stopped: true }] })
    const { code, last, stdout } = await compare(night(1), night(2, scenario("pays", leaking)))
    assert.deepStrictEqual([code, last], [1, "worse: 1 newly leaking scenario, leaked browsers 3, was 0"])
    assert.match(stdout, /\nnewly leaking\n {2}shop › pays .+\n {6}leaked a browser\n/u)
    assert.match(stdout, /\n {2}leaked browsers {2}3 leaked, 0 before\n/u)
  })

  it("no difference of two equal runs of a selection, whose selection is a record or an earlier version's text", async () => {
    const selected = (day: number, selection: unknown) => {
      const run = night(day)
      return { ...run, header: { ...run.header, selection } } as RunReport
    }
    for (const selection of [{ tags: ["smoke"] }, "--tag smoke"]) {
      const { code, last, stdout } = await compare(selected(1, selection), selected(2, selection))
      assert.deepStrictEqual([code, last], [0, "no difference seen"])
      assert.include(stdout, "the first is partial: only --tag smoke was selected")
    }
  })

  it("better, where a scenario is fixed", async () => {
    const { code, last, lines } = await compare(night(1, scenario("pays", emptyCart)), night(2))
    assert.deepStrictEqual([code, last], [6, "better: 1 fixed scenario"])
    assert.deepStrictEqual(lines.slice(2, 6), [
      "",
      "fixed",
      "  shop › pays  3 of 3 trials passed, was 0 of 3",
      '      was: the order exists: the service says "The cart was empty."'
    ])
  })

  it("better, where a scenario is fixed and all take less time, and cannot tell where they take more", async () => {
    const timed = (duration_ms: number) =>
      ["searches", "returns", "reviews"].map((name) => scenario(name, trials(3, { duration_ms })))
    const before = night(1, scenario("pays", emptyCart))
    const less = await compare(before, night(2, ...timed(500)))
    assert.deepStrictEqual([less.code, less.last], [6, "better: 1 fixed scenario"])
    const more = await compare(before, night(2, ...timed(2000)))
    assert.deepStrictEqual([more.code, more.last], [5, "cannot tell: duration +100 %; also 1 fixed scenario"])
  })

  it("worse, where one scenario is fixed and another one fails", async () => {
    const { code, last } = await compare(
      night(1, scenario("pays", emptyCart)),
      night(2, scenario("searches", emptyCart))
    )
    assert.deepStrictEqual([code, last], [1, "worse: 1 newly failing scenario; also 1 fixed scenario"])
  })

  it("no difference seen, where all is as it was", async () => {
    const { code, last, stdout } = await compare(night(1), night(2))
    assert.strictEqual(code, 0)
    assert.include(stdout, "would be detected\n")
    assert.match(last, /^no difference seen$/u)
  })

  it("cannot tell with only two nights when everything takes longer and costs more", async () => {
    const slow = ["searches", "pays", "returns", "reviews"].map((name) =>
      scenario(name, trials(3, { duration_ms: 2700, cost_usd: "0.0197" }))
    )
    const { code, last, stdout } = await compare(night(1), night(2, ...slow))
    assert.deepStrictEqual([code, last], [5, "cannot tell: duration +170 %, cost +97 %"])
    assert.match(stdout, /\nslower\n {2}shop › searches {2}2\.7 s, was 1 s \(\+170 %, may be chance\)\n/u)
    assert.match(stdout, /\ncostlier\n {2}shop › searches {2}0\.0197 USD, was 0\.01 USD \(\+97 %, may be chance\)\n/u)
    assert.match(
      stdout,
      /\nneeds {4}5 nights like these, to know what is normal; the history has 0: record them with .+ run --history FILE --record\n/u
    )
  })

  it("cannot tell when a scenario is flaky, and says how many trials it needs", async () => {
    const some = [...trials(2), ...emptyCart.slice(2)]
    const { code, last, stdout } = await compare(night(1), night(2, scenario("pays", some)))
    assert.deepStrictEqual([code, last], [5, "cannot tell: 1 newly flaky scenario"])
    assert.match(
      stdout,
      /\nnewly flaky\n {2}shop › pays {2}2 of 3 trials passed, was 3 of 3 \(may be chance\)\n.+The cart was empty/u
    )
    assert.match(stdout, /\nneeds {4}\d+ trials of each scenario in both nights \(--trials \d+\)\n/u)
  })

  it("nothing of a scenario whose code changed when it passes now, and cannot tell when it fails", async () => {
    const edited = (its: ReadonlyArray<Trial>) => ({ ...scenario("pays", its), source: "edited" })
    const fixed = await compare(night(1, scenario("pays", emptyCart)), night(2, edited(trials(3))))
    assert.deepStrictEqual([fixed.code, fixed.last], [0, "no difference seen"])
    assert.match(fixed.stdout, /\ncode changed\n {2}shop › pays {2}3 of 3 trials passed, was 0 of 3\n/u)
    const failing = await compare(night(1), night(2, edited(emptyCart)))
    assert.deepStrictEqual([failing.code, failing.last], [5, "cannot tell: 1 failing scenario with changed code"])
    assert.match(failing.stdout, /\ncode changed\n {2}shop › pays .+\n {6}the order exists: the service says/u)
  })

  it("the same for programs", async () => {
    const { code, stdout } = await compare(night(1), night(2, scenario("pays", emptyCart)), "--json")
    const { after, changes, verdict } = JSON.parse(stdout)
    assert.deepStrictEqual([code, verdict, after.startedAt], [1, "worse", "2026-11-02T02:00:00.000Z"])
    assert.deepStrictEqual(changes, [
      {
        kind: "newly failing",
        suite: "shop",
        name: "pays",
        now: { _tag: "Trials", verdict: "failed", passed: 0, scored: 3, leaks: 0 },
        before: { _tag: "Trials", verdict: "passed", passed: 3, scored: 3, leaks: 0 },
        isCertain: true,
        cause: {
          key: "service run The cart was empty.",
          text: 'the order exists: the service says "The cart was empty."',
          service: "The cart was empty."
        }
      }
    ])
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
  const last = (...more: ReadonlyArray<string>) => call(["compare", "last-1", "last", "--history", history, ...more])

  it("finds the reports of both nights, and knows a scenario that fails in other nights", async () => {
    record(reports.map((report, index) => Night.ofReport(report, `reports/${index}`)))
    written("reports/6", reports[6] ?? night(7))
    const { code, stderr, stdout } = await last()
    assert.deepStrictEqual([code, stderr], [1, ""])
    assert.match(stdout, /\nnewly failing\n {2}shop › pays .+\n {6}the order exists: the service says/u)
    assert.match(stdout, /\n {2}shop › drifts .+ \(failed in 3 of 5 other nights\)\n/u)
    assert.match(stdout, /\nworse: 1 newly failing scenario, pass rate 60 %, was 100 %\n$/u)
  })

  for (const [often, failed, end] of [
    ["always", [1, 2, 3, 4, 5], "0 no difference seen"],
    ["seldom", [1], "1 worse: 1 newly failing scenario, pass rate 66 %, was 100 %"]
  ] as const) {
    it(`${often === "seldom" ? "decides" : "does not decide"} by a scenario that failed in other nights, ${often}`, async () => {
      const of = (day: number, nights: number) => {
        const flaky = [...trials(8), ...emptyCart.slice(0, 2)]
        const tonight = day === nights ? trials(10, { verdict: "failed" }) : trials(10)
        const its = failed.some((one) => one === day) ? flaky : tonight
        return Night.ofReport(night(day, scenario("guesses", its), scenario("pays", trials(10))))
      }
      const nights = often === "seldom" ? 19 : 7
      record(Array.from({ length: nights }, (_, index) => of(index + 1, nights)))
      const { code, stdout } = await last()
      assert.strictEqual(`${code} ${stdout.trimEnd().split("\n").at(-1)}`, end)
      const others = `failed in ${failed.length} of ${nights - 2} other nights`
      assert.include(stdout, `\nnewly failing\n  shop › guesses  0 of 10 trials passed, was 10 of 10 (${others})\n`)
    })
  }

  it("does not ask for more nights where it can tell", async () => {
    const slow = scenario("searches", trials(3, { duration_ms: 2700 }))
    const { last, stdout } = await compare(night(1), night(2, scenario("pays", emptyCart), slow))
    assert.match(last, /^worse: 1 newly failing scenario$/u)
    assert.match(stdout, /may be chance/u)
    assert.notInclude(stdout, "needs")
  })

  it("needs no reports", async () => {
    record(reports.map((report) => Night.ofReport(report)))
    const { code, stdout } = await last()
    assert.strictEqual(code, 1)
    assert.match(stdout, /\nnewly failing\n {2}shop › pays {2}0 of 3 trials passed, was 3 of 3\n/u)
  })

  it("says of one scenario that it is slower where nights are known", async () => {
    const slow = (day: number, factor: number) =>
      night(day, scenario("pays", trials(3, { duration_ms: 1000 * factor * (1 + 0.01 * (day % 3)) })))
    const nights = [1, 2, 3, 4, 5, 6, 7, 8].map((day) => Night.ofReport(slow(day, day === 8 ? 2.7 : 1)))
    record(nights)
    const { code, stdout } = await last()
    assert.strictEqual(code, 1)
    assert.match(stdout, /\nslower\n {2}shop › pays {2}2\.75 s, was 1\.01 s \(\+173 %\)\n/u)
    assert.match(stdout, /\nworse: 1 slower scenario, duration \+29 %\n$/u)
  })

  for (const [scatter, unseen, needs] of [
    [0.08, "less than 57 % longer", "7 nights like these, to know what is normal; the history has 5: record them with"],
    [3, "even 10 times longer", "more trials of each scenario, or a quieter machine: nights like these differ too much"]
  ] as const) {
    it(`cannot tell where other nights vary by e^${scatter}, and says what would`, async () => {
      const of = (day: number) => {
        const duration_ms = 1000 * Math.exp(scatter * Math.sin(5 * day) + (day === 7 ? 0.2 : 0))
        return night(
          day,
          ...["searches", "pays", "returns", "reviews"].map((name) => scenario(name, trials(3, { duration_ms })))
        )
      }
      record([1, 2, 3, 4, 5, 6, 7].map((day) => Night.ofReport(of(day))))
      const { code, stdout } = await last()
      assert.strictEqual(code, 5)
      assert.include(stdout, `; cannot tell: 5 other nights differ too much to detect ${unseen}\n`)
      assert.include(stdout, `\nneeds    ${needs}`)
      assert.match(stdout, /\ncannot tell: duration [+-]\d+ %\n$/u)
    })
  }
})
