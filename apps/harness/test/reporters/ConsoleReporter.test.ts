import { assert, describe, it } from "@effect/vitest"
import { statusWords } from "@webagent/findings/words/Title"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as SuiteFigures from "@webagent/report/SuiteFigures"
import type { RunEvent } from "@webagent/report/RunEvent"
import * as ConsoleReporter from "../../src/reporters/ConsoleReporter.ts"
import { coloured, plain } from "@webagent/cli/Style"
import * as records from "@webagent/test-fixtures/Reports"
import { consumed } from "./consumed.ts"
import * as Findings from "@webagent/findings/Findings"
import { brief } from "@webagent/findings/words/FindingText"
import * as HistoryLines from "@webagent/findings/words/HistoryLines"
import * as RunText from "@webagent/findings/words/RunText"
import { away, cut, dated, datedEvents, green, greenEvents, mixed, mixedEvents, night, replay } from "./fixture.ts"
import { textOf } from "./words.ts"

const show = (events: ReadonlyArray<RunEvent>, change: Partial<ConsoleReporter.ConsoleOptions> = {}) =>
  Effect.gen(function* () {
    const written: Array<string> = []
    const reporter = ConsoleReporter.make({
      write: (text) => Effect.sync(() => written.push(text)),
      style: plain,
      live: false,
      columns: 80,
      rows: 24,
      replay,
      reportPath: ".webagent/runs/x",
      next: () => "harness run --target https://your.service",
      ...change
    })
    yield* consumed(reporter, events)
    return written.join("")
  })

/** Text without escape sequences. */
const bare = (text: string) =>
  text
    .split("\u001B[")
    .map((part, index) => (index === 0 ? part : part.replace(/^\d*[A-Za-z]/u, "")))
    .join("")

/** The lines of a run's errors, as its end shows them. */
const briefs = (report: typeof night) => Findings.errorsOf(report).map((finding) => `✗ ${brief(finding)}`)

const leak = textOf(mixed, "Leak")

describe("ConsoleReporter", () => {
  it.effect("prints every fact in one plain line without a terminal, in the order of the suites", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* show(mixedEvents)).split("\n"), [
        "webagent harness 0.1.0 · simulated service on 127.0.0.1:41873 · seed 1 · 8 at a time",
        "",
        "  v4-runs          1/1     300 ms",
        "  v4-browsers      0/2     1.3 s   ✗ 2 failed 1 skipped",
        "",
        "    1 skipped: costs money: pass --allow-paid",
        "",
        '  ✗ v4-browsers › closing <CDP> & "more"                                   1.2 s',
        '      check "connecting again should succeed\u0000" failed',
        "      expected  a CDP answer",
        '      got       HTTP 404 {"detail":"Browser not found"}',
        "      request   GET /api/v4/browsers/b/cdp   404   3 ms",
        "      where     src/suites/v4-browsers.ts:61",
        "      next      Open the trial in the report, then replay it.",
        '      replay    harness run v4-browsers --name "closing <CDP> & "more"" --seed 1',
        "",
        `  ✗ v4-browsers › forgets  ${leak.what}`,
        `      ${leak.evidence}`,
        "      cause     not recorded. In the trial, find where the scenario finishes without stopping its browser",
        "      sure      certain: open browsers are counted after each trial, not estimated",
        "      next      Change the scenario so that it always stops its browser, for example in a finalizer.",
        '      replay    harness run v4-browsers --name "forgets" --seed 1',
        "",
        ...briefs(mixed),
        "report   .webagent/runs/x",
        "next     harness run --target https://your.service",
        `${RunText.lastLineOf(mixed)} · 1 skipped · 2.1 s · 1 leaked browser, stopped by the harness`,
        ""
      ])
    })
  )

  it.effect("shows a suite that was interrupted by a limit or a stop", () =>
    Effect.gen(function* () {
      const cut = mixedEvents.filter((event) => event._tag !== "ScenarioFinished" || event.result.verdict !== "skipped")
      assert.deepStrictEqual((yield* show(cut)).split("\n"), (yield* show(mixedEvents)).split("\n"))
    })
  )

  it.effect("separates new from old failures in the last lines if earlier nights are known", () =>
    Effect.gen(function* () {
      const lines = (yield* show(datedEvents)).split("\n")
      const [failed, leak] = [textOf(dated, "Failed", "known for too long"), textOf(dated, "Leak")]
      for (const { age } of [failed, leak]) assert.isDefined(age)
      assert.include(lines, `      age       ${failed.age}`)
      assert.include(lines, `  ✗ v4-browsers › forgets  ${leak.what} (${leak.age})`)
      assert.isTrue(lines.at(-2)?.startsWith(RunText.lastLineOf(dated)))
    })
  )

  it.effect("prints the suites, the result and the next step of a passed run", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* show(greenEvents)).split("\n").slice(2), [
        "  v4-runs          1/1     300 ms",
        "",
        "report   .webagent/runs/x",
        "next     harness run --target https://your.service",
        `${RunText.lastLineOf(green)} · 2.1 s · 0 leaked browsers`,
        ""
      ])
    })
  )

  it.effect("says how much of a night is missing because of a limit", () =>
    Effect.gen(function* () {
      const text = yield* show([{ _tag: "RunFinished", report: cut }])
      assert.include(text, `\n${RunText.lastLineOf(cut)} · 1 skipped · 7 trials not run · 2.1 s`)
    })
  )

  it.effect("names runs that may still be running and the browsers that were stopped", () =>
    Effect.gen(function* () {
      const left = (kind: string, state: "open" | "stopped" | "unknown", id: number) => ({
        kind,
        id: `${id}`,
        trial: null,
        state,
        sentence: `The ${kind} ${id} is ${state}.`
      })
      const leftovers = [
        left("browser", "stopped", 1),
        left("run", "stopped", 2),
        ...Array.from({ length: 9 }, (_, index) => left("run", "open", index + 3))
      ]
      const text = yield* show([{ _tag: "RunFinished", report: { ...night, leftovers } }])
      assert.include(text, "left     The browser 1 is stopped.\nleft     The run 3 is open.\n")
      assert.include(text, "left     The run 9 is open.\nleft     2 other things: see leftovers in report.json\n")
      assert.notInclude(text, "The run 2 ")
      const lost = [left("run", "unknown", 1), left("run", "unknown", 2), left("browser", "unknown", 3)]
      const short = yield* show([{ _tag: "RunFinished", report: { ...night, leftovers: lost } }])
      assert.include(
        short,
        "left     2 runs may exist, listed in report.json; the first: The run 1 is unknown.\nleft     The browser 3 is unknown.\n"
      )
    })
  )

  it.effect("explains once why several scenarios weren't scored", () =>
    Effect.gen(function* () {
      const text = yield* show([{ _tag: "RunFinished", report: away }], { columns: 500 })
      const shown = text
        .split("\n\n")
        .slice(1)
        .join("\n\n")
        .split(`\n${RunText.lastLineOf(away)}`)[0]
      const [outage, unscored] = [textOf(away, "Unreachable"), textOf(away, "Unscored")]
      assert.deepStrictEqual(shown?.split("\n"), [
        `  ✗ ${outage.place}  ${outage.what}`,
        `      ${outage.evidence}`,
        ...Array.from({ length: 8 }, (_, index) => `      away › runs ${index}`),
        "      and 6 more, in report.json",
        "      next      Check that the service is up first. Run the interrupted scenarios again in the folder where the night ran: --last-failed reads its report there, or replay one scenario.",
        '      replay    harness run away --name "runs 0" --seed 1',
        "",
        `  ✗ ${unscored.place}  ${unscored.what}`,
        "      the oracle could not look",
        "      away › asks 1",
        "      away › asks 2",
        "      next      Open the trial in the report, then replay it.",
        '      replay    harness run away --name "asks 1" --seed 1',
        "",
        ...briefs(away),
        "report   .webagent/runs/x",
        "next     harness run --target https://your.service"
      ])
    })
  )

  it.effect("explains the worst failure first, and quarantined ones last and separately", () =>
    Effect.gen(function* () {
      const text = yield* show([{ _tag: "RunFinished", report: night }])
      const explained = [...text.matchAll(/^ {2}([✗-]) (checkout › .+?)(?: {2}|$)/gmu)]
      assert.deepStrictEqual(
        explained.map(([, sign, title]) => `${sign} ${title}`),
        [
          "✗ checkout › pays",
          "✗ checkout › known for too long",
          "✗ checkout › buys the red mug",
          "✗ checkout › cannot be reached",
          "✗ checkout › cannot be judged",
          "- checkout › known to fail"
        ]
      )
      assert.include(
        text,
        '\n      in quarantine until 2026-12-01, owner ada: the shop moves\n      check "the order exists" failed\n'
      )
    })
  )

  it.effect("ends with one line per cause, below the statistics, however many scenarios failed", () =>
    Effect.gen(function* () {
      const judgement = {
        verdict: "no evidence",
        nights: 7,
        passedOver: [],
        differences: [],
        rows: []
      } as const
      const figures = SuiteFigures.of(dated.results) ?? []
      const report = { ...dated, figures, judgement }
      const lines = (yield* show([{ _tag: "RunFinished", report }])).split("\n")
      assert.deepStrictEqual(
        lines.slice(-10).map((line) => line.split(":")[0]),
        [
          "✗ checkout › known for too long",
          "✗ v4-browsers › forgets",
          "✗ checkout › buys the red mug",
          "✗ checkout › pays",
          "✗ checkout › cannot be reached",
          "✗ checkout › cannot be judged",
          "report   .webagent/runs/x",
          "next     harness run --target https",
          statusWords.failed.toUpperCase(),
          ""
        ]
      )
      const first = lines.findIndex((line) => line.startsWith("  ✗ "))
      assert.deepStrictEqual(lines.slice(3, 5), [
        "trials   3 of 10 trials passed (5 scenarios; too few to estimate a rate)",
        ...HistoryLines.lines(report)
      ])
      assert.isAbove(first, 5)
    })
  )

  it.effect("names at most eight causes, and the first of many scenarios", () =>
    Effect.gen(function* () {
      const results = Array.from({ length: 10 }, (_, index) => ({
        ...records.result,
        suite: "checkout",
        name: `s${index}`,
        verdict: "failed" as const,
        failure: { kind: "check" as const, message: `check ${"abcdefghij"[index]}` },
        trials: []
      }))
      const lines = (yield* show([{ _tag: "RunFinished", report: { ...dated, results } }])).split("\n")
      assert.lengthOf(
        lines.filter((line) => line.startsWith("✗")),
        8
      )
      assert.include(lines, "  and 2 more, in the report")
    })
  )

  it.effect("keeps log output above the lines that are redrawn, and loses none of it", () =>
    Effect.gen(function* () {
      for (const live of [true, false]) {
        const logged = ["  warn  the run r-1 may go on"]
        const text = yield* show(mixedEvents, { live, logged })
        assert.deepStrictEqual(logged, [])
        assert.match(bare(text), /^ {2}warn {2}the run r-1 may go on$/mu)
        assert.lengthOf(text.split("the run r-1"), 2)
      }
      // lines are counted from the cursor: above the suites it stays where it is
      assert.notInclude(yield* show(greenEvents, { live: true, logged: [] }), "warn")
    })
  )

  it.effect("redraws the suites' lines on a terminal, never wider than it", () =>
    Effect.gen(function* () {
      const text = yield* show(mixedEvents, { live: true, columns: 50 })
      assert.include(text, "\u001B[3A\r\u001B[2K")
      assert.include(text, "██████████  1/1     300 ms")
      for (const line of text.split(/[\n\r]/u).filter((line) => line.includes("█") || line.includes("░"))) {
        assert.isAtMost(bare(line).length, 50)
      }
    })
  )

  it.effect("shows the run's progress below the suites until it has finished", () =>
    Effect.gen(function* () {
      const text = yield* show(mixedEvents, { live: true })
      assert.include(text, "  0 of 4 scenarios")
      assert.include(text, "\n\u001B[2K\n\u001B[2K\u001B[1A\n    1 skipped: ")
    })
  )

  it.effect("explains infrastructure errors and broken invariants once each", () =>
    Effect.gen(function* () {
      const breach = {
        invariant: "created-twice",
        facts: { _tag: "Reported", text: "r-1 and r-2 are one", entries: [] } as const,
        resource: "r-2"
      }
      const [first, ...rest] = night.results
      assert.isDefined(first)
      const broken = { ...first, trials: first.trials.map((trial) => ({ ...trial, breaches: [breach] })) }
      const text = yield* show([{ _tag: "RunFinished", report: { ...night, results: [broken, ...rest] } }])
      assert.strictEqual(text.split("created-twice: r-1 and r-2 are one").length, 2)
      assert.include(
        text,
        "retries  2 trials retried after infrastructure errors: TransportError: the connection was reset (2)\n"
      )
    })
  )

  it.effect("prints every half minute that the run continues if the output is no terminal", () =>
    Effect.gen(function* () {
      const written: Array<string> = []
      const [started] = mixedEvents
      assert.isDefined(started)
      const reporter = ConsoleReporter.make({
        write: (text) => Effect.sync(() => written.push(text)),
        style: plain,
        live: false,
        columns: 80,
        rows: 24,
        replay,
        next: () => undefined
      })
      yield* Effect.forkChild(consumed(reporter, Stream.concat(Stream.make(started), Stream.never)))
      yield* TestClock.adjust("65 seconds")
      assert.deepStrictEqual(written.slice(1), ["  ... 0 of 4 scenarios · 30 s\n", "  ... 0 of 4 scenarios · 1 min\n"])
    })
  )

  it.effect("doesn't redraw more suites than there are rows", () =>
    Effect.gen(function* () {
      assert.notInclude(yield* show(mixedEvents, { live: true, rows: 5 }), "\u001B")
    })
  )

  it.effect("uses color only for information that is also in words", () =>
    Effect.gen(function* () {
      const text = yield* show(mixedEvents, { style: coloured })
      assert.include(text, `\u001B[31m${RunText.lastLineOf(mixed)}\u001B[0m`)
      assert.strictEqual(bare(text), yield* show(mixedEvents))
    })
  )
})
