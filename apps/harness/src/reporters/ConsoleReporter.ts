import * as LeftoverText from "@webagent/findings/words/LeftoverText"
import * as Agreement from "@webagent/report/Agreement"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { PlatformError } from "effect/PlatformError"
import { byCause } from "@webagent/findings/Cause"
import * as CauseText from "@webagent/findings/words/CauseText"
import * as Findings from "@webagent/findings/Findings"
import * as FindingText from "@webagent/findings/words/FindingText"
import * as HistoryLines from "@webagent/findings/words/HistoryLines"
import { note as noteText } from "@webagent/findings/words/Notes"
import * as OutageText from "@webagent/findings/words/OutageText"
import * as RunText from "@webagent/findings/words/RunText"
import * as InterruptedTrials from "@webagent/report/InterruptedTrials"
import * as CutShort from "@webagent/report/CutShort"
import { statusOf } from "@webagent/report/Finding"
import type { RunHeader, RunReport, ScenarioResult } from "@webagent/report/RunReport"
import type { Leftover } from "@webagent/report/Trial"
import * as Explanation from "./Explanation.ts"
import * as LimitsText from "./LimitsText.ts"
import * as Pace from "./Pace.ts"
import type { Replay, Reporter, ReporterContext } from "./Reporter.ts"
import { type Style } from "@webagent/cli/Style"
import { counted, cut, percent } from "@webagent/cli/Text"
import * as SuiteProgress from "./SuiteProgress.ts"
import * as AgreementText from "@webagent/findings/words/AgreementText"
import * as InterruptedTrialsText from "@webagent/findings/words/InterruptedTrialsText"
import * as SkipText from "@webagent/findings/words/SkipText"
import * as UsageText from "@webagent/findings/words/UsageText"

/** Output of the console reporter, and data that the events don't contain. */
export interface ConsoleOptions {
  readonly write: (text: string) => Effect.Effect<void, PlatformError>
  readonly style: Style
  /**
   * True if lines can be redrawn, as in a terminal. Otherwise, every line is written once, in the order of the suites.
   */
  readonly live: boolean
  readonly columns: number
  readonly rows: number
  readonly replay: Replay
  /** Says whether a finding may be ignored. */
  readonly ignoring?: ReporterContext["ignoring"]
  /** The program as its user calls it. */
  readonly program?: string
  /** Lines that were logged in the meantime. They are removed from the list and printed above the redrawn lines. */
  readonly logged?: Array<string>
  /** Location of the other reporters' files, if they write any. */
  readonly reportPath?: string
  /**
   * True if all other reports were written. It is checked at the end, because a run without a report has no verdict.
   */
  readonly isWritten?: () => boolean
  /** The next step, and its commands in lines of their own. */
  readonly next: (report: RunReport) => string | undefined
}

// a terminal shows about as many frames a second as a person can tell apart
const frame_ms = 50
// a log without a terminal says now and then that it is alive
const quiet_ms = 30_000

const headline = (header: RunHeader): string => {
  const { name, address } = header.target
  const where = name === address ? name : `${name} on ${address.replace(/^https?:\/\//u, "")}`
  const shard = header.shard === undefined ? "" : ` · shard ${header.shard.index} of ${header.shard.of}`
  return `webagent harness ${header.tool.version} · ${where} · seed ${header.seed} · ${header.concurrency} at a time${shard}`
}

/** That a limit of a shard is none of the night. */
const limitsOf = ({ limits, shard }: RunHeader): string => {
  const text = LimitsText.of(limits)
  return shard === undefined || text === "" ? "" : `limits   ${text}: of this shard alone, not of all ${shard.of}\n`
}

const skips = (results: ReadonlyArray<ScenarioResult>, style: Style): ReadonlyArray<string> => {
  const lines = SkipText.grouped(
    results.filter((result) => result.verdict === "skipped"),
    ({ skip }) => skip
  ).map(([why, group]) => style.faint(`  ${String(group.length).padStart(3)} skipped: ${why}`))
  return lines.length === 0 ? [] : [...lines, ""]
}

const marks = { failed: "bad", warning: "warning", passed: "good" } as const

/** The last line: what happened, how long it took, what it cost, what was leaked. */
export const summary = (report: RunReport, style: Style): string => {
  const { counts, interrupted } = report
  const line = RunText.lastLineOf(report)
  const unrun = CutShort.unrun(report)
  const skipped = [
    ...(counts.skipped === 0 ? [] : [`${counts.skipped} skipped`]),
    ...(unrun === undefined || unrun === 0 ? [] : [`${counted(unrun, "trial")} not run`])
  ]
  const leaks = SuiteProgress.leaks(report)
  const { cost, time } = UsageText.of(report)
  const facts = [
    style[marks[statusOf(Findings.of(report))]](`${interrupted ? "STOPPED, " : ""}${line}`),
    ...skipped,
    UsageText.full(time),
    counts.leakedBrowsers > 0 ? style.bad(leaks) : leaks,
    ...(report.cost_usd === "0" ? [] : [UsageText.full(cost)])
  ]
  return facts.join(" · ")
}

/** A wider confidence interval says too little to show a rate. */
const widestInterval = 0.4

/** The pass rate of all suites together with its confidence interval, if scenarios were repeated. */
const figures = ({ figures }: RunReport): ReadonlyArray<string> => {
  const all = figures?.find(({ suite }) => suite === null)
  if (all === undefined) return []
  const { interval, passed, rate, scenarios, scored } = all
  const trials = `trials   ${passed} of ${scored} trials passed`
  if (interval !== null && interval.high - interval.low > widestInterval)
    return [`${trials} (${counted(scenarios, "scenario")}; too few to estimate a rate)`]
  const within = interval === null ? "" : ` (95 % CI ${percent(interval.low)} to ${percent(interval.high)})`
  return [`${trials} · pass rate ${percent(rate)}${within}`]
}

/** Which trials were retried after an infrastructure error, by cause. */
const reruns = (results: ReadonlyArray<ScenarioResult>): ReadonlyArray<string> => {
  const all = results.flatMap(({ trials }) => trials.flatMap(({ reruns }) => reruns.map(({ failure }) => failure)))
  if (all.length === 0) return []
  const causes = byCause(all, "infra")
    .toSorted((one, other) => other.count - one.count)
    .map(({ cause, count }) => `${CauseText.text(cause)} (${count})`)
  const more = causes.length - mostCauses
  const named = `${causes.slice(0, mostCauses).join(", ")}${more > 0 ? `, and ${counted(more, "other cause")}` : ""}`
  return [`retries  ${counted(all.length, "trial")} retried after infrastructure errors: ${named}`]
}

const mostCauses = 3

const mostLeft = 8

/** Lists resources that may exist, in one line per kind. */
const unknown = (all: ReadonlyArray<Leftover>): ReadonlyArray<string> =>
  [...Map.groupBy(all, ({ kind }) => kind)].map(([kind, group]) => {
    const first = group.slice(0, 1).map(LeftoverText.text).join("")
    return group.length === 1
      ? first
      : `${counted(group.length, kind)} may exist, listed in report.json; the first: ${first}`
  })

/**
 * Lists resources that may still be running and cost money, by id. A run that was stopped in time costs no more, so
 * only the report lists it.
 */
const leftovers = ({ leftovers: all = [] }: RunReport): ReadonlyArray<string> => {
  const left = all.filter(({ kind, state }) => state !== "over" && (state !== "stopped" || kind === "browser"))
  const identified = left.filter(({ state }) => state !== "unknown")
  const more = identified.length - mostLeft
  return [
    ...identified.slice(0, mostLeft).map((one) => `left     ${LeftoverText.text(one)}`),
    ...(more > 0 ? [`left     ${counted(more, "other thing")}: see leftovers in report.json`] : []),
    ...unknown(left.filter(({ state }) => state === "unknown")).map((sentence) => `left     ${sentence}`)
  ]
}

/** The cost that is not known. */
const spent = (report: RunReport): ReadonlyArray<string> => {
  const cost = InterruptedTrials.of(report)
  return cost === undefined ? [] : [`charged  ${InterruptedTrialsText.text(cost)}`]
}

/** Lists problems that would fail the run but don't, one line each. */
const notes = (report: RunReport, style: Style): ReadonlyArray<string> =>
  Findings.notesOf(report)
    .flatMap((finding) => noteText(finding) ?? [])
    .map((sentence) => style.faint(`note     ${sentence}`))

const mostCausesListed = 8

/** Lists the problems that fail the run, then the warnings, one line each. */
const causes = (report: RunReport, { style }: ConsoleOptions): ReadonlyArray<string> => {
  const lines = [
    ...Findings.errorsOf(report).map((finding) => [style.bad("✗"), finding] as const),
    ...Findings.warningsOf(report).map((finding) => [style.warning("!"), finding] as const)
  ].map(([mark, finding]) => `${mark} ${FindingText.brief(finding)}`)
  const more = lines.length - mostCausesListed
  return [...lines.slice(0, mostCausesListed), ...(more > 0 ? [`  and ${more} more, in the report`] : [])]
}

// the last lines are what is still there to read: statistics scroll away first, then how each cause came to be
const ending = (report: RunReport, options: ConsoleOptions): ReadonlyArray<string> => {
  const next = options.next(report)
  const statistics = [
    ...figures(report),
    ...HistoryLines.lines(report),
    ...Agreement.of(report)
      .filter(Agreement.isWrong)
      .map((pair) => `opinions ${AgreementText.text(pair)}`),
    ...reruns(report.results),
    ...notes(report, options.style)
  ]
  return [
    "",
    ...skips(report.results, options.style),
    ...statistics,
    ...(statistics.length === 0 ? [] : [""]),
    ...Explanation.all(report, options),
    ...causes(report, options),
    ...leftovers(report),
    ...spent(report),
    ...(options.reportPath === undefined ? [] : [`report   ${options.reportPath}`]),
    ...(next === undefined ? [] : [`next     ${next.replaceAll("\n", `\n${" ".repeat(9)}`)}`]),
    (options.isWritten?.() ?? true)
      ? summary(report, options.style)
      : options.style.bad(`NOT WRITTEN: the reports are incomplete (${RunText.passedText(report)})`)
  ]
}

/** Shows a run while it goes on, explains every failure, and ends with what happened and what to do next. */
export const make = (options: ConsoleOptions): Reporter => {
  let suites: ReadonlyArray<SuiteProgress.SuiteProgress> = []
  let drawn = 0
  let drawn_ms = Number.NEGATIVE_INFINITY
  let shown = 0
  let live = options.live
  let pace: Pace.Pace | undefined
  let printed_ms = 0

  const lineOf = (suite: SuiteProgress.SuiteProgress) =>
    SuiteProgress.line(suite, {
      nameWidth: Math.max(...suites.map(({ name }) => name.length), 14) + 1,
      bar: live,
      columns: live ? options.columns : Number.POSITIVE_INFINITY,
      style: options.style
    })

  const { logged: log = [] } = options
  const logged = () =>
    log
      .splice(0)
      .map((line) => `\u001B[2K${options.style.faint(line)}\n`)
      .join("")

  // the line below the suites is left when all is done
  const redraw = (now: number, isLast = false) => {
    const up = drawn === 0 ? "" : `\u001B[${drawn}A\r`
    const lines = suites.map((suite) => `\u001B[2K${lineOf(suite)}\n`).join("")
    const below =
      isLast || pace === undefined ? "" : options.style.faint(cut(Pace.line(pace, now), options.columns - 3))
    drawn = suites.length + 1
    drawn_ms = now
    return options.write(`${up}${logged()}${lines}\u001B[2K\n\u001B[2K${below === "" ? "\u001B[1A" : `  ${below}`}`)
  }

  // without a terminal a suite's line comes once, when it and all before it are done
  const flush = (now: number) => {
    const lines: Array<string> = [logged()].filter((text) => text !== "")
    for (let suite = suites[shown]; suite !== undefined && SuiteProgress.isDone(suite); suite = suites[shown]) {
      lines.push(`${lineOf(suite)}\n`)
      shown += 1
    }
    if (lines.length === 0 && (now - printed_ms < quiet_ms || pace === undefined)) return Effect.void
    printed_ms = now
    return options.write(lines.length > 0 || pace === undefined ? lines.join("") : `  ... ${Pace.line(pace, now)}\n`)
  }

  const progress = (now: number) => (live ? (now - drawn_ms < frame_ms ? Effect.void : redraw(now)) : flush(now))

  /** Writes a line of its own between the lines of suites. */
  const note = (text: string, now: number) => {
    if (!live) return options.write(`  ${text}\n`)
    log.push(`  ${text}`)
    return redraw(now)
  }

  /** Calls a handler with the time. */
  const timed =
    <A>(handle: (value: A, now: number) => Effect.Effect<void, PlatformError>) =>
    (value: A) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => handle(value, now))

  return {
    name: "console",
    onRunStarted: timed((header, now) => {
      suites = SuiteProgress.start(header)
      pace = Pace.start(header, now)
      printed_ms = now
      // what has scrolled away cannot be drawn again
      live = options.live && suites.length + 5 < options.rows
      return options.write(`${options.style.strong(headline(header))}\n${limitsOf(header)}\n`)
    }),
    onOutageStarted: timed(({ from, why }, now) =>
      note(
        `the service is unreachable since ${from.slice(11, 19)} UTC (${why}): no trial starts until it responds`,
        now
      )
    ),
    onOutageEnded: timed((outage, now) => note(OutageText.sentence(outage), now)),
    onScenarioStarted: timed(({ scenario, suite }, now) => {
      suites.find(({ name }) => name === suite)?.running.push(scenario)
      return progress(now)
    }),
    onTrialEnded: timed(({ trial }, now) => {
      if (pace !== undefined) Pace.add(pace, trial)
      return progress(now)
    }),
    onScenarioEnded: timed((result, now) => {
      const suite = suites.find(({ name }) => name === result.suite)
      suite?.results.push(result)
      if (pace !== undefined) pace.scenarios++
      suite?.running.splice(0, suite.running.length, ...suite.running.filter((name) => name !== result.name))
      return progress(now)
    }),
    onTick: timed((_: void, now) => (pace === undefined ? Effect.void : progress(now))),
    onRunEnded: timed(({ report }, now) => {
      // what a limit or a stop kept from running has had no event of its own
      for (const { name, results } of suites) {
        const reported = new Set(results.map((result) => result.name))
        results.push(...report.results.filter((result) => result.suite === name && !reported.has(result.name)))
      }
      pace = undefined
      const lines = live ? redraw(now, true) : flush(now)
      return Effect.andThen(lines, options.write(`${logged()}${ending(report, options).join("\n")}\n`))
    })
  }
}
