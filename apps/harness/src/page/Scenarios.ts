import * as SkipText from "@webagent/findings/words/SkipText"
import { requestLine } from "../reporters/FailureFacts.ts"
import * as Money from "@webagent/cli/Money"
import { keyOf, type Night, type NightScenario } from "@webagent/nights/Night"
import type { Comparison } from "@webagent/report/Comparison"
import type { Finding } from "@webagent/report/Finding"
import { findingsOfResult } from "@webagent/findings/ScenarioFindings"
import { age as ageText } from "@webagent/findings/words/Ages"
import * as FindingText from "@webagent/findings/words/FindingText"
import { evidence as evidenceOf } from "@webagent/findings/words/Statistics"
import type { Replay } from "../reporters/Reporter.ts"
import { counted, cut, duration } from "@webagent/cli/Text"
import * as Onset from "@webagent/report/Onset"
import { isBad, type RunReport, type ScenarioResult } from "@webagent/report/RunReport"
import type { Failure } from "@webagent/report/Trial"
import { median } from "@webagent/statistics/Robust"
import * as Figures from "./Figures.ts"
import { escape } from "@webagent/cli/Xml"
import { command, copyIcon, join } from "./Html.ts"
import { age, badge, dots, marks, order } from "./Mark.ts"
import { labelOf } from "./NightLabel.ts"
import * as Trials from "./Trials.ts"

/** Links between the sections of the page. */
export interface Links {
  readonly idOf: (result: ScenarioResult) => string
  readonly replay: Replay
  /** The id of a trial's embedded trace, by the trace's file. */
  readonly traceOf: (file: string) => string | undefined
}

/** A search tag of a scenario other than its verdict, with a style for whether it fails the run. */
interface Tag {
  readonly word: string
  readonly style: "failed" | "unusual"
  /** Evidence from earlier nights. */
  readonly evidence?: string
}

/** Findings of a scenario alone, quarantined or not. */
const findingsIn = (result: ScenarioResult): ReadonlyArray<Finding> =>
  findingsOfResult(result).map(({ finding }) => finding)

const diffOf = (diff: ReadonlyArray<string>): string =>
  `<pre>${diff
    .map((line) => {
      const kind = line.startsWith("- ") ? "del" : line.startsWith("+ ") ? "ins" : undefined
      return kind === undefined ? escape(line) : `<span class="${kind}">${escape(line)}</span>`
    })
    .join("\n")}</pre>`

const fact = (word: string, text: string | undefined) =>
  text === undefined || text === "" ? "" : `<dt>${word}</dt><dd>${escape(text)}</dd>`

/** A failure in full, as the console shows it. */
export const failure = ({ actual, diff, expected, message, request, service, source, where }: Failure): string =>
  `<div class="failure"><p>${escape(service === undefined ? message : `The service says: ${service}`)}</p>${
    service === undefined ? "" : `<p>${escape(message)}</p>`
  }${
    diff === undefined || diff.length === 0
      ? ""
      : `<p class="small faint">Difference: <code>-</code> expected, <code>+</code> received.</p>${diffOf(diff)}`
  }<dl>${join(
    fact("expected", expected),
    fact("got", actual),
    fact("request", request && requestLine(request)),
    fact("where", where),
    fact("line", source?.trim())
  )}</dl></div>`

const historyOf = (key: string, nights: ReadonlyArray<Night>): ReadonlyArray<readonly [Night, NightScenario]> =>
  nights.flatMap((night) => {
    const scenario = night.scenarios.find(({ name, suite }) => keyOf(suite, name) === key)
    return scenario === undefined ? [] : [[night, scenario] as const]
  })

const earlier = (rows: ReadonlyArray<readonly [Night, NightScenario]>): string => {
  const label = labelOf(rows.map(([night]) => night))
  return rows.length === 0
    ? ""
    : `<h5>The last ${counted(rows.length, "night")}</h5>${Figures.nights(
        rows.map(([night, { passed, scored, verdict }]) => ({
          day: label(night),
          passed,
          scored,
          verdict
        }))
      )}`
}

const body = (result: ScenarioResult, tags: ReadonlyArray<Tag>, nights: ReadonlyArray<Night>, links: Links): string => {
  const rows = historyOf(keyOf(result.suite, result.name), nights)
  const { onset, quarantine, trials } = result
  const reason = SkipText.reasonOf(result)
  const facts = [
    ...(quarantine === undefined
      ? []
      : [`in quarantine until ${quarantine.expires} (${quarantine.owner}): ${quarantine.reason}`]),
    ...(onset?.trials === undefined ? [] : [ageText(onset.trials)]),
    ...(onset?.invariants === undefined ? [] : [`leak or broken invariant: ${ageText(onset.invariants)}`]),
    ...(reason === undefined ? [] : [reason]),
    ...(result.tags.length === 0 ? [] : [`tags: ${result.tags.join(", ")}`]),
    ...(result.needs.length === 0 ? [] : [`needs: ${result.needs.join(", ")}`])
  ]
  const notes = findingsIn(result)
    .filter((finding) => finding.scenarios[0]?.verdict === undefined && finding.kind._tag !== "QuarantineExpired")
    .map(FindingText.describe)
  return join(
    result.failure && failure(result.failure),
    ...notes.map(({ evidence, what }) => `<p class="failure"><b>${escape(what)}</b>: ${escape(evidence)}</p>`),
    ...tags.flatMap(({ evidence, style, word }) =>
      evidence === undefined ? [] : `<p class="failure ${style}"><b>${word}</b>: ${escape(evidence)}</p>`
    ),
    trials.length === 0 ? "" : Trials.render(result, links),
    facts.length === 0 ? "" : `<p class="small faint">${escape(facts.join(" · "))}</p>`,
    `<div>${command(links.replay(result), "Copy")}</div>`,
    trials.length === 0
      ? ""
      : Figures.ofTrials(
          trials,
          rows.map(([, scenario]) => scenario)
        ),
    earlier(rows)
  )
}

const ages = { new: "new", again: "again" } as const

/** That it is new, or again: what is old is said inside. */
const newly = ({ onset }: ScenarioResult): string => {
  const [newest] = [onset?.trials, onset?.invariants].flatMap((one) => one ?? []).toSorted(Onset.newestFirst)
  const its = Onset.ageOf(newest)
  return its === undefined || its === "old" ? "" : `${age(ages[its], newest)} `
}

/** The reason why a scenario failed, in one line; empty if it passed. */
const errorOf = (result: ScenarioResult, tags: ReadonlyArray<Tag>): string => {
  const [first] = findingsIn(result).map(FindingText.describe)
  const text = first?.cause ?? first?.evidence ?? tags.find(({ evidence }) => evidence !== undefined)?.evidence
  return text === undefined ? "" : `<span class="error">${escape(cut(text, 160))}</span>`
}

const rules: { readonly [tag in Finding["kind"]["_tag"]]?: string } = {
  Leak: "leaked",
  AbandonedRun: "abandoned a run",
  BrokenInvariant: "broken invariant",
  LimitExceeded: "over its limit"
}

const figures: { readonly [figure in Comparison["figure"]]?: string } = { duration: "slower", cost: "costlier" }

/** The tags of each scenario, by its suite and name. */
const tagsOf = ({ judgement, results }: RunReport): ((result: ScenarioResult) => ReadonlyArray<Tag>) => {
  const changed = Map.groupBy(
    (judgement?.rows ?? []).filter(
      ({ figure, isUnusual, scenario, verdict }) =>
        scenario !== null && figure in figures && (verdict === "regressed" || isUnusual)
    ),
    ({ scenario }) => keyOf(scenario?.suite ?? "", scenario?.name ?? "")
  )
  const tags = new Map(
    results.map((result) => [
      result,
      [
        ...[...new Set(findingsIn(result).flatMap(({ kind }) => rules[kind._tag] ?? []))].map((word): Tag => ({
          word,
          style: "failed"
        })),
        ...(changed.get(keyOf(result.suite, result.name)) ?? []).map((row): Tag => ({
          word: figures[row.figure] ?? row.figure,
          style: row.verdict === "regressed" ? "failed" : "unusual",
          evidence: evidenceOf(row)
        }))
      ]
    ])
  )
  return (result) => tags.get(result) ?? []
}

const row = (result: ScenarioResult, tags: ReadonlyArray<Tag>, nights: ReadonlyArray<Night>, links: Links): string => {
  const { cost_usd, name, suite, trials, verdict } = result
  const id = links.idOf(result)
  const ran = trials.filter((trial) => trial.verdict !== "skipped")
  const time = ran.length === 0 ? "" : duration(median(ran.map(({ duration_ms }) => duration_ms)))
  const fresh = newly(result)
  const badges = tags.map(({ style, word }) => `<span class="badge ${style}">${word}</span> `)
  const found = [verdict, ...tags.map(({ word }) => word), ...(fresh === "" ? [] : ["new"])]
  const extra = `${fresh}${badges.join("")}${result.quarantine === undefined ? "" : '<span class="badge unscored">quarantine</span> '}`
  const quick =
    isBad(result) || tags.length > 0
      ? `<span class="quick"><button type="button" class="js" data-open="${id}">Trace<span class="sr"> of ${escape(name)}</span></button>${copyIcon(links.replay(result), name)}</span>`
      : ""
  return `<div class="row"><details class="scenario" name="scenario" id="${id}" data-tags="${found.join(",")}" data-name="${escape(`${suite} ${name}`.toLowerCase())}"><summary><span class="trials">${dots(trials)}</span><h4>${verdict === "passed" ? "" : `${badge(verdict)} `}${extra}${escape(name)}${errorOf(result, tags)}</h4><span class="n time">${time}</span><span class="n cost">${cost_usd === "0" ? "" : escape(Money.rounded(cost_usd))}</span></summary><div class="body">${body(result, tags, nights, links)}</div></details>${quick}</div>`
}

const filters = (results: ReadonlyArray<ScenarioResult>, tags: ReadonlyArray<Tag>): string => {
  const button = (filter: string, word: string) =>
    `<button type="button" aria-pressed="false" data-filter="${filter}">${word}</button>`
  const present = order.filter((verdict) => results.some((result) => result.verdict === verdict))
  const buttons = [
    ...(results.some((result) => newly(result) !== "") ? [button("new", "new")] : []),
    ...new Set(tags.map(({ word }) => button(word, word))),
    ...present.map((verdict) => button(verdict, marks[verdict].word))
  ]
  return `<div class="filters js" role="search"><label>Find a scenario<input type="search" id="find" autocomplete="off" spellcheck="false"></label><fieldset><legend>Show only</legend>${buttons.join("")}</fieldset><p class="small faint" role="status" id="found"></p></div>`
}

const seriousness = (result: ScenarioResult, tags: ReadonlyArray<Tag>): number =>
  order.indexOf(result.verdict) -
  (findingsIn(result).length + tags.length > 0 ? order.length : 0) -
  (newly(result) === "" ? 0 : order.length)

/** Explains the units of the time and cost columns. */
const units = ({ header, results }: RunReport): string =>
  results.length === 0
    ? ""
    : `<p class="small faint">Time: the median of a scenario's trials. Cost${header.target.simulated ? ", simulated" : ""}: all its trials together.</p>`

/** Every scenario by suite; within a suite what is wrong comes first. */
export const render = (report: RunReport, nights: ReadonlyArray<Night>, links: Links): string => {
  const suites = Map.groupBy(report.results, ({ suite }) => suite)
  const tags = tagsOf(report)
  const rank = (result: ScenarioResult) => seriousness(result, tags(result))
  const worst = (results: ReadonlyArray<ScenarioResult>) => Math.min(...results.map(rank))
  const blocks = [...suites]
    .toSorted(([, one], [, other]) => worst(one) - worst(other))
    .map(([suite, results]) => {
      const passed = results.filter(({ verdict }) => verdict === "passed").length
      const rows = results.toSorted((one, other) => rank(one) - rank(other))
      return `<section class="suite" aria-label="${escape(suite)}"><h3>${escape(suite)} <span class="faint small">${passed} of ${results.length} passed</span></h3>${rows.map((result) => row(result, tags(result), nights, links)).join("")}</section>`
    })
  return `<section id="scenarios" aria-labelledby="scenarios-h"><h2 id="scenarios-h">Scenarios</h2>${filters(report.results, report.results.flatMap(tags))}${units(report)}${blocks.join("")}</section>`
}
