import * as LeftoverText from "@webagent/findings/words/LeftoverText"
import * as SkipText from "@webagent/findings/words/SkipText"
import * as Effect from "effect/Effect"
import { type Finding, statusOf } from "@webagent/report/Finding"
import * as Findings from "@webagent/findings/Findings"
import * as CauseText from "@webagent/findings/words/CauseText"
import * as ContributionText from "@webagent/findings/words/ContributionText"
import * as FindingText from "@webagent/findings/words/FindingText"
import * as IgnoreText from "@webagent/findings/words/IgnoreText"
import * as Names from "@webagent/findings/words/Names"
import * as NextText from "@webagent/findings/words/NextText"
import * as HistoryLines from "@webagent/findings/words/HistoryLines"
import * as InterruptedTrialsText from "@webagent/findings/words/InterruptedTrialsText"
import { notRun } from "@webagent/findings/words/Notes"
import * as RunText from "@webagent/findings/words/RunText"
import { statusWords } from "@webagent/findings/words/Title"
import * as CutShort from "@webagent/report/CutShort"
import * as InterruptedTrials from "@webagent/report/InterruptedTrials"
import type { RunReport, ScenarioResult } from "@webagent/report/RunReport"
import { isOpen } from "@webagent/report/Trial"
import * as FailureFacts from "./FailureFacts.ts"
import * as FileReporter from "./FileReporter.ts"
import type { Replay, ReporterContext } from "./Reporter.ts"
import { median } from "@webagent/statistics/Robust"
import { counted, duration } from "@webagent/cli/Text"
import { basename, dirname, relative } from "node:path"
import * as UsageText from "@webagent/findings/words/UsageText"
import * as VerdictText from "@webagent/findings/words/VerdictText"

/** Maximum size of a job summary, in bytes. GitHub shows no part of a longer one. */
export const most = 1024 * 1024

// two kilobytes for what says that something is missing
const room = most - 2048

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;" }

const inLine = (text: string): string => text.replaceAll(/\s+/gu, " ")

/** Text inside a tag, where Markdown has no meaning. */
const inTag = (text: string): string =>
  inLine(text).replaceAll(/[&<>@]/gu, (character) => entities[character] ?? character)

/** Text that Markdown shows as it is, also in a cell of a table. Only characters with a meaning get a backslash. */
const escape = (text: string): string =>
  inLine(text)
    .replaceAll(/[\\`*[\]|~@]|<(?=[a-z/!?])/giu, "\\$&")
    // inside a word, an underscore has no meaning
    .replaceAll(/(?<!\w)_|_(?!\w)/gu, "\\_")
    .replaceAll(/&(?=#?\w+;)/gu, "\\&")
    // addresses and emoji, but no times
    .replaceAll(/:(?=\/\/|[\w+-]+:)(?!(?<=\d:)\d\d:\d\d)/gu, "\\:")
    .replaceAll(/\bwww\.(?=\w)/giu, "www\\.")
    // a list, a quote or a heading
    .replace(/^(\d*)([-+>]|[.)](?= )|#+ )/u, "$1\\$2")

// the longest run of backticks inside decides how many stand around
const block = (text: string) => {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([ticks]) => ticks.length))
  const fence = "`".repeat(longest + 1)
  return `${fence}text\n${text}\n${fence}`
}

/** A finding with its words and the next step. */
interface Described {
  readonly finding: Finding
  readonly text: FindingText.FindingText
  readonly next: NextText.NextText
  /** The scenario that shows it. */
  readonly example: ScenarioResult | undefined
  readonly ignored: string | undefined
}

const factsOf = ({ example, ignored, next }: Described): ReadonlyArray<string> => {
  const failure = example?.failure
  return [
    ...(failure === undefined ? [] : [CauseText.headline(failure), ...FailureFacts.lines(failure)]),
    `next      ${next.text}`,
    ...next.commands.map((command) => `${next.label.padEnd(9)} ${command}`),
    ...(ignored === undefined ? [] : [`ignore    ${ignored}`])
  ]
}

// the page has the rest
const mostNamed = 200

/** All scenarios of one cause, how the first of them failed, and what to do. */
const detailsOf = (described: Described): string => {
  const { place, scenarios, shared, what } = described.text
  // of a whole run that is worse, the scenario that added most
  const facts = block(factsOf(described).join("\n"))
  if (shared === undefined) return `<details><summary>${inTag(place)}</summary>\n\n${facts}\n\n</details>\n`
  const names = scenarios.slice(0, mostNamed).map(({ title }) => title)
  const more = scenarios.length - names.length
  const all = block([...names, ...(more === 0 ? [] : [`and ${more} more: see report.html`])].join("\n"))
  const first = described.example === undefined ? "" : "The first:\n\n"
  return `<details><summary>${inTag(`${place}: ${what}`)}</summary>\n\n${all}\n\n${first}${facts}\n\n</details>\n`
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
  return `| ${escape(result.suite)} | ${escape(result.name)} | ${VerdictText.word(result.verdict)} | ${trials} | ${time} | ${escape(note)} |`
}

/** Which scenarios a finding is about, or how many and the first of them. */
const placesOf = ({ place, scenarios, shared }: FindingText.FindingText): string =>
  shared === undefined ? place : `${place}: ${Names.listed(scenarios.map(({ title }) => title))}`

/** A command in a cell of a table: as code, or as text if it has characters that may have a meaning there. */
const code = (command: string): string => (/[`<@|]/u.test(command) ? escape(command) : `\`${inLine(command)}\``)

const nextLabels = { replay: "Replay", run: "Run" } as const

/** The evidence of a finding, which code changed when it began, who is working on it, what to do, and whether it may be ignored. */
const whyOf = ({ finding, ignored, next, text }: Described): string => {
  const { acknowledged, affected, certainty, change, cost, evidence, unexplained } = text
  const link = change?.url === undefined ? "" : ` ([compare](${encodeURI(change.url)}))`
  return [
    ...[
      evidence,
      ...(unexplained === undefined ? [] : [`Cause: ${unexplained}`]),
      ...(cost === undefined ? [] : [`Cost: ${cost}`]),
      ...(certainty === undefined ? [] : [`Sure: ${certainty}`]),
      ...ContributionText.line(text.contribution)
    ].map(escape),
    ...(change === undefined ? [] : [`Began: ${escape(change.began)}`, `Changed: ${escape(change.changed)}${link}`]),
    // those whose scenarios it affected don't own it
    ...(affected === undefined ? [] : [`Affected: ${escape(affected)}`]),
    ...(acknowledged === undefined ? [] : [escape(acknowledged)]),
    `Next: ${escape(next.text)}`,
    ...next.commands.map((command) => `${nextLabels[next.label]}: ${code(command)}`),
    // the command is below
    ...(ignored === undefined ? [] : [`Ignore: ${escape(IgnoreText.text(finding))}`])
  ].join("<br>")
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
    ...open.slice(0, mostOpen).map((one) => `- ${escape(LeftoverText.text(one))}`),
    ...(more > 0 ? [`- ${more} more: see report.json`] : []),
    "",
    ...(reap === undefined ? [] : [block(reap), ""])
  ]
}

/** Parts of a summary that the report doesn't have. */
interface RenderOptions {
  /** Says whether a finding may be ignored. */
  readonly ignoring?: ReporterContext["ignoring"]
  /** The program as its user calls it. */
  readonly program?: string
  /** A link to the page, as Markdown. */
  readonly page?: string | undefined
  /** The command that stops what is open. */
  readonly reap?: string | undefined
}

/**
 * The report as Markdown for a job summary: the sentence, a table of what needs a person, and the rest folded away;
 * never more than one mebibyte.
 */
export const render = (
  report: RunReport,
  replay: Replay,
  { ignoring = () => undefined, page, program = "webagent-harness", reap }: RenderOptions = {}
): string => {
  const { header } = report
  const resultOf = Findings.resultsByName(report)
  const errors = Findings.errorsOf(report)
  const findings = [...errors, ...Findings.warningsOf(report)]
  const described = findings.map((finding): Described => {
    const example = resultOf(FindingText.exampleOf(finding))
    return {
      finding,
      text: FindingText.describe(finding),
      next: NextText.of(finding, { program, replay: example && replay(example) }),
      example,
      ignored: ignoring(finding, report)
    }
  })
  const status = statusOf(Findings.of(report))
  const title = RunText.titleOf(report)
  const unrun = CutShort.unrun(report) ?? 0
  const uncompared = HistoryLines.uncompared(report)
  const compared = [
    ...(RunText.isDone(report) ? [`${NextText.nothing}.`] : []),
    ...HistoryLines.compared(report),
    ...(uncompared === undefined ? [] : [uncompared])
  ]
  const interrupted = InterruptedTrials.of(report)
  const { cost, requests, time } = UsageText.of(report)
  const used = [
    [UsageText.trials(report, unrun), UsageText.interrupted(report)].filter((part) => part !== undefined).join(", "),
    ...[requests, time, ...(report.cost_usd === "0" ? [] : [cost])].map(UsageText.full)
  ]
  const head = [
    `## ${{ failed: "❌", warning: "⚠️", passed: "✅" }[status]} ${escape(`${statusWords[status]}: ${title}`)}`,
    "",
    `${escape(header.target.name)} · ${RunText.passedText(report)} · seed ${header.seed} · ${used.join(" · ")} · began ${header.startedAt.slice(0, 19).replace("T", " ")} UTC${page === undefined ? "" : ` · ${page}`}`,
    "",
    ...stillOpen(report, reap),
    ...(interrupted === undefined ? [] : [`Not included: ${escape(InterruptedTrialsText.text(interrupted))}.`, ""]),
    ...compared.flatMap((sentence) => [escape(sentence), ""]),
    ...Findings.notesOf(report)
      .flatMap((finding) => notRun(finding) ?? [])
      .flatMap((sentence) => [`${escape(sentence)}.`, ""])
  ].join("\n")
  // where no finding has an age or an owner there is nothing to say in a column of its own
  const columns: ReadonlyArray<readonly [head: string, cellOf: (one: Described) => string]> = [
    ["what", ({ text }) => `**${escape(text.what)}**`],
    ["where", ({ text }) => escape(placesOf(text))],
    ...(described.some(({ text }) => text.owner !== undefined)
      ? [["owner", ({ text }: Described) => escape(text.owner ?? "")] as const]
      : []),
    ...(described.some(({ text }) => text.age !== undefined)
      ? [["old or new", ({ text }: Described) => escape(text.age ?? "")] as const]
      : []),
    ["why", whyOf]
  ]
  const rowOf = (cells: ReadonlyArray<string>) => `| ${cells.join(" | ")} |`
  const [rows, rowsTake] = fitting(
    described.map((one) => rowOf(columns.map(([, cellOf]) => cellOf(one)))),
    (room - bytes(head)) / 2
  )
  const [folded, foldedTake] = fitting(
    [
      ...new Map(
        described.map((one) => [one.text.shared === undefined ? one.text.place : one.finding, detailsOf(one)])
      ).values()
    ],
    (room - bytes(head) - rowsTake) / 2
  )
  // those of a missing shard are not all named above
  const shown = new Set(
    errors
      .filter(({ kind }) => kind._tag !== "Incomplete")
      .flatMap(({ scenarios }) => scenarios.flatMap((one) => resultOf(one) ?? []))
  )
  const rest = report.results.filter((result) => !shown.has(result))
  const [others] = fitting(rest.map(row), room - bytes(head) - rowsTake - foldedTake)
  return [
    head,
    ...(rows.length === 0 ? [] : [rowOf(columns.map(([head]) => head)), rowOf(columns.map(() => "---")), ...rows, ""]),
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
export const markdown = FileReporter.define(
  "markdown",
  "summary.md",
  (report, { commands, ignoring, page, reap, replay }, path) =>
    Effect.sync(() => {
      const link = page && `[${basename(page)}](${encodeURI(relative(dirname(path), page))})`
      return render(report, replay, { ignoring, program: commands.program, page: link, reap: reap(report) })
    })
)
