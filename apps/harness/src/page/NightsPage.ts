import { judgeNight } from "@webagent/nights/LastNight"
import { keyOf, type Night, type NightScenario } from "@webagent/nights/Night"
import { type Past, scenariosOf } from "@webagent/nights/Past"
import * as Headline from "@webagent/report/Headline"
import * as Money from "@webagent/report/Money"
import { counted, duration } from "@webagent/report/Text"
import { escape } from "@webagent/report/Xml"
import { median } from "@webagent/statistics/Robust"
import { createHash } from "node:crypto"
import { marks } from "./Mark.ts"
import { nightsStyles, styles } from "./Styles.ts"

/** What the page of all nights is drawn from. */
interface NightsOptions {
  readonly past: Past
  /** How many of the last nights it shows. */
  readonly last: number
  /** Where the page of a night is, from this one; undefined where that is not known. */
  readonly linkOf: (night: Night) => string | undefined
}

/** A night as the page shows it. */
interface Shown {
  readonly night: Night
  readonly status: Headline.Status
  readonly title: string
  /** Whether its own report said so; else its figures were judged again. */
  readonly isRecorded: boolean
  readonly href: string | undefined
}

const sheet = `${styles}${nightsStyles}`

// the page has no script, and loads nothing
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(sheet).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'"
].join("; ")

const dayOf = ({ startedAt }: Night) => startedAt.slice(0, 10)

const linked = ({ href }: Shown, text: string): string =>
  href === undefined ? `<span>${text}</span>` : `<a href="${escape(href)}">${text}</a>`

const moneyOf = ({ cost_usd, fingerprint }: Night): string =>
  `${Money.rounded(cost_usd)}${fingerprint.target === "simulated" ? " simulated" : ""}`

const passedOf = ({ scenarios }: Night): string =>
  `${scenarios.filter(({ verdict }) => verdict === "passed").length} of ${scenarios.length} passed`

/** What a night of an older version was: judged by its figures alone, and why in a line. */
const judgedAgain = (past: Past, night: Night): Pick<Shown, "status" | "title"> => {
  const { judgement, reasons, tier } = judgeNight(past, night)
  const status = tier === "fine" ? "green" : tier
  const row = judgement.rows.find((row) => row.tier === "unusual")
  const [reason] = reasons
  if (reason !== undefined || status !== "unusual" || row === undefined) return { status, title: reason ?? "" }
  const of = row.scenario === null ? "the whole night" : `${row.scenario.suite} › ${row.scenario.name}`
  return { status, title: `${row.figure} of ${of}: ${row.evidence.split(";")[0]}` }
}

const badge = ({ isRecorded, status }: Shown, text: string): string =>
  `<span class="status ${status}">${text}${isRecorded ? "" : "*"}</span>`

/** A night in a line: its status, its report, why, how many scenarios passed, its time and its cost. */
const line = (shown: Shown): string => {
  const { night, status, title } = shown
  const at = night.startedAt.slice(0, 16).replace("T", " ")
  const why = status === "green" ? "" : title
  return `<li>${badge(shown, Headline.words[status])}<b>${linked(shown, at)}</b><span class="why" title="${escape(why)}">${escape(why)}</span><span>${passedOf(night)}</span><span class="n">${duration(night.duration_ms)}</span><span class="n">${escape(moneyOf(night))}</span></li>`
}

const rateClass = ({ leaks, passed, scored, verdict }: NightScenario): string => {
  if (scored === 0) return verdict
  const share = leaks > 0 ? 0 : passed / scored
  return share === 1 ? "all" : share >= 0.75 ? "most" : share >= 0.4 ? "some" : share > 0 ? "few" : "nothing"
}

const rateText = ({ leaks, passed, scored, verdict }: NightScenario): string =>
  leaks > 0 ? "leak" : scored === 0 ? marks[verdict].sign : passed === scored ? "✓" : `${passed}/${scored}`

/** How a duration differs from what the scenario usually has, in steps that one tells apart by colour. */
const timeClass = (ratio: number): string =>
  ratio > 3
    ? "slow3"
    : ratio > 1.75
      ? "slow2"
      : ratio > 1.25
        ? "slow1"
        : ratio < 0.6
          ? "fast2"
          : ratio < 0.8
            ? "fast1"
            : ""

const timeText = (ratio: number): string => (timeClass(ratio) === "" ? "·" : `×${ratio.toFixed(1)}`)

const cell = (one: NightScenario | undefined, usual_ms: number, { night }: Shown): string => {
  if (one === undefined) return '<td class="none"><span class="sr">not run</span></td>'
  const time_ms = one.durations?.median_ms
  const ratio = time_ms === undefined || usual_ms === 0 ? undefined : time_ms / usual_ms
  const time = time_ms === undefined ? "" : `, ${duration(time_ms)}`
  const title = `${dayOf(night)}: ${one.passed} of ${one.scored} trials passed${time}`
  return `<td class="${rateClass(one)} ${ratio === undefined ? "" : timeClass(ratio)}" title="${escape(title)}"><span class="rate">${rateText(one)}</span><span class="time">${ratio === undefined ? "" : timeText(ratio)}</span></td>`
}

interface Row {
  readonly suite: string
  readonly name: string
  readonly cells: ReadonlyArray<NightScenario | undefined>
  /** The more of its last trials failed, the higher it stands. */
  readonly failures: number
}

const rowsOf = (shown: ReadonlyArray<Shown>): ReadonlyArray<Row> => {
  const names = new Map(
    shown.flatMap(({ night }) =>
      night.scenarios.map(({ name, suite }) => [keyOf(suite, name), { name, suite }] as const)
    )
  )
  return [...names].map(([key, { name, suite }]) => {
    const cells = shown.map(({ night }) => scenariosOf(night).get(key))
    const failures = cells.reduce(
      (sum, one, index) => sum + (one === undefined || rateClass(one) === "all" ? 0 : 2 - index / cells.length),
      0
    )
    return { suite, name, cells, failures }
  })
}

const heatMap = (shown: ReadonlyArray<Shown>): string => {
  const suites = Map.groupBy(rowsOf(shown), ({ suite }) => suite)
  const worst = (rows: ReadonlyArray<Row>) => Math.max(...rows.map(({ failures }) => failures))
  const heads = shown.map(
    (one) =>
      `<th scope="col" title="${escape(`${Headline.words[one.status]}: ${one.title}`)}">${badge(one, linked(one, dayOf(one.night).slice(5)))}</th>`
  )
  const bodies = [...suites]
    .toSorted(([, one], [, other]) => worst(other) - worst(one))
    .map(([suite, rows]) => {
      const lines = rows
        .toSorted((one, other) => other.failures - one.failures)
        .map(({ cells, name }) => {
          const times = cells.flatMap((one) => one?.durations?.median_ms ?? [])
          const usual_ms = times.length === 0 ? 0 : median(times)
          const each = shown.map((night, index) => cell(cells[index], usual_ms, night))
          return `<tr><th scope="row" title="${escape(name)}">${escape(name)}</th>${each.join("")}</tr>`
        })
      return `<tbody><tr><th scope="rowgroup" class="suite">${escape(suite)}</th></tr>${lines.join("")}</tbody>`
    })
  return `<div class="heat"><fieldset class="views"><legend class="sr">What the colours show</legend><label><input type="radio" name="view" id="by-rate" checked> pass rate</label><label><input type="radio" name="view" id="by-time"> duration, as a multiple of the median</label></fieldset><div class="scroll" tabindex="0" role="group" aria-label="Scenarios by nights"><table><thead><tr><td></td>${heads.join("")}</tr></thead>${bodies.join("")}</table></div></div>`
}

/** All nights of a history on one page: each with its status, cost and report, and a heat map of scenarios by nights. */
export const render = ({ last, linkOf, past }: NightsOptions): string => {
  const shown = past.nights
    .slice(-last)
    .map((night): Shown => ({
      night,
      ...(night.verdict ?? judgedAgain(past, night)),
      isRecorded: night.verdict !== undefined,
      href: linkOf(night)
    }))
    // the newest first: a phone shows only some
    .toReversed()
  const [newest] = shown
  if (newest === undefined) return ""
  const { night, status } = newest
  const title = newest.title === "" ? passedOf(night) : newest.title
  const red = shown.filter(({ status }) => status === "red").length
  const facts = [
    linked(newest, `${dayOf(night)}, the last night`),
    `${red} of ${counted(shown.length, "night")} red`,
    ...(shown.every(({ isRecorded }) => isRecorded)
      ? []
      : ["* by an older version: judged by its figures, without limits and quarantine"])
  ]
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${escape(`${Headline.words[status]}: ${title} · ${counted(shown.length, "night")}`)}</title><style>${sheet}</style></head><body>
<header class="top wrap"><h1>${badge(newest, Headline.words[status])}<span class="sr">:</span> ${escape(title)}</h1><ul class="facts">${facts.map((fact) => `<li>${fact}</li>`).join("")}</ul></header>
<main class="wrap">
<section aria-labelledby="map-h"><h2 id="map-h">Scenarios by nights</h2>${heatMap(shown)}</section>
<section aria-labelledby="nights-h"><h2 id="nights-h">Nights <span class="faint small">times in UTC</span></h2><ul class="nights-list">${shown.map(line).join("")}</ul></section>
</main>
</body></html>
`
}
