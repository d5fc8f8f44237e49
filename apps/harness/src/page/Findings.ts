import * as Attention from "../reporters/Attention.ts"
import type { Replay } from "../reporters/Reporter.ts"
import { counted } from "@webagent/report/Text"
import * as Gate from "@webagent/report/Gate"
import * as Onset from "@webagent/report/Onset"
import type { RunReport, ScenarioResult } from "@webagent/report/RunReport"
import { escape } from "@webagent/report/Xml"
import { command } from "./Html.ts"
import * as Mark from "./Mark.ts"

const first = 3

const tone = ({ result, what }: Attention.Item): string =>
  what.startsWith("worse") ? "flaky" : result === undefined || result.verdict === "passed" ? "failed" : result.verdict

const linked = ({ result, title }: Attention.Item, idOf: (result: ScenarioResult) => string): string =>
  result === undefined ? escape(title) : `<a href="#${idOf(result)}">${escape(title)}</a>`

/** Since when a finding is so; of several scenarios it is as new as the newest. */
const aged = (finding: Attention.Finding): string => {
  const [newest] = finding.items.flatMap(({ onset }) => onset ?? []).toSorted(Onset.newestFirst)
  return Mark.age(Attention.age(finding), newest)
}

// a longer list is folded away
const mostListed = 5

/** The scenarios of one cause. */
const listed = (items: ReadonlyArray<Attention.Item>, idOf: (result: ScenarioResult) => string): string => {
  const list = `<ul>${items.map((item) => `<li>${linked(item, idOf)}</li>`).join("")}</ul>`
  return items.length <= mostListed
    ? list
    : `<details class="fold"><summary>Which ${counted(items.length, "scenario")}</summary>${list}</details>`
}

const card = (finding: Attention.Finding, idOf: (result: ScenarioResult) => string, replay: Replay): string => {
  const { evidence, items, title, what } = finding
  const result = items[0]?.result
  const many = items.length > 1
  const look =
    result === undefined || many
      ? ""
      : `<a href="#${idOf(result)}">Look at it<span class="sr">: ${escape(title)}</span></a>`
  const actions =
    result === undefined
      ? ""
      : `<div class="actions">${look}${command(replay(result), many ? "Copy the first's" : "Copy")}</div>`
  const [shown] = items
  const style = shown === undefined ? "failed" : tone(shown)
  return `<article class="card ${style}"><h3><span class="badge ${style}">${escape(what)}</span> ${aged(finding)} ${escape(title)}</h3><p>${escape(evidence)}</p>${many ? listed(items, idOf) : ""}${actions}</article>`
}

const row = (finding: Attention.Finding, idOf: (result: ScenarioResult) => string): string => {
  const { evidence, items, what } = finding
  const more = items.length > 1 ? listed(items, idOf) : ""
  return `<li><b>${escape(what)}</b> ${aged(finding)} · ${linked(finding, idOf)} <span class="faint">${escape(evidence)}</span>${more}</li>`
}

/** What would make the run red, and does not. */
const notes = (report: RunReport): string => {
  const sentences = Gate.of(report).notes.map(({ sentence }) => `<li>${escape(sentence)}</li>`)
  return sentences.length === 0
    ? ""
    : `<h3>Known, and not held against this night</h3><ul class="notes">${sentences.join("")}</ul>`
}

/** What scenarios left going is no fault of theirs, and is not kept quiet either. */
const left = ({ leftovers = [] }: RunReport): string => {
  if (leftovers.length === 0)
    return "What was run passed, nothing was left open, and nothing was seen that must not be."
  const open = leftovers.filter(({ state }) => state === "open" || state === "unknown").length
  return `What was run passed, and nothing was seen that must not be. ${
    open === 0
      ? "What scenarios had left to itself was ended."
      : "What may go on at the service, and cost, is listed in the overview."
  }`
}

const calm = (report: RunReport): readonly [title: string, text: string] => {
  if (report.interrupted) return ["Stopped before its end", "What was run is well, but not everything was."]
  const ran = report.results.some(({ verdict }) => verdict !== "skipped")
  return ran ? ["Nothing needs you", left(report)] : ["Nothing was run", "Why not is said below."]
}

/** What comes first: what is new, where that can be told. */
const orderOf = (findings: ReadonlyArray<Attention.Finding>): string =>
  findings.some(({ items }) => items.some(({ onset }) => onset !== undefined)) ? "what is new" : "worst"

/** What needs a person: the first three in full, the rest a line each. */
export const render = (report: RunReport, idOf: (result: ScenarioResult) => string, replay: Replay): string => {
  const items = Attention.findings(report)
  const rest = items.slice(first)
  const [title, text] =
    items.length === 0
      ? calm(report)
      : [items.length === 1 ? "This needs you" : `${counted(items.length, "finding")}, ${orderOf(items)} first`, ""]
  const cards = items.slice(0, first).map((item) => card(item, idOf, replay))
  const more =
    rest.length === 0
      ? ""
      : `<details class="fold"${rest.length <= 7 ? " open" : ""}><summary>${rest.length} more</summary><ul>${rest.map((item) => row(item, idOf)).join("")}</ul></details>`
  return `<section id="findings" aria-labelledby="findings-h"><h2 id="findings-h">${title}</h2>${
    items.length === 0
      ? `<p class="calm${report.interrupted ? " cut" : ""}">${text}</p>`
      : `<div class="cards">${cards.join("")}</div>${more}`
  }${notes(report)}</section>`
}
