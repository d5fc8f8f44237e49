import type { Finding } from "@webagent/report/Finding"
import { type ScenarioName, scenarioTitle } from "@webagent/report/Comparison"
import * as Onset from "@webagent/report/Onset"
import type { RunReport, ScenarioResult } from "@webagent/report/RunReport"
import { isOpen } from "@webagent/report/Trial"
import * as Findings from "@webagent/findings/Findings"
import { partialOf } from "@webagent/findings/words/CutShortText"
import * as FindingText from "@webagent/findings/words/FindingText"
import * as HistoryLines from "@webagent/findings/words/HistoryLines"
import { note, notRun } from "@webagent/findings/words/Notes"
import { counted } from "@webagent/cli/Text"
import { escape } from "@webagent/cli/Xml"
import type { Replay } from "../reporters/Reporter.ts"
import { command, copyIcon, folded } from "./Html.ts"
import * as Mark from "./Mark.ts"

/** Links from the findings to the scenarios of the page. */
interface Links {
  readonly idOf: (result: ScenarioResult) => string
  readonly resultOf: (scenario: ScenarioName | undefined) => ScenarioResult | undefined
  readonly replay: Replay
}

const linked = (scenario: ScenarioName, title: string, { idOf, resultOf }: Links): string => {
  const result = resultOf(scenario)
  return result === undefined ? escape(title) : `<a href="#${idOf(result)}">${escape(title)}</a>`
}

/** Since when a finding has been so; with several scenarios it is as new as the newest. */
const aged = ({ onset, scenarios }: Finding, age: string | undefined): string => {
  const [newest] = [onset, ...scenarios.map((one) => one.onset)].flatMap((one) => one ?? []).toSorted(Onset.newestFirst)
  return Mark.age(age, newest)
}

// a longer list is folded away
const mostListed = 5

/** The suite, if all scenarios of a finding are of one. */
const suiteOf = (scenarios: ReadonlyArray<ScenarioName>): string => {
  const [suite, ...others] = new Set(scenarios.map(({ suite }) => suite))
  return suite === undefined || others.length > 0 ? "" : ` of ${suite}`
}

/** The scenarios of one cause. */
const listed = ({ detail, scenarios }: FindingText.FindingText, links: Links): string => {
  const all = scenarios.map(
    (one) =>
      `${linked(one, one.title, links)}${one.rate === undefined ? "" : ` <span class="faint">${escape(one.rate)}</span>`}`
  )
  return all.length <= mostListed
    ? `<p class="small">${all.join(" · ")}${detail === undefined ? "" : ` <span class="faint">· ${escape(detail)}</span>`}</p>`
    : `<details class="fold small"><summary>${counted(all.length, "scenario")}${detail === undefined ? "" : `, ${escape(detail)}`}</summary>${all.join(" · ")}</details>`
}

/** The scenarios that made the whole night worse. */
const contribution = ({ scenarios, share }: FindingText.Contribution, links: Links): string =>
  `<p class="small">${escape(share)}:</p><ul class="facts small">${scenarios.map((one) => `<li>${linked(one, one.title, links)} ${escape(one.text)}</li>`).join("")}</ul>`

const row = (finding: Finding, style: string, links: Links): string => {
  const text = FindingText.describe(finding)
  const { cause, detail, evidence, place, scenarios, what } = text
  const isRun = finding.kind._tag === "Incomplete"
  const result = isRun ? undefined : links.resultOf(FindingText.exampleOf(finding))
  const [first] = scenarios
  const many = scenarios.length > 1 && !isRun
  const actions =
    result === undefined
      ? ""
      : `<span class="actions"><button type="button" class="js" data-open="${links.idOf(result)}">Trace<span class="sr"> of ${escape(result.name)}</span></button>${copyIcon(links.replay(result), result.name)}</span>`
  const small = many || detail === undefined ? "" : `<p class="small faint">${escape(detail)}</p>`
  const where = many
    ? escape(`${place}${suiteOf(scenarios)}`)
    : first === undefined || isRun
      ? escape(place)
      : linked(first, place, links)
  return `<li class="finding ${style}"><div class="head"><span class="badge ${style}">${escape(what)}</span>${aged(finding, text.age)}<b>${where}</b></div><p>${escape(cause ?? evidence)}</p>${text.contribution === undefined ? "" : contribution(text.contribution, links)}${many ? listed(text, links) : ""}${small}${actions}</li>`
}

/** Renders improvements over earlier nights. */
const better = ({ judgement }: RunReport): string => {
  const rows = (judgement?.rows ?? []).filter(({ verdict }) => verdict === "improved")
  if (rows.length === 0) return ""
  const sentences = rows.map((row) => `<li>${escape(HistoryLines.rowText(row))}</li>`)
  const more = sentences.slice(mostListed)
  const list = (some: ReadonlyArray<string>) => `<ul class="plain small">${some.join("")}</ul>`
  return `<div class="calm"><b>${counted(rows.length, "improvement")}</b>${list(sentences.slice(0, mostListed))}${more.length === 0 ? "" : folded(`${more.length} more`, list(more))}</div>`
}

/** Renders scenarios that were skipped or not completed, with the reasons. */
const unrun = (report: RunReport): string =>
  Findings.notesOf(report)
    .flatMap((finding) => notRun(finding) ?? [])
    .map((sentence) => `<p class="calm cut">${escape(sentence)}</p>`)
    .join("")

/** Renders problems that would fail the run but don't. `isNamed` is true if the page already names the scenarios. */
const notes = (report: RunReport, isNamed: boolean): string => {
  const known = Findings.notesOf(report).flatMap((finding) => note(finding) ?? [])
  const sentences = known.map((sentence) => `<li>${escape(sentence)}</li>`)
  const what = `${counted(sentences.length, "known issue")} that ${sentences.length === 1 ? "does" : "do"} not fail the run`
  if (known.length === 1 && !isNamed) return `<p class="small faint">${what}: ${escape(known[0] ?? "")}</p>`
  return sentences.length === 0 ? "" : folded(what, `<ul class="notes">${sentences.join("")}</ul>`)
}

const calm = (report: RunReport): string => {
  const { interrupted, leftovers = [], results } = report
  if (interrupted) return "The run was stopped. Everything that ran passed."
  if (results.every(({ verdict }) => verdict === "skipped")) return "No scenario ran. The reasons are below."
  const open = leftovers.filter(isOpen).length
  const left =
    leftovers.length === 0
      ? "No resources were left open."
      : open === 0
        ? `${counted(leftovers.length, "leftover resource")} ${leftovers.length === 1 ? "was" : "were"} stopped automatically; none is still running.`
        : `${counted(open, "resource")} may still be running and cost money: see usage and limits.`
  const known = results.filter(({ verdict }) => verdict !== "passed" && verdict !== "skipped")
  const others = known.length
  const names = known.slice(0, mostListed).map((result) => escape(scenarioTitle(result)))
  const more = others - names.length
  const passed =
    others === 0
      ? partialOf(report) === undefined
        ? "All scenarios passed"
        : "All scenarios that ran passed"
      : `All scenarios passed, except for ${others} with a known issue that does not fail the run (${names.join(", ")}${more > 0 ? `, and ${more} more` : ""}),`
  return `${passed} and no invariant was broken. ${left}`
}

/** Number of scenarios of the findings, if one stands for several. */
const inScenarios = (findings: ReadonlyArray<Finding>): string => {
  const names = new Set(findings.flatMap(({ scenarios }) => scenarios.map(scenarioTitle)))
  return names.size > findings.length ? ` in ${counted(names.size, "scenario")}` : ""
}

// more findings are folded away
const mostShown = 10

/** Renders resources that may still be running and cost money, with the command that stops them. */
const stillOpen = ({ leftovers = [] }: RunReport, reap: string | undefined): string => {
  const open = leftovers.filter(isOpen)
  if (open.length === 0) return ""
  const sentences = open.map(({ sentence }) => `<li>${escape(sentence)}</li>`)
  const list = (some: ReadonlyArray<string>) => `<ul class="facts small">${some.join("")}</ul>`
  const more = sentences.slice(mostOpen)
  const stop = reap === undefined ? "" : `<p>Stop the resources in the ledger of this run:</p>${command(reap, "Copy")}`
  return `<div class="calm cut"><p><b>${counted(open.length, "resource")} may still be running and cost money.</b></p>${stop}${list(sentences.slice(0, mostOpen))}${more.length === 0 ? "" : folded(`${more.length} more`, list(more))}</div>`
}

const mostOpen = 4

/** Renders problems that need attention, by cause, the newest and worst first. */
export const render = (
  report: RunReport,
  idOf: (result: ScenarioResult) => string,
  replay: Replay,
  reap?: string
): string => {
  const findings = Findings.errorsOf(report)
  const warnings = Findings.warningsOf(report)
  const links = { idOf, replay, resultOf: Findings.resultsByName(report) }
  const rows = [
    // a red row fails the run, a yellow one does not
    ...findings.map((finding) => row(finding, "failed", links)),
    ...warnings.map((finding) => row(finding, "unusual", links))
  ]
  const uncompared = HistoryLines.uncompared(report)
  const isSure = partialOf(report) === undefined && uncompared === undefined
  const counts = [
    ...(findings.length === 0 ? [] : [`${counted(findings.length, "finding")}${inScenarios(findings)}`]),
    ...(warnings.length === 0 ? [] : [counted(warnings.length, "warning")])
  ]
  const list = (some: ReadonlyArray<string>) => `<ul class="findings">${some.join("")}</ul>`
  const more = rows.slice(mostShown)
  return `<section id="findings" aria-labelledby="findings-h"><h2 id="findings-h">${rows.length > 0 ? counts.join(", ") : isSure ? "Nothing to do" : "No findings"}</h2>${stillOpen(report, reap)}${unrun(report)}${uncompared === undefined ? "" : `<p class="calm cut">${escape(uncompared)}</p>`}${
    rows.length === 0
      ? `<p class="calm${report.interrupted ? " cut" : ""}">${calm(report)}</p>`
      : `${list(rows.slice(0, mostShown))}${more.length === 0 ? "" : folded(`${more.length} more`, list(more))}`
  }${better(report)}${notes(report, rows.length === 0)}</section>`
}
