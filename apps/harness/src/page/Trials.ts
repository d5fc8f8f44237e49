import * as SkipText from "@webagent/findings/words/SkipText"
import { byCause, lineOf } from "@webagent/findings/Cause"
import * as ConfirmText from "@webagent/findings/words/ConfirmText"
import * as Money from "@webagent/cli/Money"
import { counted, duration, number } from "@webagent/cli/Text"
import type { ScenarioResult } from "@webagent/report/RunReport"
import { shownVerdict, type Trial } from "@webagent/report/Trial"
import { escape } from "@webagent/cli/Xml"
import { folded } from "./Html.ts"
import { badge } from "./Mark.ts"
import * as BreachText from "@webagent/findings/words/BreachText"

const columns = 7

const notes = (trial: Trial, shown: string | undefined): ReadonlyArray<string> => {
  const { breaches, failure, leakedBrowsers, opinions, reruns } = trial
  const reason = SkipText.reasonOf(trial)
  return [
    // what stands above the table is not said again
    ...(failure === undefined || lineOf(failure) === shown ? [] : [lineOf(failure)]),
    ...(reason === undefined ? [] : [reason]),
    ...(opinions?.agent === true && opinions.oracle === false ? ["the agent reported success"] : []),
    ...byCause(
      reruns.map(({ failure }) => failure),
      "infra"
    ).map(({ count, text }) => `${counted(count, "attempt")} retried: ${text}`),
    ...leakedBrowsers.map(
      ({ id, stopped }) => `leaked browser ${id}, ${stopped ? "stopped afterwards" : "could not be stopped"}`
    ),
    ...breaches.map(BreachText.text)
  ]
}

const traceCell = (trial: Trial, name: string, traceOf: (file: string) => string | undefined): string => {
  if (trial.trace === undefined) return ""
  const id = traceOf(trial.trace)
  const link = `<a href="${escape(trial.trace)}">trace<span class="sr"> of trial ${trial.index + 1} of ${escape(name)}</span></a>`
  return id === undefined
    ? link
    : `<button type="button" class="js" aria-expanded="false" data-trace="${id}"${shownVerdict(trial) === "passed" ? "" : " data-failed"}>Waterfall<span class="sr"> of trial ${trial.index + 1} of ${escape(name)}</span></button><noscript>${link}</noscript>`
}

const wide = (html: string) => `<tr><td></td><td colspan="${columns - 1}" class="small faint">${html}</td></tr>`

/** Renders the output of a trial in a folded section. Long lines can be scrolled with the keyboard. */
const printed = ({ index, output = [] }: Trial, name: string): string => {
  const text = output.map((one) => (one.stream === "stderr" ? `<b>${escape(one.text)}</b>` : escape(one.text))).join("")
  const label = `Output of trial ${index + 1} of ${name}`
  return text === ""
    ? ""
    : wide(folded("Output", `<pre tabindex="0" role="group" aria-label="${escape(label)}">${text}</pre>`))
}

const link = (url: string | null, text: string) =>
  url !== null && /^https?:\/\//u.test(url) ? [`<a href="${escape(url)}" rel="noreferrer">${text}</a>`] : []

/** Renders the agent's steps in the runs of a trial in a folded section. */
const agent = ({ agentSteps = [] }: Trial): string =>
  agentSteps
    .map(({ count, liveUrl, recordingUrl, runId, steps }) => {
      const links = [...link(liveUrl, "live view"), ...link(recordingUrl, "recording")]
      const item = ({ address, failure = null, number, summary }: (typeof steps)[number]) => {
        const where = address === null ? "" : ` <span class="faint">${escape(address)}</span>`
        const why = failure === null ? "" : ` <b>failed:</b> ${escape(failure)}`
        return `<li value="${number}">${escape(summary)}${where}${why}</li>`
      }
      const html = `${links.length === 0 ? "" : `<p>${links.join(" · ")}</p>`}<ol>${steps.map(item).join("")}</ol>`
      return wide(folded(`Agent: ${counted(count, "step")} of run ${runId}`, html))
    })
    .join("")

/** The trials of a scenario as a table; a trial whose trace is in the page opens its waterfall. */
export const render = (
  { confirm, failure, name, trials }: ScenarioResult,
  { traceOf }: { readonly traceOf: (file: string) => string | undefined }
): string => {
  const shown = failure === undefined ? undefined : lineOf(failure)
  const row = (trial: Trial) => {
    const { cost_usd, duration_ms, index, requests, seed } = trial
    const words = notes(trial, shown)
    return `<tr><th scope="row" class="n">${index + 1}</th><td>${badge(shownVerdict(trial))}</td><td class="n">${duration(duration_ms)}</td><td class="n less">${number(requests)}</td><td class="n less">${cost_usd === "0" ? "0" : escape(Money.rounded(cost_usd))}</td><td class="n mono less">${seed}</td><td>${traceCell(trial, name, traceOf)}</td></tr>${
      words.length === 0 ? "" : wide(words.map(escape).join("<br>"))
    }${agent(trial)}${printed(trial, name)}`
  }
  const confirmRows =
    confirm === undefined
      ? []
      : [
          `<tr><td colspan="${columns}" class="small">${escape(ConfirmText.text(confirm))}</td></tr>`,
          ...confirm.trials.map(row)
        ]
  return `<div class="scroll" tabindex="0" role="group" aria-label="Trials of ${escape(name)}"><table><caption>Trials</caption><thead><tr>${[
    ["trial", "n"],
    ["verdict", ""],
    ["time", "n"],
    ["requests", "n less"],
    ["cost", "n less"],
    ["seed", "n less"]
  ]
    .map(([text, align]) => `<th scope="col" class="${align}">${text}</th>`)
    .join(
      ""
    )}<th scope="col">trace</th></tr></thead><tbody>${[...trials.map(row), ...confirmRows].join("")}</tbody></table></div>`
}
