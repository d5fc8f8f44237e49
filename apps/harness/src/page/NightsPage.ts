import { judgeNight } from "@webagent/findings/NightFindings"
import * as NightText from "@webagent/findings/words/NightText"
import { statusWords } from "@webagent/findings/words/Title"
import type { Night } from "@webagent/nights/Night"
import type { Past } from "@webagent/nights/Past"
import type { RunStatus } from "@webagent/report/Finding"
import * as Money from "@webagent/cli/Money"
import { counted, duration } from "@webagent/cli/Text"
import { escape } from "@webagent/cli/Xml"
import { createHash } from "node:crypto"
import * as HeatMap from "./HeatMap.ts"
import { labelOf } from "./NightLabel.ts"
import { nightsStyles, styles } from "./Styles.ts"
import * as PartialText from "@webagent/findings/words/PartialText"

/** Input of the page of all nights. */
interface NightsOptions {
  readonly past: Past
  /** Number of latest nights to show. */
  readonly last: number
  /** Link from this page to the page of a night; undefined if its location is unavailable. */
  readonly linkOf: (night: Night) => string | undefined
}

/** A night as the page shows it. */
interface Shown {
  readonly night: Night
  readonly status: RunStatus
  readonly title: string
  /** True if the status is from the night's own report. Otherwise, its figures were judged again. */
  readonly isRecorded: boolean
  readonly href: string | undefined
  /** When it began, to the minute. */
  readonly at: string
}

const sheet = `${styles}${nightsStyles}`

// the page has no script, and loads nothing
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(sheet).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'"
].join("; ")

const linked = ({ href }: Shown, text: string): string =>
  href === undefined ? `<span>${text}</span>` : `<a href="${escape(href)}">${text}</a>`

const moneyOf = ({ cost_usd, fingerprint }: Night): string =>
  `${Money.rounded(cost_usd)}${fingerprint.target === "simulated" ? " simulated" : ""}`

/** Result and title of a night; one of an older version is judged by its figures. */
const resultOf = (past: Past, night: Night): Pick<Shown, "status" | "title"> => {
  const { findings, status } =
    night.findings === undefined || night.status === undefined
      ? { ...judgeNight(past, night), ...(night.status === undefined ? {} : { status: night.status }) }
      : { findings: night.findings, status: night.status }
  return { status, title: NightText.titleOf({ ...night, findings }) }
}

const badge = ({ status }: Shown, html: string): string => `<span class="status ${status}">${html}</span>`

/** Marks a night that was judged again. */
const star = ({ isRecorded }: Shown): string => (isRecorded ? "" : "*")

const statusOf = (shown: Shown): string => badge(shown, `${statusWords[shown.status]}${star(shown)}`)

/** A night in a line: its status, its report, why, how many scenarios passed, its time and its cost. */
const line = (shown: Shown): string => {
  const { at, night, status, title } = shown
  const why = [
    ...(status === "passed" ? [] : [title]),
    ...(night.partial === undefined ? [] : [`partial: ${PartialText.text(night.partial)}`])
  ].join(" · ")
  return `<li>${statusOf(shown)}<b>${linked(shown, at)}</b><span class="why" title="${escape(why)}">${escape(why)}</span><span>${NightText.passedText(night)}</span><span class="n">${duration(night.duration_ms)}</span><span class="n">${escape(moneyOf(night))}</span></li>`
}

/** A night as the head of its column: its day, its time where a day has several, and that it is partial. */
const headOf = (shown: Shown, label: string): string => {
  const { night, status, title } = shown
  const [day = "", time] = label.split(" ")
  const under = [...(time === undefined ? [] : [time]), ...(night.partial === undefined ? [] : ["partial"])]
  const text = `${day.slice(5)}${star(shown)}${under.map((line) => `<small>${line}</small>`).join("")}`
  return `<th scope="col" title="${escape([statusWords[status], title].filter((part) => part !== "").join(": "))}">${badge(shown, linked(shown, text))}</th>`
}

/** All nights of a history on one page: each with its status, cost and report, and a heat map of scenarios by nights. */
export const render = ({ last, linkOf, past }: NightsOptions): string => {
  const nights = past.nights.slice(-last)
  const at = labelOf(nights, 16)
  const shown = nights.map((night): Shown => ({
    night,
    ...resultOf(past, night),
    isRecorded: night.status !== undefined,
    href: linkOf(night),
    at: at(night)
  }))
  const newest = shown.at(-1)
  if (newest === undefined) return ""
  const { night, status } = newest
  const title = newest.title === "" ? NightText.passedText(night) : newest.title
  const failed = shown.filter(({ status }) => status === "failed")
  const lastFailed = failed.at(-1)
  const label = labelOf(nights)
  const facts = [
    `${linked(newest, newest.at)}, the last night${night.partial === undefined ? "" : ", partial"}`,
    ...(lastFailed === undefined || lastFailed === newest
      ? []
      : [`${linked(lastFailed, lastFailed.at)}, the last failed night: ${escape(lastFailed.title)}`]),
    `${failed.length} of ${counted(shown.length, "night")} failed`,
    "newest night on the right, and last in the list",
    ...(shown.every(({ isRecorded }) => isRecorded)
      ? []
      : ["* recorded by an older version: judged by its figures alone, without limits and quarantine"])
  ]
  const columns = shown.map((one) => ({
    night: one.night,
    label: label(one.night),
    head: headOf(one, label(one.night))
  }))
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${escape(`${statusWords[status]}: ${title} · ${counted(shown.length, "night")}`)}</title><style>${sheet}</style></head><body>
<header class="top wrap"><h1>${statusOf(newest)}<span class="sr">:</span> ${escape(title)}</h1><ul class="facts">${facts.map((fact) => `<li>${fact}</li>`).join("")}</ul></header>
<main class="wrap">
<section aria-labelledby="map-h"><h2 id="map-h">Scenarios by nights <span class="faint small">times in UTC</span></h2>${HeatMap.render(columns)}</section>
<section aria-labelledby="nights-h"><h2 id="nights-h">Nights <span class="faint small">times in UTC</span></h2><ul class="nights-list">${shown.map(line).join("")}</ul></section>
</main>
</body></html>
`
}
