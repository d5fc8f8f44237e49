import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { relative, resolve } from "node:path"
import { type Finding, isOfRun } from "@webagent/report/Finding"
import type { RunReport, ScenarioResult } from "@webagent/report/RunReport"
import * as Findings from "@webagent/findings/Findings"
import * as ContributionText from "@webagent/findings/words/ContributionText"
import * as FindingText from "@webagent/findings/words/FindingText"
import * as FailureFacts from "./FailureFacts.ts"
import * as MarkdownReporter from "./MarkdownReporter.ts"
import { defineReporter } from "./Reporter.ts"
import { isSet, terminal, variable } from "@webagent/cli/Terminal"

const longestAnnotation = 4000

// GitHub shows no more errors of one step
const mostAnnotations = 10

const data = (value: string) => value.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A")

const property = (value: string) => data(value).replaceAll(":", "%3A").replaceAll(",", "%2C")

/**
 * Place of a GitHub annotation: the failed check, or the suite's file if there is no check; empty outside the
 * repository.
 */
const placeOf = (result: ScenarioResult | undefined, { header }: RunReport, root: string): string => {
  const { file, line } = FailureFacts.placeOf(result?.failure)
  const path = file ?? header.suites.find(({ name }) => name === result?.suite)?.argument
  const inside = path === undefined ? ".." : relative(root, resolve(path))
  if (inside.startsWith("..")) return ""
  return `file=${property(inside)},${line === undefined ? "" : `line=${line},`}`
}

/** One annotation: a scenario of a finding, or the finding as a whole. */
interface Mark {
  readonly place: string
  readonly what: string
  readonly age: string | undefined
  readonly lines: ReadonlyArray<string>
  /** The scenarios of the finding, unless the mark is one of them. */
  readonly names: ReadonlyArray<string>
  readonly result: ScenarioResult | undefined
}

type ResultOf = ReturnType<typeof Findings.resultsByName>

const ownedBy = (owner: string | undefined) => (owner === undefined ? [] : [`owner ${owner}`])

/** Scenarios that fail are one mark each; those that one outage kept from being scored are one together. */
const marksOf = (finding: Finding, resultOf: ResultOf): ReadonlyArray<Mark> => {
  const text = FindingText.describe(finding)
  const { age, evidence, owner, place, scenarios, shared, what } = text
  const isFailing =
    !isOfRun(finding) &&
    finding.scenarios.some(
      (one) => resultOf(one)?.failure !== undefined && one.verdict !== "infra" && shared !== undefined
    )
  if (!isFailing) {
    const lines = [evidence, ...ContributionText.line(text.contribution), ...ownedBy(owner)]
    const names = shared === undefined ? [] : scenarios.map(({ title }) => title)
    return [{ place, what, age, lines, names, result: resultOf(finding.scenarios[0]) }]
  }
  return scenarios.map((one, index) => ({
    place: one.title,
    what,
    age: one.age,
    lines: [`${one.evidence} (${shared})`, ...ownedBy(finding.scenarios[index]?.owner)],
    names: [],
    result: resultOf(one)
  }))
}

/** GitHub's commands that mark a run: an error for each scenario that fails, and for each other finding. */
export const annotations = (report: RunReport, root = process.cwd()): ReadonlyArray<string> => {
  const resultOf = Findings.resultsByName(report)
  const all = Findings.errorsOf(report).map((finding) => marksOf(finding, resultOf))
  // the first mark of each finding, then the others: if there are too many, each cause is among those shown
  const marks = [...all.flatMap((some) => some.slice(0, 1)), ...all.flatMap((some) => some.slice(1))]
  // one scenario may both fail and leak
  const groups = [...Map.groupBy(marks, (mark) => (mark.names.length === 0 ? mark.place : mark)).values()]
  const more = groups.length - mostAnnotations
  return groups.slice(0, mostAnnotations).flatMap((group, index) => {
    const [first] = group
    if (first === undefined) return []
    const rest = index === mostAnnotations - 1 && more > 0 ? [`and ${more} more: see report.html.`] : []
    const text = [...new Set(group.flatMap(({ lines }) => lines)), ...first.names, ...rest]
      .join("\n")
      .slice(0, longestAnnotation)
    const what = [...new Set(group.map((mark) => mark.what))].join(", ")
    const heading = `${first.place}: ${what}${first.age === undefined ? "" : ` (${first.age})`}`
    return [`::error ${placeOf(first.result, report, root)}title=${property(heading)}::${data(text)}`]
  })
}

/** A warning for each unusual figure. */
export const warnings = (report: RunReport): ReadonlyArray<string> =>
  Findings.warningsOf(report)
    .slice(0, mostAnnotations)
    .map(FindingText.describe)
    .map(
      ({ evidence, owner, place, what }) =>
        `::warning title=${property(`${place}: ${what}`)}::${data([evidence, ...ownedBy(owner)].join("\n"))}`
    )

/**
 * Adds the report to the summary of a GitHub job, and marks each scenario that fails the run. Outside of GitHub Actions,
 * it writes nothing.
 */
export const github = defineReporter({
  name: "github",
  make: ({ commands: { program }, ignoring, page, reap, replay }) => ({
    onRunEnded: Effect.fnUntraced(function* ({ report }) {
      const jobSummary = yield* variable("GITHUB_STEP_SUMMARY")
      if (jobSummary !== undefined) {
        // a summary on GitHub cannot link to a file of the job
        const summary = MarkdownReporter.render(report, replay, {
          ignoring,
          program,
          page: page && `\`${page}\``,
          reap: reap(report)
        })
        yield* FileSystem.FileSystem.use((fs) => fs.writeFileString(jobSummary, `${summary}\n`, { flag: "a" }))
      }
      if (!(yield* isSet("GITHUB_ACTIONS"))) return
      const { write } = yield* terminal
      const root = yield* variable("GITHUB_WORKSPACE")
      for (const command of [...annotations(report, root), ...warnings(report)]) yield* write(`${command}\n`)
    })
  })
})
