import { least } from "@webagent/nights/Past"
import * as Gate from "@webagent/report/Gate"
import * as Headline from "@webagent/report/Headline"
import * as Confirmed from "@webagent/report/Confirmed"
import type { JudgedRow, NightJudgement } from "@webagent/report/NightJudgement"
import type { RunReport } from "@webagent/report/RunReport"
import { counted, signedPercent } from "@webagent/cli/Text"

const reach = (rows: ReadonlyArray<JudgedRow>): string => {
  const seen = (["pass rate", "duration", "cost"] as const).flatMap((figure) => {
    const row = rows.find((row) => row.scenario === null && row.figure === figure)
    if (row === undefined || row.detectable === null) return []
    return [`${figure} ${row.detectable}${figure === "pass rate" ? " lower" : ""}`]
  })
  return seen.length === 0 ? "" : `. Smallest detectable change: ${seen.join(", ")}`
}

/** A figure with what it is of; that of the whole night's durations is called as in titles. */
const figureText = (row: JudgedRow): string => {
  const { figure, scenario } = row
  if (scenario !== null) return `${figure} of ${scenario.suite} › ${scenario.name}`
  return figure === "duration" ? Headline.figureName(row) : `${figure} of the whole night`
}

/** The first few of the figures, by what they are of. */
const named = (rows: ReadonlyArray<JudgedRow>): string => {
  const names = rows.slice(0, mostNamed).map(figureText)
  return [...names, ...(rows.length > mostNamed ? ["…"] : [])].join(", ")
}

const mostNamed = 3

/** True if no figures were compared. Leaked browsers don't count, because they need no earlier nights. */
const isUncompared = ({ rows, verdict }: NightJudgement): boolean =>
  verdict === "not enough data" ||
  (rows.length > 0 && rows.every((row) => row.figure === "leaked browsers" || row.verdict === "not enough data"))

const notCounted = ({ passedOver }: NightJudgement): string =>
  passedOver.length === 0 ? "" : ` (${passedOver.map(({ nights, why }) => `${nights} not counted: ${why}`).join("; ")})`

const judged = (report: RunReport, judgement: NightJudgement): string => {
  const { nights, rows } = judgement
  const known = `${counted(nights, "night")}${notCounted(judgement)}`
  if (isUncompared(judgement))
    return `history  compared with ${known}: not enough data. ${least} earlier nights ${nights < least ? "" : "of the same scenarios and code "}are needed; each run with --record adds one.`
  const problems = Gate.problems(report)
  const unusual = Gate.unusual(report).length
  const worse = problems.filter(({ row }) => row?.verdict === "regressed").length
  const better = rows.filter((row) => row.verdict === "improved")
  const changed = [
    ...(worse === 0 ? [] : [counted(worse, "regression")]),
    ...(better.length === 0 ? [] : [`${counted(better.length, "improvement")} (${named(better)})`]),
    ...(unusual === 0 ? [] : [counted(unusual, "unusual figure")])
  ]
  if (changed.length > 0) return `history  compared with ${known}: ${changed.join(", ")}`
  // what is red without it is said below
  const other = problems.length === 0 ? "" : "other "
  return `history  compared with ${known}: no evidence of ${other}change${reach(rows)}`
}

/** A row in one line: the smallest detectable change is in the statistics. */
export const rowText = (row: JudgedRow): string => `${figureText(row)}: ${row.evidence.split(";")[0]}`

/** The whole night's figures beside what they usually are; undefined where it was not compared. */
export const compared = ({ judgement }: RunReport): string | undefined => {
  if (judgement === undefined || isUncompared(judgement)) return undefined
  const figures = judgement.rows.flatMap((row) => {
    const { before, change, figure, now, scenario } = row
    if (scenario !== null || row.verdict === "not enough data") return []
    if (figure === "pass rate") return [`${figure} ${now}, usually ${before}`]
    return change === undefined ? [] : [`${Headline.figureName(row)} ${signedPercent(change)}`]
  })
  return figures.length === 0
    ? undefined
    : `Compared with ${counted(judgement.nights, "night")}: ${figures.join("; ")}.`
}

/** That a night was not compared, as too few others are known; undefined where it was, or no history was given. */
export const uncompared = ({ judgement }: Pick<RunReport, "judgement">): string | undefined => {
  if (judgement === undefined || !isUncompared(judgement)) return undefined
  const { nights } = judgement
  const which = nights < least ? "" : " of the same scenarios and code"
  return `Not compared with earlier nights: ${least}${which} are needed${nights < least ? `, and ${counted(nights, "night")} ${nights === 1 ? "is" : "are"} known${notCounted(judgement)}` : ""}. Each run with --record adds one.`
}

/** Lines about confirm trials, the comparison with earlier nights and its differences, and scenarios that may leave quarantine. */
export const lines = (report: RunReport): ReadonlyArray<string> => {
  const { judgement, proposals = [] } = report
  const confirmed = Confirmed.summary(report)
  return [
    ...(confirmed === undefined ? [] : [`confirm  ${confirmed}`]),
    ...(judgement === undefined
      ? []
      : [judged(report, judgement), ...judgement.differences.map((difference) => `         ${difference}`)]),
    ...proposals.map(
      ({ evidence, owner, scenario, suite }) =>
        `release  ${suite} › ${scenario} (${owner}): ${evidence}. Remove it from quarantine.`
    )
  ]
}
