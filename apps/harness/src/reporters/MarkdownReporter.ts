import * as SkipText from "@webagent/findings/words/SkipText"
import * as Effect from "effect/Effect"
import { type Finding, statusOf } from "@webagent/report/Finding"
import * as Findings from "@webagent/findings/Findings"
import * as FindingText from "@webagent/findings/words/FindingText"
import * as HistoryLines from "@webagent/findings/words/HistoryLines"
import { notRun } from "@webagent/findings/words/Notes"
import * as RunText from "@webagent/findings/words/RunText"
import { statusWords } from "@webagent/findings/words/Title"
import * as CutShort from "@webagent/report/CutShort"
import type { RunReport, ScenarioResult } from "@webagent/report/RunReport"
import { isOpen } from "@webagent/report/Trial"
import * as FailureFacts from "./FailureFacts.ts"
import * as FileReporter from "./FileReporter.ts"
import type { Replay } from "./Reporter.ts"
import { median } from "@webagent/statistics/Robust"
import { counted, duration } from "@webagent/cli/Text"
import { basename, dirname, relative } from "node:path"
import * as UsageText from "@webagent/findings/words/UsageText"

/** Maximum size of a job summary, in bytes. GitHub shows no part of a longer one. */
export const most = 1024 * 1024

// two kilobytes for what says that something is missing
const room = most - 2048

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }

/** Text that Markdown shows as it is, also in a cell of a table. */
const escape = (text: string): string =>
  text
    .replaceAll(/\s+/gu, " ")
    .replaceAll(/[&<>]/gu, (character) => entities[character] ?? character)
    .replaceAll(/[\\`*_{}[\]()#+!|~@:-]/gu, (character) => `&#${character.codePointAt(0)};`)

// the longest run of backticks inside decides how many stand around
const block = (text: string) => {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([ticks]) => ticks.length))
  const fence = "`".repeat(longest + 1)
  return `${fence}text\n${text}\n${fence}`
}

const factsOf = (result: ScenarioResult | undefined, replay: Replay): ReadonlyArray<string> => {
  const failure = result?.failure
  return [
    ...(failure === undefined ? [] : [failure.message, ...FailureFacts.lines(failure)]),
    ...(result === undefined ? [] : [`replay    ${replay(result)}`])
  ]
}

// the page has the rest
const mostNamed = 200

type ResultOf = ReturnType<typeof Findings.resultsByName>

/** All scenarios of one cause, and how the first of them failed. */
const detailsOf = (finding: Finding, resultOf: ResultOf, replay: Replay): string => {
  const { place, scenarios, what } = FindingText.describe(finding)
  const facts = factsOf(resultOf(finding.scenarios[0]), replay)
  if (finding.scenarios.length < 2) {
    if (facts.length === 0) return ""
    return `<details><summary>${escape(place)}</summary>\n\n${block(facts.join("\n"))}\n\n</details>\n`
  }
  const names = scenarios.slice(0, mostNamed).map(({ title }) => title)
  const more = scenarios.length - names.length
  const all = block([...names, ...(more === 0 ? [] : [`and ${more} more: see report.html`])].join("\n"))
  return `<details><summary>${escape(`${place}: ${what}`)}</summary>\n\n${all}\n\nThe first:\n\n${block(facts.join("\n"))}\n\n</details>\n`
}

const bytes = (text: string) => Buffer.byteLength(text)

/** As many of the texts as there is room for, and how many bytes they take. */
const fitting = (texts: ReadonlyArray<string>, room: number): readonly [ReadonlyArray<string>, number] => {
  let left = room
  let taken = 0
  for (const text of texts) {
    left -= bytes(text) + 1
    if (left < 0) break
    taken++
  }
  return [texts.slice(0, taken), texts.slice(0, taken).reduce((sum, text) => sum + bytes(text) + 1, 0)]
}

const missing = (count: number, noun: string) =>
  count === 0 ? [] : [`\n${counted(count, noun)} more: see report.html.\n`]

const row = (result: ScenarioResult): string => {
  const ran = result.trials.filter(({ verdict }) => verdict !== "skipped")
  const passed = ran.filter(({ verdict }) => verdict === "passed").length
  const unrun = result.trials.length - ran.length
  const trials = result.trials.length === 0 ? "" : `${passed}/${ran.length}${unrun === 0 ? "" : `, ${unrun} not run`}`
  const time = ran.length === 0 ? "" : duration(median(ran.map(({ duration_ms }) => duration_ms)))
  const note =
    result.quarantine === undefined
      ? (SkipText.reasonOf(result) ?? "")
      : `quarantined until ${result.quarantine.expires}`
  return `| ${escape(result.suite)} | ${escape(result.name)} | ${result.verdict} | ${trials} | ${time} | ${escape(note)} |`
}

const mostInRow = 3

/** Which scenarios a finding is about, or how many and the first of them. */
const placesOf = ({ place, scenarios }: FindingText.FindingText): string => {
  if (scenarios.length < 2) return place
  const names = scenarios.slice(0, mostInRow).map(({ title }) => title)
  return `${place}: ${names.join(", ")}${scenarios.length > mostInRow ? ", …" : ""}`
}

const mostOpen = 8

/** Lists resources that may still be running and cost money, with the command that stops them. */
const stillOpen = ({ leftovers = [] }: RunReport, reap: string | undefined): ReadonlyArray<string> => {
  const open = leftovers.filter(isOpen)
  if (open.length === 0) return []
  const more = open.length - mostOpen
  return [
    `**${counted(open.length, "resource")} may still be running, and cost.**`,
    "",
    ...open.slice(0, mostOpen).map(({ sentence }) => `- ${escape(sentence)}`),
    ...(more > 0 ? [`- ${more} more: see report.json`] : []),
    "",
    ...(reap === undefined ? [] : [block(reap), ""])
  ]
}

/**
 * The report as Markdown for a job summary: the sentence, a table of what needs a person, and the rest folded away;
 * never more than one mebibyte. `page` says, as Markdown, where the page is, and `reap`
 * is the command that stops what is open.
 */
export const render = (report: RunReport, replay: Replay, page?: string, reap?: string): string => {
  const { header } = report
  const resultOf = Findings.resultsByName(report)
  const errors = Findings.errorsOf(report)
  const findings = [...errors, ...Findings.warningsOf(report)]
  const texts = findings.map(FindingText.describe)
  const status = statusOf(Findings.of(report))
  const title = RunText.titleOf(report)
  const unrun = CutShort.unrun(report) ?? 0
  const compared = HistoryLines.compared(report) ?? HistoryLines.uncompared(report)
  const { cost, requests, time } = UsageText.of(report)
  const used = [
    UsageText.trials(report, unrun),
    ...[requests, time, ...(report.cost_usd === "0" ? [] : [cost])].map(UsageText.text)
  ]
  const head = [
    `## ${{ failed: "❌", warning: "⚠️", passed: "✅" }[status]} ${escape(`${statusWords[status]}: ${title}`)}`,
    "",
    `${escape(header.target.name)} · ${RunText.passedText(report)} · seed ${header.seed} · ${used.join(" · ")} · began ${header.startedAt.slice(0, 19).replace("T", " ")} UTC${page === undefined ? "" : ` · ${page}`}`,
    "",
    ...stillOpen(report, reap),
    ...(compared === undefined ? [] : [escape(compared), ""]),
    ...Findings.notesOf(report)
      .flatMap((finding) => notRun(finding) ?? [])
      .flatMap((sentence) => [`${escape(sentence)}.`, ""])
  ].join("\n")
  const ages = texts.map(({ age }) => age)
  // where no nights before are known there is nothing to say in a column of its own
  const isDated = ages.some((age) => age !== undefined)
  const [rows, rowsTake] = fitting(
    texts.map(
      (text) =>
        `| **${escape(text.what)}** | ${escape(placesOf(text))} |${isDated ? ` ${escape(text.age ?? "")} |` : ""} ${[text.evidence, ...FindingText.contributionLine(text)].map(escape).join("<br>")} |`
    ),
    (room - bytes(head)) / 2
  )
  const [folded, foldedTake] = fitting(
    [
      ...new Map(
        findings.map((finding, index) => [
          finding.scenarios.length > 1 ? finding : texts[index]?.place,
          detailsOf(finding, resultOf, replay)
        ])
      ).values()
    ].filter((text) => text !== ""),
    (room - bytes(head) - rowsTake) / 2
  )
  const shown = new Set(errors.flatMap(({ scenarios }) => scenarios.flatMap((one) => resultOf(one) ?? [])))
  const rest = report.results.filter((result) => !shown.has(result))
  const [others] = fitting(rest.map(row), room - bytes(head) - rowsTake - foldedTake)
  return [
    head,
    ...(rows.length === 0
      ? []
      : isDated
        ? ["| what | where | old or new | why |", "| --- | --- | --- | --- |", ...rows, ""]
        : ["| what | where | why |", "| --- | --- | --- |", ...rows, ""]),
    ...missing(findings.length - rows.length, "finding"),
    ...folded,
    ...(others.length === 0
      ? []
      : [
          `<details><summary>${shown.size === 0 ? "All" : "The other"} ${counted(rest.length, "scenario")}</summary>`,
          "",
          "| suite | scenario | verdict | passed | time | |",
          "| --- | --- | --- | ---: | ---: | --- |",
          ...others,
          ...missing(rest.length - others.length, "scenario"),
          "",
          "</details>",
          ""
        ])
  ].join("\n")
}

/** Writes the report as Markdown, with a link to the page of the run if one is written. */
export const markdown = FileReporter.define("markdown", "summary.md", (report, { page, reap, replay }, path) =>
  Effect.sync(() => {
    const link = page && `[${basename(page)}](${encodeURI(relative(dirname(path), page))})`
    return render(report, replay, link, reap(report))
  })
)
