import * as Money from "@webagent/cli/Money"
import { createHash } from "node:crypto"
import { isComplete, type Night, ofReport, plannedOf } from "@webagent/nights/Night"
import type { Replay } from "../reporters/Reporter.ts"
import { statusOf } from "@webagent/report/Finding"
import * as Findings from "@webagent/findings/Findings"
import * as RunText from "@webagent/findings/words/RunText"
import { statusWords } from "@webagent/findings/words/Title"
import { counted, duration, moment, number } from "@webagent/cli/Text"
import { isUncleanOnly, type RunReport, type ScenarioResult } from "@webagent/report/RunReport"
import * as CutShort from "@webagent/report/CutShort"
import * as Agreement from "@webagent/report/Agreement"
import * as EmbeddedTraces from "./EmbeddedTraces.ts"
import * as FindingsSection from "./Findings.ts"
import { escape } from "@webagent/cli/Xml"
import * as Judged from "./Judged.ts"
import { symbols } from "./Mark.ts"
import * as Overview from "./Overview.ts"
import { script } from "./PageScript.ts"
import * as Scenarios from "./Scenarios.ts"
import { styles } from "./Styles.ts"
import * as SuiteFigures from "./SuiteFigures.ts"
import * as Trend from "./Trend.ts"
import * as AgreementText from "@webagent/findings/words/AgreementText"
import * as SelectionText from "@webagent/findings/words/SelectionText"
import * as UsageText from "@webagent/findings/words/UsageText"

/** Input of a page. */
export interface PageOptions {
  readonly report: RunReport
  /** Packed traces by the names of their files. */
  readonly traces: ReadonlyArray<readonly [file: string, packed: EmbeddedTraces.Packed]>
  /** The last nights, oldest first. */
  readonly nights: ReadonlyArray<Night>
  readonly linkOf: Overview.LinkOf
  readonly replay: Replay
  /** The command that stops what is still open. */
  readonly reap?: string | undefined
  /** The names of the files next to the page that have the same report. */
  readonly files?: ReadonlyArray<string>
}

const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

// what is in the page may run and look like this, and nothing may leave it
const policy = [
  "default-src 'none'",
  `script-src ${hashOf(script)}`,
  `style-src ${hashOf(styles)}`,
  // pictures of a trace, once it is unpacked
  "img-src blob:",
  "base-uri 'none'",
  "form-action 'none'"
].join("; ")

const top = (report: RunReport, night: Night, nights: ReadonlyArray<Night>): string => {
  const { header } = report
  const { name, address } = header.target
  const about = [
    moment(header.startedAt),
    name === address ? name : `${name}, ${address}`,
    `seed ${header.seed}`,
    ...(header.shard === undefined ? [] : [`shard ${header.shard.index} of ${header.shard.of}`]),
    ...(report.shards === undefined ? [] : [`merged from ${counted(report.shards.length, "shard")}`]),
    ...(header.selection === undefined ? [] : [`only ${SelectionText.text(header.selection)}`]),
    ...(header.resumed ?? []).map(({ at }) => `resumed ${moment(at)}`)
  ]
  const { counts, leftovers = [] } = report
  const running = leftovers.filter(({ state }) => state === "open" || state === "unknown").length
  const passed = RunText.passedText(report)
  const status = statusOf(Findings.of(report))
  const title = RunText.titleOf(report)
  // then the title is the number of passed scenarios
  const isPassedTitle = status === "passed" && RunText.isPlain(report)
  const unrun = CutShort.unrun(report) ?? 0
  // a partial night took less and cost less than others
  const whole = nights.filter(isComplete).map(plannedOf)
  const planned = plannedOf(night)
  const { cost, requests, time } = UsageText.of(report)
  /** A figure, its part to confirm, and beside what usually is the rest: far more than that is marked. */
  const beside = (
    noun: string,
    { confirm }: typeof cost,
    of: (used: typeof planned) => number | undefined,
    format: (value: number) => string
  ): readonly [string, boolean] => {
    const now = of(planned)
    const { isFar, text } =
      now === undefined
        ? { isFar: false, text: "" }
        : Trend.usually(
            whole.flatMap((used) => of(used) ?? []),
            now,
            format
          )
    const compared = text === "" || confirm === undefined ? text : `the rest ${text}`
    return [[noun, confirm ?? "", compared].filter((part) => part !== "").join(", "), isFar]
  }
  const [besideCost, isCostFar] = beside(
    "",
    cost,
    (used) => Number(used.cost_usd),
    (usd) => Money.rounded(usd.toFixed(4))
  )
  const facts: ReadonlyArray<readonly [figure: string, noun: string, isFar?: boolean]> = [
    ...(report.interrupted ? [["stopped", "before its end"] as const] : []),
    ...(isPassedTitle ? [] : [["", passed] as const]),
    ...(counts.skipped === 0 ? [] : [[number(counts.skipped), "skipped"] as const]),
    ["", UsageText.trials(report, unrun)],
    [number(counts.requests), ...beside("requests", requests, (used) => used.requests, number)],
    [time.all, ...beside("wall time", time, (used) => used.duration_ms, duration)],
    // what is still open may make it more than usual
    running > 0 && !isCostFar ? [cost.all, cost.confirm ?? ""] : [cost.all, besideCost, isCostFar],
    ...(leftovers.length > running
      ? [[number(leftovers.length - running), "leftover resources stopped"] as const]
      : []),
    [number(running), running === 0 ? "still running" : "may still be running"]
  ]
  return `<header class="top wrap"><p class="kicker">${about.map((text) => `<span>${escape(text)}</span>`).join("")}<span class="theme js" role="group" aria-label="Colours"><button type="button" data-theme="auto" aria-pressed="true">Auto</button><button type="button" data-theme="light" aria-pressed="false">Light</button><button type="button" data-theme="dark" aria-pressed="false">Dark</button></span></p><h1><span class="status ${status}">${statusWords[status]}<span class="sr">:</span></span> ${escape(title)}</h1><ul class="facts">${facts.map(([figure, noun, isFar]) => `<li${isFar === true ? ' class="far"' : ""}>${figure === "" ? "" : `<b>${escape(figure)}</b> `}${escape(noun)}</li>`).join("")}</ul></header>`
}

/** The report as one page that opens from disk, needs nothing from elsewhere, and can be read without its script. */
export const render = ({ files = [], linkOf, nights, reap, replay, report, traces }: PageOptions): string => {
  const night = ofReport(report)
  const ids = new Map(report.results.map((result, index) => [result, `s${index}`]))
  const embedded = EmbeddedTraces.embed(traces)
  const idOf = (result: ScenarioResult) => ids.get(result) ?? ""
  const sections: ReadonlyArray<readonly [id: string, word: string, html: string]> = [
    ["findings", "Findings", FindingsSection.render(report, idOf, replay, reap)],
    ["trends", "Trends", Overview.trends(night, nights, { isCompared: report.judgement !== undefined, linkOf })],
    ["scenarios", "Scenarios", Scenarios.render(report, nights, { idOf, replay, traceOf: embedded.idOf })],
    ["usage", "Usage", Overview.usage(report)],
    [
      "statistics",
      "Statistics",
      Overview.statistics([
        Judged.render(report.judgement),
        SuiteFigures.render(report.figures, report.results.filter(isUncleanOnly).length),
        Agreement.of(report)
          .map((pair) => `<p class="small">${escape(AgreementText.text(pair))}</p>`)
          .join("")
      ])
    ]
  ]
  const shown = sections.filter(([, , html]) => html !== "")
  const title = `${statusWords[statusOf(Findings.of(report))]}: ${RunText.titleOf(report)} · ${report.header.startedAt.slice(0, 10)}`
  return `<!doctype html>
<html lang="en" data-version="${escape(report.header.tool.version)}"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${escape(title)}</title><style>${styles}</style></head><body>
<a class="skip" href="#findings">Skip to the findings</a>${symbols}
${top(report, night, nights)}
<nav aria-label="Sections"><ul class="wrap">${shown.map(([id, word]) => `<li><a href="#${id}">${word}</a></li>`).join("")}</ul></nav>
<main class="wrap">
${shown.map(([, , html]) => html).join("\n")}
</main>
<footer class="wrap"><p>${escape(`${report.header.tool.name} ${report.header.tool.version}`)}${files.length === 0 ? "" : ` · the same in ${files.map((file) => `<a href="${escape(file)}">${escape(file)}</a>`).join(", ")}`}</p></footer>
${embedded.html}
<script>${script}</script>
</body></html>
`
}
