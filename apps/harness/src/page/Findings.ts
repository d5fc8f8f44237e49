import * as Attention from "../reporters/Attention.ts"
import type { Replay } from "../reporters/Reporter.ts"
import { counted } from "../reporters/Style.ts"
import type { RunReport, ScenarioResult } from "../runner/RunReport.ts"
import { command, escape } from "./Html.ts"

const first = 3

const tone = ({ result, what }: Attention.Item): string =>
  what.startsWith("worse") ? "flaky" : result === undefined || result.verdict === "passed" ? "failed" : result.verdict

const card = (item: Attention.Item, idOf: (result: ScenarioResult) => string, replay: Replay): string => {
  const { evidence, result, title, what } = item
  const actions =
    result === undefined
      ? ""
      : `<div class="actions"><a href="#${idOf(result)}">Look at it<span class="sr">: ${escape(title)}</span></a>${command(replay(result), "Copy")}</div>`
  return `<article class="card ${tone(item)}"><h3><span class="badge ${tone(item)}">${escape(what)}</span> ${escape(title)}</h3><p>${escape(evidence)}</p>${actions}</article>`
}

const row = ({ evidence, result, title, what }: Attention.Item, idOf: (result: ScenarioResult) => string): string => {
  const name = result === undefined ? escape(title) : `<a href="#${idOf(result)}">${escape(title)}</a>`
  return `<li><b>${escape(what)}</b> · ${name} <span class="faint">${escape(evidence)}</span></li>`
}

/** What needs a person: the first three in full, the rest a line each. */
export const render = (report: RunReport, idOf: (result: ScenarioResult) => string, replay: Replay): string => {
  const items = Attention.items(report)
  const rest = items.slice(first)
  if (items.length === 0) {
    return `<section id="findings" aria-labelledby="findings-h"><h2 id="findings-h">Nothing needs you</h2><p class="calm">${
      report.interrupted
        ? "What was run is well, but the run was stopped before its end."
        : "Every scenario that was run passed, nothing was left open, and nothing that must not be was seen."
    }</p></section>`
  }
  return `<section id="findings" aria-labelledby="findings-h"><h2 id="findings-h">${
    items.length === 1 ? "This needs you" : `${counted(items.length, "finding")}, worst first`
  }</h2><div class="cards">${items
    .slice(0, first)
    .map((item) => card(item, idOf, replay))
    .join("")}</div>${
    rest.length === 0
      ? ""
      : `<details class="fold"${rest.length <= 7 ? " open" : ""}><summary>${rest.length} more</summary><ul>${rest.map((item) => row(item, idOf)).join("")}</ul></details>`
  }</section>`
}
