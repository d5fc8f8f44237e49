import * as SkipText from "@webagent/findings/words/SkipText"
import { lineOf } from "@webagent/findings/Cause"
import * as Money from "@webagent/cli/Money"
import * as Night from "@webagent/nights/Night"
import * as Outages from "@webagent/findings/Outages"
import { releaseText } from "@webagent/findings/words/HistoryLines"
import * as OutageText from "@webagent/findings/words/OutageText"
import { counted, duration, number, percent } from "@webagent/cli/Text"
import * as InterruptedTrials from "@webagent/report/InterruptedTrials"
import { countsOf, type RunReport, type ScenarioResult } from "@webagent/report/RunReport"
import type { Leftover, Rerun, Trial } from "@webagent/report/Trial"
import { escape } from "@webagent/cli/Xml"
import { scenarioTitle } from "@webagent/report/Comparison"
import { folded, table } from "./Html.ts"
import { marks, order } from "./Mark.ts"
import { labelOf } from "./NightLabel.ts"
import * as Trend from "./Trend.ts"
import * as BreachText from "@webagent/findings/words/BreachText"

const verdictBar = (results: ReadonlyArray<ScenarioResult>): string => {
  const counts = countsOf(results)
  const shown = order.filter((verdict) => counts[verdict] > 0)
  let x = 0
  const parts = shown.map((verdict) => {
    const width = (counts[verdict] / results.length) * 1000
    const part = `<rect class="${verdict}" x="${x.toFixed(1)}" width="${Math.max(width - 2, 1).toFixed(1)}" height="20"/>`
    x += width
    return part
  })
  const words = shown.map((verdict) => `${counts[verdict]} ${marks[verdict].word}`).join(", ")
  const legend = shown.map(
    (verdict) =>
      `<li><span class="badge ${verdict}"><span aria-hidden="true">${marks[verdict].sign}</span> ${counts[verdict]} ${marks[verdict].word}</span></li>`
  )
  return `<svg class="verdicts" viewBox="0 0 1000 20" preserveAspectRatio="none" role="img" aria-label="${escape(words)}">${parts.join("")}</svg><ul class="legend">${legend.join("")}</ul>`
}

/** Link from this page to the report of an earlier night; undefined if its location is unavailable. */
export type LinkOf = (night: Night.Night) => string | undefined

/** The reports of the earlier nights, the newest last. */
const earlier = (days: ReadonlyArray<Trend.TrendNight>): string => {
  const links = days
    .slice(0, -1)
    .flatMap(({ day, href }) => (href === undefined ? [] : [`<li><a href="${escape(href)}">${day}</a></li>`]))
  return links.length === 0
    ? ""
    : folded(`Reports of ${counted(links.length, "earlier night")}`, `<ul class="facts">${links.join("")}</ul>`)
}

/** A night of the history as a point of a trend. */
const trendsOf = (nights: ReadonlyArray<Night.Night>, linkOf: LinkOf, isCompared: boolean): string => {
  if (nights.length < 2)
    return `<p class="faint">No trends yet: trends need 2 recorded nights, verdicts 5 earlier ones.${isCompared ? "" : " Record nights with --history FILE --record."}</p>`
  const label = labelOf(nights)
  const days = nights.map((night) => ({ day: label(night), href: linkOf(night) }))
  const isSimulated = nights.at(-1)?.fingerprint.target === "simulated"
  const sum = ({ scenarios }: Night.Night, of: (scenario: Night.NightScenario) => number) =>
    scenarios.reduce((total, scenario) => total + of(scenario), 0)
  const figures: ReadonlyArray<
    readonly [
      title: string,
      of: (night: Night.Night) => number | null,
      format: (value: number) => string,
      worse: "more" | "less"
    ]
  > = [
    [
      "scenarios passed",
      ({ scenarios }) => {
        const ran = scenarios.filter(({ verdict }) => verdict !== "skipped")
        return ran.length === 0 ? null : ran.filter(({ verdict }) => verdict === "passed").length / ran.length
      },
      percent,
      "less"
    ],
    [
      isSimulated ? "cost, simulated" : "cost",
      (night) => Number(Night.plannedOf(night).cost_usd),
      (value) => Money.rounded(value.toFixed(4)),
      "more"
    ],
    ["wall time", (night) => Night.plannedOf(night).duration_ms ?? null, duration, "more"],
    [
      "flaky scenarios",
      ({ scenarios }) => scenarios.filter(({ verdict }) => verdict === "flaky").length,
      number,
      "more"
    ],
    ["leaked browsers", (night) => sum(night, ({ leaks }) => leaks), number, "more"]
  ]
  return `<p class="small faint">The last ${nights.length} nights, this one last, on the right. Band: the middle 80 % of the nights before.${nights.every(({ scenarios }) => scenarios.every(({ confirm }) => confirm === undefined)) ? "" : " Cost and wall time are without confirm trials."}</p><div class="grid">${figures
    .map(([title, of, format, worse]) => Trend.render({ title, format, worse, values: nights.map(of), nights: days }))
    .join("")}</div>${earlier(days)}`
}

const limits = (report: RunReport): string => {
  const { cost_usd, counts, duration_ms, header } = report
  const { limits } = header
  const cut = InterruptedTrials.of(report)
  const most = cut?.most_usd ?? null
  const rows = [
    ["time", duration(duration_ms), limits.time_ms === undefined ? "none" : duration(limits.time_ms)],
    [
      header.target.simulated ? "cost, simulated" : "cost",
      Money.rounded(cost_usd),
      limits.cost_usd === undefined ? "none" : `${limits.cost_usd} USD`
    ],
    ...(cut === undefined
      ? []
      : [
          [
            counted(cut.trials, "interrupted trial"),
            most === null ? "unknown" : `unknown, charged ${Money.rounded(most)}`,
            ""
          ]
        ]),
    ["requests", number(counts.requests), limits.requests === undefined ? "none" : number(limits.requests)],
    ["retries", number(counts.reruns), limits.reruns === undefined ? "none" : number(limits.reruns)],
    ...(limits.confirm === undefined
      ? []
      : [
          [
            "confirm trials",
            number(report.results.reduce((sum, { confirm }) => sum + (confirm?.trials.length ?? 0), 0)),
            number(limits.confirm)
          ]
        ])
  ]
  return table({
    caption: "Used, and its limit",
    heads: ["what", "used", "limit"],
    rows,
    align: " nn"
  })
}

const skipped = (results: ReadonlyArray<ScenarioResult>): string => {
  const reasons = Map.groupBy(
    results.filter(({ verdict }) => verdict === "skipped"),
    (result) => SkipText.reasonOf(result) ?? "no reason was given"
  )
  if (reasons.size === 0) return ""
  const rows = [...reasons].map(([reason, group]) => [escape(reason), number(group.length)])
  return table({ caption: "Skipped scenarios", heads: ["reason", "scenarios"], rows, align: " n" })
}

// longer tables are folded away
const mostShown = 5

const reruns = (results: ReadonlyArray<ScenarioResult>): string => {
  const all = results.flatMap((result) =>
    result.trials.flatMap((trial) => trial.reruns.map((rerun) => [result, trial, rerun] as const))
  )
  if (all.length === 0) return ""
  const row = ([result, { index, verdict }, { failure }]: readonly [ScenarioResult, Trial, Rerun]) => [
    escape(scenarioTitle(result)),
    String(index + 1),
    escape(lineOf(failure)),
    marks[verdict].word
  ]
  const shown = all.slice(0, 50)
  const whole = table({
    caption: `${counted(all.length, "trial")} retried after infrastructure errors${all.length > shown.length ? "; the first 50" : ""}`,
    heads: ["scenario", "trial", "error", "then"],
    rows: shown.map(row),
    align: " n"
  })
  return all.length > mostShown ? folded(`${counted(all.length, "trial")} retried`, whole) : whole
}

/** When the service could not be asked, what that cost, and what was asked. */
const outages = (report: RunReport): string => {
  const all = Outages.of(report).map(Outages.tollOf)
  const rows = all.map((outage) => [
    escape(OutageText.span(outage)),
    escape(OutageText.toll(outage)),
    number(outage.scenarios),
    escape(OutageText.requests(outage))
  ])
  const caption = "Outages of the service"
  const heads = ["when", "effect", "scenarios", "requests"]
  const whole = table({ caption, heads, rows, align: "  n" })
  return all.length === 0 ? "" : all.length > mostShown ? folded(counted(all.length, "outage"), whole) : whole
}

const leftBy = (trial: Leftover["trial"]) =>
  trial === null
    ? "unknown trial"
    : escape(`${scenarioTitle({ suite: trial.suite, name: trial.scenario })}, trial ${trial.index + 1}`)

const isEnded = ({ state }: Leftover) => state === "stopped" || state === "over"

/** Renders leftovers: those that may still be running are visible, and stopped ones are in a folded section. */
const leftOpen = (leftovers: ReadonlyArray<Leftover>): string => {
  const tableOf = (caption: string, rows: ReadonlyArray<Leftover>) =>
    table({
      caption,
      heads: ["scenario", "outcome"],
      rows: rows.map(({ sentence, trial }) => [leftBy(trial), escape(sentence)])
    })
  const ended = leftovers.filter(isEnded)
  const open = leftovers.filter((one) => !isEnded(one))
  const kinds = (all: ReadonlyArray<Leftover>) =>
    [...Map.groupBy(all, ({ kind }) => kind)].map(([kind, group]) => counted(group.length, kind)).join(" and ")
  const going = open.length === 0 ? "" : tableOf(`May still be running, and cost: ${kinds(open)}`, open)
  return `${open.length > mostShown ? folded(`May still be running, and cost: ${kinds(open)}`, going) : going}${
    ended.length === 0
      ? ""
      : folded(`Stopped afterwards: ${kinds(ended)}`, tableOf("Left open when their trials ended", ended))
  }`
}

const breaches = ({ breaches, leftovers = [] }: RunReport): string => {
  const found =
    breaches.length === 0
      ? ""
      : table({
          caption: "Broken invariants of the whole run",
          heads: ["invariant", "evidence", "resource"],
          rows: breaches.map((breach) => [
            `<b>${escape(breach.invariant)}</b>`,
            escape(BreachText.text(breach)),
            `<code>${escape(breach.resource ?? "")}</code>`
          ])
        })
  return `${found}${leftOpen(leftovers)}`
}

const quarantine = ({ proposals = [], results }: RunReport): string => {
  const held = results.flatMap((result) => (result.quarantine === undefined ? [] : [{ ...result.quarantine, result }]))
  const list =
    held.length === 0
      ? ""
      : table({
          caption: "Quarantine: these run, and do not fail the night until their last day",
          heads: ["scenario", "tonight", "owner", "reason", "last day"],
          align: "    n",
          rows: held.map(({ expired, expires, owner, reason, result }) => [
            escape(scenarioTitle(result)),
            marks[result.verdict].word,
            escape(owner),
            escape(reason),
            expired ? `<b>${escape(expires)}, expired</b>` : escape(expires)
          ])
        })
  const free =
    proposals.length === 0
      ? ""
      : table({
          caption: "May leave quarantine",
          heads: ["scenario", "owner", "evidence"],
          rows: proposals.map((proposal) => [
            escape(scenarioTitle({ suite: proposal.suite, name: proposal.scenario })),
            escape(proposal.owner),
            escape(releaseText(proposal))
          ])
        })
  return list + free
}

const section = (id: string, heading: string, html: string): string =>
  `<section id="${id}" aria-labelledby="${id}-h"><h2 id="${id}-h">${heading}</h2>${html}</section>`

/** The last nights as small lines. */
export const trends = (
  night: Night.Night,
  nights: ReadonlyArray<Night.Night>,
  { isCompared, linkOf }: { readonly isCompared: boolean; readonly linkOf: LinkOf }
): string => section("trends", "Trends", trendsOf([...nights.filter(Night.isComplete), night], linkOf, isCompared))

/** Renders the run's usage, and the resources that it skipped, retried and left open. */
export const usage = (report: RunReport): string => {
  const { results } = report
  const tables = [
    limits(report),
    outages(report),
    breaches(report),
    skipped(results),
    reruns(results),
    quarantine(report)
  ]
  return section(
    "usage",
    "Usage and limits",
    `${results.length === 0 ? "<p>No scenario was selected.</p>" : verdictBar(results)}<div class="two">${tables
      .filter((text) => text !== "")
      .map((text) => `<div>${text}</div>`)
      .join("")}</div>`
  )
}

/** Renders the statistics behind the verdicts in a folded section; empty if there are none. */
export const statistics = (parts: ReadonlyArray<string>): string => {
  const html = parts.filter((part) => part !== "").join("")
  return html === ""
    ? ""
    : section("statistics", "Statistics", folded("Comparison with earlier nights, pass rates and agreement", html))
}
