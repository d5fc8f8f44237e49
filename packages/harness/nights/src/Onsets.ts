import type { Figure } from "@webagent/report/Comparison"
import type { RunRevision } from "@webagent/report/Revision"
import { partialOf } from "@webagent/report/CutShort"
import { ofRunKey } from "@webagent/report/Finding"
import type { Onset } from "@webagent/report/Onset"
import { isSerious } from "@webagent/report/Outage"
import { breachesOf, leakedBrowsersOf, type RunReport, type ScenarioResult } from "@webagent/report/RunReport"
import type { Verdict } from "@webagent/report/Verdict"
import { keyOf, type Night, type NightScenario, targetOf } from "./Night.ts"
import { figureKey, type Of, scenariosOf } from "./Past.ts"

/** Status of a problem in one earlier night: whether it existed, and since when. */
interface Said {
  readonly since: string
  readonly isSo: boolean
}

type RevisionAt = (startedAt: string) => RunRevision | undefined

/** The code of the last night without a problem, and of the first one with it. */
const changeOf = (since: string, before: ReadonlyArray<string>, revisionAt: RevisionAt): Pick<Onset, "change"> => {
  const last = before.find((startedAt) => startedAt < since)
  const [good, bad] = [last === undefined ? undefined : revisionAt(last), revisionAt(since)]
  // a version of the harness alone is in every history
  const isKnown = [good, bad].some(
    (one) => one !== undefined && (one.suites ?? one.harness ?? one.service) !== undefined
  )
  return good === undefined || bad === undefined || !isKnown ? {} : { change: { good, bad } }
}

/** Since when it is so, by the nights before, the newest first. */
const spellOf = (startedAt: string, before: ReadonlyArray<Said>, revisionAt: RevisionAt): Onset => {
  const end = before.findIndex(({ isSo }) => !isSo)
  const spell = end < 0 ? before : before.slice(0, end)
  const rest = before.slice(spell.length)
  const between = rest.findIndex(({ isSo }) => isSo)
  const since = spell.reduce((first, { since }) => (since < first ? since : first), startedAt)
  return {
    since,
    nights: spell.length + 1,
    known: before.length,
    ...(between < 0 ? {} : { between }),
    ...changeOf(
      since,
      rest.map((one) => one.since),
      revisionAt
    )
  }
}

type Grade = "well" | "flaky" | "fails" | "infra" | "unscored"

const grades: Readonly<Record<Verdict, Grade | undefined>> = {
  passed: "well",
  flaky: "flaky",
  failed: "fails",
  claimed: "fails",
  infra: "infra",
  unscored: "unscored",
  skipped: undefined
}

type Before = ReadonlyArray<{ readonly night: Night; readonly its: NightScenario }>

/** In this share of the nights it is flaky so often that the last passing nights say little. */
const often = 0.2

/** Since when its trials do not pass. A night in which the service was away says nothing of a scenario that fails. */
const ofTrials = (
  { verdict }: ScenarioResult,
  startedAt: string,
  before: Before,
  revisionAt: RevisionAt
): Onset | undefined => {
  const tonight = grades[verdict]
  if (tonight === undefined || tonight === "well") return undefined
  const graded = before.flatMap(({ its, night }) => {
    const grade = grades[its.verdict]
    return grade === undefined ? [] : [{ since: night.startedAt, grade }]
  })
  if (tonight === "infra" || tonight === "unscored") {
    return spellOf(
      startedAt,
      graded.map(({ grade, since }) => ({ since, isSo: grade === tonight })),
      revisionAt
    )
  }
  const scored = graded.filter(({ grade }) => grade !== "infra" && grade !== "unscored")
  const onset = spellOf(
    startedAt,
    scored.map(({ grade, since }) => ({ since, isSo: grade !== "well" })),
    revisionAt
  )
  const spell = scored.slice(0, onset.nights - 1)
  const flaky = scored.filter(({ grade }) => grade === "flaky").length
  // that it fails in every trial is news of what was flaky
  if (tonight === "fails" && spell.length > 0 && spell.every(({ grade }) => grade === "flaky"))
    return {
      since: startedAt,
      nights: 1,
      known: onset.known,
      flaky,
      ...changeOf(
        startedAt,
        spell.map(({ since }) => since),
        revisionAt
      )
    }
  if (onset.between === undefined) return onset
  return { ...onset, green: true, ...(flaky > 1 && flaky >= often * scored.length ? { flaky } : {}) }
}

/** Since when it breaks what must always hold, or leaves browsers open. */
const ofInvariants = (
  result: ScenarioResult,
  startedAt: string,
  before: Before,
  revisionAt: RevisionAt
): Onset | undefined => {
  const isClean = leakedBrowsersOf(result).length + breachesOf(result).length === 0
  if (isClean) return undefined
  return spellOf(
    startedAt,
    before.map(({ its, night }) => ({ since: night.startedAt, isSo: its.breaches + its.leaks > 0 })),
    revisionAt
  )
}

/** Since when the nights say that a figure is worse. */
const ofFigure = (
  figure: Figure,
  of: Of,
  startedAt: string,
  nights: ReadonlyArray<Night>,
  revisionAt: RevisionAt
): Onset => {
  const key = figureKey(figure, of)
  const comparable = nights.filter(
    (night) => night.partial === undefined && (of === null || scenariosOf(night).has(keyOf(of.suite, of.name)))
  )
  return spellOf(
    startedAt,
    comparable.map((night) => {
      const row = night.regressed?.find(({ figure, scenario }) => figureKey(figure, scenario) === key)
      return { since: row?.since ?? night.startedAt, isSo: row !== undefined }
    }),
    revisionAt
  )
}

/** Problems of a whole run without a figure, by the key of their finding: true if the run has it. */
const problemsOfRun: Readonly<Record<string, (report: RunReport) => boolean>> = {
  ServiceAway: ({ outages = [] }) => outages.some(isSerious),
  "Incomplete LostShards": ({ shards: [first, ...others] = [] }) => first !== undefined && 1 + others.length < first.of,
  "Incomplete TooManyUnreachable": (report) => partialOf(report)?._tag === "Infra"
}

/** Since when problems of the whole run have been so, by the findings of its nights. A part of the scenarios says nothing. */
const ofRun = (report: RunReport, nights: ReadonlyArray<Night>, revisionAt: RevisionAt): Pick<RunReport, "onsets"> => {
  const whole = nights.filter(({ findings, partial }) => findings !== undefined && partial?._tag !== "Selection")
  const keys = Object.keys(problemsOfRun).filter((key) => problemsOfRun[key]?.(report) === true)
  if (whole.length === 0 || keys.length === 0) return {}
  const before = whole.map(({ findings = [], startedAt }) => ({
    since: startedAt,
    keys: findings.flatMap((finding) => (finding.severity === "error" ? ofRunKey(finding) : []))
  }))
  return {
    onsets: Object.fromEntries(
      keys.map((key) => [
        key,
        spellOf(
          report.header.startedAt,
          before.map(({ keys, since }) => ({ since, isSo: keys.includes(key) })),
          revisionAt
        )
      ])
    )
  }
}

/** A report in which all that is wrong says since when it is so; one before which no night is known is as it was. */
export const mark = (report: RunReport, past: ReadonlyArray<Night>): RunReport => {
  const { startedAt } = report.header
  const target = targetOf(report)
  const nights = past
    .filter((night) => night.fingerprint.target === target && night.startedAt < startedAt)
    .toSorted((a, b) => (a.startedAt < b.startedAt ? 1 : -1))
  if (nights.length === 0) return report
  const { judgement } = report
  const tonight: RunRevision = { ...report.header.revisions, startedAt, tool: report.header.tool.version }
  const earlier = new Map(
    nights.map(({ fingerprint, revisions, startedAt }) => [
      startedAt,
      { ...revisions, startedAt, tool: fingerprint.tool } satisfies RunRevision
    ])
  )
  const revisionAt: RevisionAt = (at) => (at === startedAt ? tonight : earlier.get(at))
  return {
    ...report,
    ...ofRun(report, nights, revisionAt),
    results: report.results.map((result): ScenarioResult => {
      const key = keyOf(result.suite, result.name)
      const before = nights.flatMap((night) => {
        const its = scenariosOf(night).get(key)
        return its === undefined ? [] : [{ night, its }]
      })
      const trials = ofTrials(result, startedAt, before, revisionAt)
      const invariants = ofInvariants(result, startedAt, before, revisionAt)
      const { onset: _, ...rest } = result
      if (trials === undefined && invariants === undefined) return rest
      const onset = { ...(trials && { trials }), ...(invariants && { invariants }) }
      return { ...rest, onset }
    }),
    ...(judgement === undefined
      ? {}
      : {
          judgement: {
            ...judgement,
            rows: judgement.rows.map((row) =>
              row.verdict === "regressed"
                ? { ...row, onset: ofFigure(row.figure, row.scenario, row.since, nights, revisionAt) }
                : row
            )
          }
        })
  }
}
