import type {
  LastResult,
  NightFigure,
  NightFigures,
  NightsColumn,
  NightsMap,
  Trend,
  TrendPoint
} from "@webagent/harness-api"
import { absent, letterOf, verdictOf } from "@webagent/harness-api/NightCells"
import type { Entry } from "@webagent/nights/Quarantine"
import type { AffectedScenario, Finding } from "@webagent/report/Finding"
import type { Verdict } from "@webagent/report/Verdict"
import type { HistoryIndex, IndexedNight } from "./HistoryIndex.ts"

/** Only what a title needs: evidence and statistics are in the night itself. */
const slimScenario = ({ comparison, name, onset, suite, verdict }: AffectedScenario): AffectedScenario => ({
  suite,
  name,
  ...(verdict === undefined ? {} : { verdict }),
  ...(onset === undefined ? {} : { onset }),
  ...(comparison === undefined ? {} : { comparison: { ...comparison, contributors: [] } })
})

const slim = (finding: Finding): Finding => {
  const { kind, scenarios } = finding
  const cause = "cause" in kind && kind.cause !== null ? { cause: { ...kind.cause, text: "" } } : {}
  const comparison = "comparison" in kind ? { comparison: { ...kind.comparison, contributors: [] } } : {}
  return {
    ...finding,
    kind: { ...kind, ...cause, ...comparison } as Finding["kind"],
    scenarios: scenarios.map(slimScenario)
  }
}

/** The times in which the service was unreachable, as its findings tell them. */
const outagesOf = (findings: ReadonlyArray<Finding>): NightsColumn["outages"] => {
  const times = findings.flatMap(({ kind }): NightsColumn["outages"] =>
    kind._tag === "ServiceAway"
      ? [{ from: kind.outage.from, until: kind.outage.to }]
      : kind._tag === "Unreachable" && kind.outage !== null
        ? [{ from: kind.outage.from, until: kind.outage.until }]
        : []
  )
  // two findings may be about one outage
  return [...new Map(times.map((one) => [`${one.from} ${one.until}`, one])).values()]
}

const absentCode = absent.charCodeAt(0)

/** The most frequent of some numbers. */
const usualOf = (numbers: Iterable<number>): number => {
  const counts = new Map<number, number>()
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1)
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0] ?? 0
}

const decoder = new TextDecoder("latin1")

const columnOf = (night: IndexedNight, rows: number, run: string | undefined): NightsColumn => {
  const { head, leaks, letters, passed, planned, scored } = night
  const cells = new Uint8Array(rows).fill(absentCode)
  const present: Array<number> = []
  for (const [row, letter] of letters.entries()) {
    if (letter === 0) continue
    cells[row] = letter
    present.push(row)
  }
  const usual = usualOf(present.map((row) => scored[row] ?? 0))
  const { breaches, cost_usd, duration_ms, findings = [], fingerprint, id, partial, regressed = [] } = head
  const { revisions = {}, startedAt, status, tag } = head
  return {
    id,
    startedAt,
    duration_ms,
    cost_usd,
    status: status ?? null,
    findings: findings.filter(({ severity }) => severity !== "note").map(slim),
    partial: partial ?? null,
    isAway: tag === "service away",
    target: fingerprint.target,
    tool: fingerprint.tool,
    trials: fingerprint.trials,
    run: run ?? null,
    planned: { duration_ms: planned.duration_ms ?? null, cost_usd: planned.cost_usd },
    regressed: regressed.flatMap(({ figure, scenario }) => (scenario === null ? figure : [])),
    outages: outagesOf(findings),
    leaks,
    breaches,
    revisions,
    cells: decoder.decode(cells),
    usual,
    rates: present.flatMap((row) => {
      const [good = 0, all = 0] = [passed[row], scored[row]]
      return good === usual && all === usual ? [] : [[row, good, all] as const]
    })
  }
}

/** Facts about a scenario from suites and quarantine. */
export interface ScenarioFacts {
  readonly tags: ReadonlyArray<string>
  readonly owner: string | null
  readonly quarantine: Entry | null
}

/** Options of the heat map. */
interface MapOptions {
  /** Number of latest nights. */
  readonly last: number
  readonly factsOf: (suite: string, name: string) => ScenarioFacts
  /** The id of a night's run, if its report can be shown. */
  readonly runOf: (night: IndexedNight) => string | undefined
}

/** The latest nights, and the rows that one of them has. */
const shownOf = ({ nights: all, rows }: HistoryIndex, last: number) => {
  const nights = all.slice(-last)
  const used = rows.flatMap((_, index) => (nights.some(({ letters }) => (letters[index] ?? 0) > 0) ? [index] : []))
  return { nights, used }
}

/** Rounded to a tenth of a millisecond: enough to draw. */
const brief = (number: number) => Math.round(number * 10) / 10

/** A figure of each scenario of the map by night. */
export const figuresOf = (index: HistoryIndex, figure: NightFigure, last: number): NightFigures => {
  const { nights, used } = shownOf(index, last)
  return {
    nights: nights.map(({ head }) => head.id),
    rows: used.map((row) => {
      const figures = nights.map(({ cost_usd, median_ms }) =>
        figure === "duration" ? brief(median_ms[row] ?? 0) : (cost_usd[row] ?? 0)
      )
      return figures.some((one) => one > 0) ? figures : []
    })
  }
}

/** The scenarios of the latest nights by night: rows that none of them has are left out. */
export const mapOf = (index: HistoryIndex, { factsOf, last, runOf }: MapOptions): NightsMap => {
  const { nights: all, problems, rows: everyRow } = index
  const { nights, used } = shownOf(index, last)
  const pick = (night: IndexedNight): IndexedNight => ({
    ...night,
    letters: Uint8Array.from(used, (row) => night.letters[row] ?? 0),
    passed: Uint32Array.from(used, (row) => night.passed[row] ?? 0),
    scored: Uint32Array.from(used, (row) => night.scored[row] ?? 0)
  })
  const isWhole = used.length === everyRow.length
  return {
    rows: used.flatMap((index) => {
      const row = everyRow[index]
      return row === undefined ? [] : [{ ...row, ...factsOf(row.suite, row.name) }]
    }),
    nights: nights.map((night) => columnOf(isWhole ? night : pick(night), used.length, runOf(night))),
    total: all.length,
    problems
  }
}

/** A scenario over time. */
export const trendOf = ({ nights, rows }: HistoryIndex, suite: string, name: string): Trend | undefined => {
  const row = rows.findIndex((one) => one.suite === suite && one.name === name)
  if (row < 0) return undefined
  return {
    scenario: { suite, name },
    points: nights.flatMap(({ cost_usd, head, letters, median_ms, passed, scored }): ReadonlyArray<TrendPoint> => {
      const letter = letters[row] ?? 0
      if (letter === 0) return []
      const duration = median_ms[row] ?? 0
      return [
        {
          night: head.id,
          startedAt: head.startedAt,
          verdict: verdictOf(String.fromCharCode(letter)) ?? null,
          passed: passed[row] ?? 0,
          scored: scored[row] ?? 0,
          duration_ms: duration === 0 ? null : duration,
          cost_usd: cost_usd[row] ?? 0
        }
      ]
    })
  }
}

const countOf = (letters: Uint8Array, verdict: Verdict) => {
  const code = letterOf(verdict).charCodeAt(0)
  return letters.reduce((count, letter) => (letter === code ? count + 1 : count), 0)
}

const wholeOf = ({ leaks, letters, planned: { requests } }: IndexedNight) => ({
  ran: letters.reduce((count, letter) => (letter === 0 ? count : count + 1), 0) - countOf(letters, "skipped"),
  passed: countOf(letters, "passed"),
  flaky: countOf(letters, "flaky"),
  leaks,
  requests
})

const sum = (numbers: Uint32Array) => numbers.reduce((total, number) => total + number, 0)

/** The whole nights over time, without extra trials: other nights don't have these. */
export const wholeTrend = ({ nights }: HistoryIndex): Trend => ({
  scenario: null,
  points: nights.map((night) => ({
    night: night.head.id,
    startedAt: night.head.startedAt,
    verdict: null,
    passed: sum(night.passed),
    scored: sum(night.scored),
    duration_ms: night.planned.duration_ms ?? null,
    cost_usd: Number(night.planned.cost_usd),
    whole: wholeOf(night)
  }))
})

/** The latest result of a scenario in a recorded night. */
export const lastOf = (
  { nights, rows }: HistoryIndex,
  runOf: MapOptions["runOf"]
): ((suite: string, name: string) => LastResult | undefined) => {
  const rowOf = new Map(rows.map(({ name, suite }, index) => [JSON.stringify([suite, name]), index]))
  return (suite, name) => {
    const row = rowOf.get(JSON.stringify([suite, name]))
    if (row === undefined) return undefined
    const night = nights.findLast(({ letters }) => (letters[row] ?? 0) > 0)
    const verdict = night && verdictOf(String.fromCharCode(night.letters[row] ?? 0))
    if (night === undefined || verdict === undefined) return undefined
    return {
      verdict,
      passed: night.passed[row] ?? 0,
      scored: night.scored[row] ?? 0,
      at: night.head.startedAt,
      run: runOf(night) ?? null
    }
  }
}
