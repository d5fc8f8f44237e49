import * as NightLines from "../reporters/NightLines.ts"
import * as Attention from "../reporters/Attention.ts"
import type { Replay } from "../reporters/Reporter.ts"
import { counted } from "@webagent/cli/Text"
import * as Gate from "@webagent/report/Gate"
import * as CutShort from "@webagent/report/CutShort"
import * as Onset from "@webagent/report/Onset"
import type { RunReport, ScenarioResult } from "@webagent/report/RunReport"
import { escape } from "@webagent/cli/Xml"
import { isOpen } from "@webagent/report/Trial"
import { command, copyIcon, folded } from "./Html.ts"
import * as Mark from "./Mark.ts"

const linked = (
  { result, title }: Pick<Attention.Item, "result" | "title">,
  idOf: (result: ScenarioResult) => string
): string => (result === undefined ? escape(title) : `<a href="#${idOf(result)}">${escape(title)}</a>`)

/** Since when a finding is so; of several scenarios it is as new as the newest. */
const aged = (finding: Attention.Finding): string => {
  const [newest] = finding.items.flatMap(({ onset }) => onset ?? []).toSorted(Onset.newestFirst)
  return Mark.age(Attention.age(finding), newest)
}

// a longer list is folded away
const mostListed = 5

/** That all scenarios of a finding are of one suite. */
const suiteOf = (items: ReadonlyArray<Attention.Item>): string => {
  const [suite, ...others] = new Set(items.map(({ result }) => result?.suite))
  return suite === undefined || others.length > 0 ? "" : ` of ${suite}`
}

/** The scenarios of one cause. */
const listed = (
  items: ReadonlyArray<Attention.Item>,
  detail: string | undefined,
  idOf: (result: ScenarioResult) => string
): string => {
  const links = items.map(
    (item) =>
      `${linked(item, idOf)}${item.rate === undefined ? "" : ` <span class="faint">${escape(item.rate)}</span>`}`
  )
  return links.length <= mostListed
    ? `<p class="small">${links.join(" · ")}${detail === undefined ? "" : ` <span class="faint">· ${escape(detail)}</span>`}</p>`
    : `<details class="fold small"><summary>${counted(items.length, "scenario")}${detail === undefined ? "" : `, ${escape(detail)}`}</summary>${links.join(" · ")}</details>`
}

/** The scenarios that made the whole night worse. */
const why = ({ scenarios, share }: Attention.Why, idOf: (result: ScenarioResult) => string): string =>
  `<p class="small">${escape(share)}:</p><ul class="facts small">${scenarios.map((one) => `<li>${linked(one, idOf)} ${escape(one.text)}</li>`).join("")}</ul>`

const row = (
  finding: Attention.Finding,
  style: string,
  idOf: (result: ScenarioResult) => string,
  replay: Replay
): string => {
  const { cause, detail, evidence, items, what } = finding
  const result = Attention.exampleOf(finding)
  const many = items.length > 1
  const actions =
    result === undefined
      ? ""
      : `<span class="actions"><button type="button" class="js" data-open="${idOf(result)}">Trace<span class="sr"> of ${escape(result.name)}</span></button>${copyIcon(replay(result), result.name)}</span>`
  const small = many || detail === undefined ? "" : `<p class="small faint">${escape(detail)}</p>`
  return `<li class="finding ${style}"><div class="head"><span class="badge ${style}">${escape(what)}</span>${aged(finding)}<b>${many ? escape(`${finding.title}${suiteOf(items)}`) : linked(finding, idOf)}</b></div><p>${escape(cause ?? evidence)}</p>${finding.why === undefined ? "" : why(finding.why, idOf)}${many ? listed(items, detail, idOf) : ""}${small}${actions}</li>`
}

/** Renders improvements over earlier nights. */
const better = ({ judgement }: RunReport): string => {
  const rows = (judgement?.rows ?? []).filter(({ verdict }) => verdict === "improved")
  if (rows.length === 0) return ""
  const sentences = rows.map((row) => `<li>${escape(NightLines.rowText(row))}</li>`)
  const more = sentences.slice(mostListed)
  const list = (some: ReadonlyArray<string>) => `<ul class="plain small">${some.join("")}</ul>`
  return `<div class="calm"><b>${counted(rows.length, "improvement")}</b>${list(sentences.slice(0, mostListed))}${more.length === 0 ? "" : folded(`${more.length} more`, list(more))}</div>`
}

/** Renders scenarios that were skipped or not completed, with the reasons. */
const unrun = (report: RunReport): string =>
  Gate.of(report)
    .notes.filter(({ rule }) => rule === "not run")
    .map(({ sentence }) => `<p class="calm cut">${escape(sentence)}</p>`)
    .join("")

/** Renders problems that would fail the run but don't. `isNamed` is true if the page already names the scenarios. */
const notes = (report: RunReport, isNamed: boolean): string => {
  const known = Gate.of(report).notes.filter(({ rule }) => rule !== "not run")
  const sentences = known.map(({ sentence }) => `<li>${escape(sentence)}</li>`)
  const what = `${counted(sentences.length, "known issue")} that ${sentences.length === 1 ? "does" : "do"} not make the run red`
  if (known.length === 1 && !isNamed) return `<p class="small faint">${what}: ${escape(known[0]?.sentence ?? "")}</p>`
  return sentences.length === 0 ? "" : folded(what, `<ul class="notes">${sentences.join("")}</ul>`)
}

const calm = (report: RunReport): string => {
  const { interrupted, leftovers = [], results } = report
  if (interrupted) return "The run was stopped. Everything that ran passed."
  if (results.every(({ verdict }) => verdict === "skipped")) return "No scenario ran. The reasons are below."
  const open = leftovers.filter(isOpen).length
  const left =
    leftovers.length === 0
      ? "Nothing was left open."
      : open === 0
        ? `${counted(leftovers.length, "resource")} that scenarios left open ${leftovers.length === 1 ? "was" : "were"} stopped.`
        : `${counted(open, "resource")} may still be running, and cost: see usage and limits.`
  const known = results.filter(({ verdict }) => verdict !== "passed" && verdict !== "skipped")
  const others = known.length
  const names = known.slice(0, mostListed).map(({ name, suite }) => escape(`${suite} › ${name}`))
  const more = others - names.length
  const passed =
    others === 0
      ? CutShort.text(report) === undefined
        ? "All scenarios passed"
        : "All scenarios that ran passed"
      : `All scenarios passed, except for ${others} with a known issue that does not make the run red (${names.join(", ")}${more > 0 ? `, and ${more} more` : ""}),`
  return `${passed} and no invariant was broken. ${left}`
}

/** Of how many scenarios the findings are, where one stands for several. */
const inScenarios = (findings: ReadonlyArray<Attention.Finding>): string => {
  const results = new Set(findings.flatMap(({ items }) => items).flatMap(({ result }) => result ?? []))
  return results.size > findings.length ? ` in ${counted(results.size, "scenario")}` : ""
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
  const stop = reap === undefined ? "" : `<p>Stop what the ledger of this run has:</p>${command(reap, "Copy")}`
  return `<div class="calm cut"><p><b>${counted(open.length, "resource")} may still be running, and cost.</b></p>${stop}${list(sentences.slice(0, mostOpen))}${more.length === 0 ? "" : folded(`${more.length} more`, list(more))}</div>`
}

const mostOpen = 4

/** Renders problems that need attention, by cause, the newest and worst first. */
export const render = (
  report: RunReport,
  idOf: (result: ScenarioResult) => string,
  replay: Replay,
  reap?: string
): string => {
  const findings = Attention.findings(report)
  const unusual = Attention.unusual(report)
  const rows = [
    // red is what makes the run red, yellow what does not
    ...findings.map((finding) => row(finding, "failed", idOf, replay)),
    ...unusual.map((finding) => row(finding, "unusual", idOf, replay))
  ]
  const uncompared = NightLines.uncompared(report)
  const isSure = CutShort.text(report) === undefined && uncompared === undefined
  const counts = [
    ...(findings.length === 0 ? [] : [`${counted(findings.length, "finding")}${inScenarios(findings)}`]),
    ...(unusual.length === 0 ? [] : [counted(unusual.length, "unusual figure")])
  ]
  const list = (some: ReadonlyArray<string>) => `<ul class="findings">${some.join("")}</ul>`
  const more = rows.slice(mostShown)
  return `<section id="findings" aria-labelledby="findings-h"><h2 id="findings-h">${rows.length > 0 ? counts.join(", ") : isSure ? "Nothing to do" : "No findings"}</h2>${stillOpen(report, reap)}${unrun(report)}${uncompared === undefined ? "" : `<p class="calm cut">${escape(uncompared)}</p>`}${
    rows.length === 0
      ? `<p class="calm${report.interrupted ? " cut" : ""}">${calm(report)}</p>`
      : `${list(rows.slice(0, mostShown))}${more.length === 0 ? "" : folded(`${more.length} more`, list(more))}`
  }${better(report)}${notes(report, rows.length === 0)}</section>`
}
