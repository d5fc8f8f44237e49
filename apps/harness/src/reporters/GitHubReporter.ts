import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { relative, resolve } from "node:path"
import type { RunReport } from "@webagent/report/RunReport"
import * as Attention from "./Attention.ts"
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
const placeOf = (result: Attention.Item["result"], { header }: RunReport, root: string): string => {
  const { file, line } = FailureFacts.placeOf(result?.failure)
  const path = file ?? header.suites.find(({ name }) => name === result?.suite)?.argument
  const inside = path === undefined ? ".." : relative(root, resolve(path))
  if (inside.startsWith("..")) return ""
  return `file=${property(inside)},${line === undefined ? "" : `line=${line},`}`
}

/** Scenarios that fail are one each; those that one outage kept from being scored are one together. */
const marksOf = (finding: Attention.Finding): ReadonlyArray<Attention.Finding> => {
  const isFailing = finding.items.some(({ result }) => result?.failure !== undefined && result.verdict !== "infra")
  if (!isFailing) return [finding]
  const shared = Attention.shared(finding)
  return finding.items.map((item) => ({
    ...item,
    evidence: shared === undefined ? item.evidence : `${item.evidence} (${shared})`,
    items: [item]
  }))
}

/** The first mark of each finding, then the others: where there are too many, each cause is among those shown. */
const byCause = (findings: ReadonlyArray<Attention.Finding>): ReadonlyArray<Attention.Finding> => {
  const marks = findings.map(marksOf)
  return [...marks.flatMap((all) => all.slice(0, 1)), ...marks.flatMap((all) => all.slice(1))]
}

/** GitHub's commands that mark a run: an error for each scenario that fails, and for each other finding. */
export const annotations = (report: RunReport, root = process.cwd()): ReadonlyArray<string> => {
  const marks = byCause(Attention.findings(report))
  // one scenario may both fail and leak
  const groups = [...Map.groupBy(marks, ({ items, title }) => (items.length === 1 ? title : items)).values()]
  const more = groups.length - mostAnnotations
  return groups.slice(0, mostAnnotations).flatMap((group, index) => {
    const [first] = group
    if (first === undefined) return []
    const age = Attention.age(first)
    const names = first.items.length === 1 ? [] : first.items.map(({ title }) => title)
    const rest = index === mostAnnotations - 1 && more > 0 ? [`and ${more} more: see report.html.`] : []
    const text = [...group.flatMap((mark) => [mark.evidence, ...Attention.whyLine(mark)]), ...names, ...rest]
      .join("\n")
      .slice(0, longestAnnotation)
    const what = [...new Set(group.map((mark) => mark.what))].join(", ")
    const heading = `${first.title}: ${what}${age === undefined ? "" : ` (${age})`}`
    return [`::error ${placeOf(first.items[0]?.result, report, root)}title=${property(heading)}::${data(text)}`]
  })
}

/** The same for what is unusual: a warning each. */
export const warnings = (report: RunReport): ReadonlyArray<string> =>
  Attention.unusual(report)
    .slice(0, mostAnnotations)
    .map(({ evidence, title, what }) => `::warning title=${property(`${title}: ${what}`)}::${data(evidence)}`)

/**
 * Adds the report to the summary of a GitHub job, and marks each scenario that fails the run. Outside of GitHub Actions,
 * it writes nothing.
 */
export const github = defineReporter({
  name: "github",
  make: ({ page, reap, replay }) => ({
    onRunEnded: Effect.fnUntraced(function* ({ report }) {
      const jobSummary = yield* variable("GITHUB_STEP_SUMMARY")
      if (jobSummary !== undefined) {
        // a summary on GitHub cannot link to a file of the job
        const summary = MarkdownReporter.render(report, replay, page && `\`${page}\``, reap(report))
        yield* FileSystem.FileSystem.use((fs) => fs.writeFileString(jobSummary, `${summary}\n`, { flag: "a" }))
      }
      if (!(yield* isSet("GITHUB_ACTIONS"))) return
      const { write } = yield* terminal
      const root = yield* variable("GITHUB_WORKSPACE")
      for (const command of [...annotations(report, root), ...warnings(report)]) yield* write(`${command}\n`)
    })
  })
})
