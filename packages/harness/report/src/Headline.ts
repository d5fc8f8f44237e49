import * as Schema from "effect/Schema"
import { type Cause, causesOf, mainCauseOf } from "./Cause.ts"
import * as Gate from "./Gate.ts"
import type { JudgedRow } from "./NightJudgement.ts"
import * as Onset from "./Onset.ts"
import * as Outage from "./Outage.ts"
import * as CutShort from "./CutShort.ts"
import type { RunReport } from "./RunReport.ts"
import { counted, signedPercent } from "@webagent/cli/Text"

/**
 * Status of a run: `red` fails it; `unusual` passes with a warning, because a figure is far outside its earlier nights.
 */
const Status = Schema.Literals(["red", "unusual", "green"])
export type Status = typeof Status.Type

/** One kind of thing that makes a run red, counted. */
interface Problem {
  readonly count: number
  /** Number of problems that are new tonight; undefined if no earlier night can show it. */
  readonly fresh: number | undefined
  /** `failure`, `browser leak`: what one of them is called. */
  readonly noun: string
  /** Text that replaces the count: `cost +97 %`. */
  readonly text?: string
}

const freshIn = (onsets: ReadonlyArray<Onset.Onset | undefined>): number | undefined =>
  onsets.every((onset) => onset === undefined)
    ? undefined
    : onsets.filter((onset) => Onset.ageOf(onset) === "new").length

const problem = (
  noun: string,
  onsets: ReadonlyArray<Onset.Onset | undefined>,
  count = onsets.length
): ReadonlyArray<Problem> => (count === 0 ? [] : [{ noun, count, fresh: freshIn(onsets) }])

const nouns: Readonly<Partial<Record<JudgedRow["figure"], string>>> = {
  duration: "slower scenario",
  cost: "costlier scenario"
}

/**
 * Display name of a figure. The run as a whole may take no longer even if scenarios do, because they run concurrently.
 */
export const figureName = ({ figure, scenario }: Pick<JudgedRow, "figure" | "scenario">): string =>
  scenario === null && figure === "duration" ? "scenario durations" : figure

/** Figures of the whole night in words, each once; figures of scenarios counted. */
const figuresOf = (rows: ReadonlyArray<JudgedRow>, kind: (row: JudgedRow) => string): ReadonlyArray<Problem> => {
  const whole = rows.filter(({ scenario }) => scenario === null)
  const each = Map.groupBy(
    rows.filter(({ scenario }) => scenario !== null),
    (row) => nouns[row.figure] ?? kind(row)
  )
  const onsets = (some: ReadonlyArray<JudgedRow>) => some.map(({ onset }) => onset)
  return [
    ...whole.flatMap((row) =>
      problem(kind(row), onsets([row])).map((one) =>
        row.figure === "pass rate"
          ? { ...one, text: `pass rate fell to ${row.now}` }
          : row.change === undefined
            ? one
            : { ...one, text: `${figureName(row)} ${signedPercent(row.change)}` }
      )
    ),
    ...[...each].flatMap(([noun, some]) => problem(noun, onsets(some)))
  ]
}

/** Counts the problems that fail a run by kind, the worst first. Empty exactly if the gate passes. */
export const problemsOf = (report: RunReport): ReadonlyArray<Problem> => {
  const groups = Map.groupBy(Gate.problems(report), ({ noun }) => noun)
  return [...groups].flatMap(([noun, group]) =>
    noun === "regression"
      ? figuresOf(
          group.flatMap(({ row }) => row ?? []),
          ({ figure }) => `${figure} regression`
        )
      : problem(
          noun,
          group.map(({ onset }) => onset),
          // of the whole run there is one, for whatever reasons
          group.every(({ sentence }) => sentence !== undefined) ? 1 : group.length
        )
  )
}

const textOf = ({ count, fresh, noun, text }: Problem): string =>
  text !== undefined
    ? text
    : fresh === undefined || fresh === 0
      ? counted(count, noun)
      : fresh === count
        ? `${count} new ${counted(count, noun).slice(String(count).length + 1)}`
        : `${counted(count, noun)} (${fresh} new)`

/** Figures far outside of their earlier nights that do not make a run red. */
const unusualOf = (report: RunReport): ReadonlyArray<Problem> =>
  figuresOf(Gate.unusual(report), (row) =>
    row.figure !== "pass rate" ? `unusual ${row.figure}` : Gate.isNew(row) ? "new flaky scenario" : "flakier scenario"
  ).map((one) => ({ ...one, fresh: undefined }))

/** Status of a run: failed if the gate fails, otherwise a warning if anything in it is unusual. */
export const statusOf = (report: RunReport): Status =>
  !Gate.of(report).green ? "red" : unusualOf(report).length > 0 ? "unusual" : "green"

/** `75 of 76 scenarios passed`: of those that were run. */
export const passedText = (report: RunReport): string => {
  const ran = report.results.filter(({ verdict }) => verdict !== "skipped")
  const passed = ran.filter(({ verdict }) => verdict === "passed").length
  if (ran.length === 0) return "no scenario was run"
  if (CutShort.cutShort(report).some(({ verdict }) => verdict === "skipped"))
    return `${passed} of ${counted(ran.length, "scenario")} that ran passed`
  return passed === ran.length && passed > 1
    ? `all ${passed} scenarios passed`
    : `${passed} of ${counted(ran.length, "scenario")} passed`
}

const mostWords = 8
// a longer error is below the title
const longestCause = 60

const oneCause = "1 cause"

/** The one cause of all failures, where a run is red for nothing else. */
const onlyCauseOf = (report: RunReport): Cause | undefined => {
  const keys = new Set(
    Gate.problems(report).map((problem) =>
      Gate.isFailing(problem) && problem.result !== undefined ? mainCauseOf(problem.result)?.key : undefined
    )
  )
  const [key] = keys
  return keys.size === 1 && key !== undefined ? causesOf(report).find((cause) => cause.key === key) : undefined
}

/** Counts resources that may still be running and cost money: `4 browsers still open`. */
const openOf = ({ leftovers = [] }: RunReport): ReadonlyArray<string> =>
  [
    ...Map.groupBy(
      leftovers.filter(({ state }) => state === "open"),
      ({ kind }) => kind
    )
  ].map(([kind, group]) => `${counted(group.length, kind)} still ${kind === "run" ? "running" : "open"}`)

/** Titles that say why, the fullest first: `4 new failures: login refused: account locked`, `4 failures, 1 cause`. */
const withCause = (report: RunReport, problems: ReadonlyArray<Problem>): ReadonlyArray<string> => {
  // what may go on and that a run is partial need the room
  if (openOf(report).length > 0 || CutShort.brief(report) !== undefined) return []
  const [one, ...others] = problems
  const cause = one === undefined || others.length > 0 ? undefined : onlyCauseOf(report)
  if (one === undefined || cause === undefined) return []
  const { service } = cause
  const texts = [textOf(one), textOf({ ...one, fresh: undefined })]
  return [
    ...(service === undefined || service.length > longestCause ? [] : texts.map((text) => `${text}: ${service}`)),
    ...(one.count === 1 ? [] : [`${textOf(one)}, ${oneCause}`])
  ]
}

const countOf = (problems: ReadonlyArray<Problem>): number => problems.reduce((sum, { count }) => sum + count, 0)

const wordsIn = (text: string): number => text.split(" ").length

const parts = (...all: ReadonlyArray<string | undefined>) => all.filter((part) => part !== undefined).join(" · ")

/** Everything else that makes a run red: outages have words of their own. */
const withoutOutages = (problems: ReadonlyArray<Problem>) => problems.filter(({ noun }) => noun !== "outage")

/**
 * A run without its status, in at most seven words after its outages: `2 new failures, 1 browser leak`,
 * `1 failure: The cart was empty.`, `service unreachable 02:10 to 02:31 UTC · 19 unreachable scenarios`.
 */
export const titleOf = (report: RunReport): string => {
  const status = statusOf(report)
  const outage = Outage.title(report)
  if (status === "green") return parts(outage, passedText(report))
  const problems = withoutOutages(status === "red" ? problemsOf(report) : unusualOf(report))
  if (problems.length === 0) return outage ?? ""
  // that something is new says less than what else there is
  const ageless = problems.map((one) => ({ ...one, fresh: undefined }))
  const titles = [
    ...(status === "red" ? withCause(report, problems) : []),
    problems.map(textOf).join(", "),
    ...ageless.map((_, index) => {
      const rest = ageless.slice(ageless.length - index)
      const others = rest.length === 0 ? [] : [counted(countOf(rest), "other problem")]
      return [...ageless.slice(0, ageless.length - index).map(textOf), ...others].join(", ")
    })
  ]
  return parts(outage, titles.find((title) => wordsIn(title) < mostWords) ?? counted(countOf(problems), "problem"))
}

/** The whole title: what may go on, and that the run is partial, are in it whatever else is. */
export const fullTitleOf = (report: RunReport): string => {
  const partial = CutShort.brief(report)
  if (partial === undefined) return parts(titleOf(report), ...openOf(report))
  // of a partial run, that the rest passed is no title
  return statusOf(report) === "green"
    ? parts(partial, ...openOf(report))
    : parts(titleOf(report), ...openOf(report), "partial")
}

/** Outcome of a run as stored in the history. */
export const Outcome = Schema.Struct({ status: Status, title: Schema.String })

/** Outcome of a run: its status and its title. */
export const outcomeOf = (report: RunReport): typeof Outcome.Type => ({
  status: statusOf(report),
  // that a night is partial, a history has by itself
  title: parts(titleOf(report), ...openOf(report))
})

/** A status at the begin of a line. */
export const words: Readonly<Record<Status, string>> = { red: "Red", unusual: "Unusual", green: "Green" }

/** A run in a line, for the end of its output: `RED: 1 new failure, 1 browser leak (75 of 76 scenarios passed)`. */
export const lastLineOf = (report: RunReport): string => {
  const status = statusOf(report)
  const passed = passedText(report)
  const problems = status === "red" ? problemsOf(report) : unusualOf(report)
  const [one] = problems
  const outage = Outage.title(report)
  // one failure has one cause
  const isShared = problems.length === 1 && one !== undefined && one.count > 1 && onlyCauseOf(report) !== undefined
  const what = [
    ...(outage === undefined ? [] : [outage]),
    ...withoutOutages(problems).map(textOf),
    ...(isShared ? [oneCause] : [])
  ].join(", ")
  const line = status === "green" ? `GREEN: ${parts(outage, passed)}` : `${status.toUpperCase()}: ${what} (${passed})`
  return parts(line, ...openOf(report), CutShort.text(report))
}
