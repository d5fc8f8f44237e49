import * as Onset from "@webagent/report/Onset"
import type { ScenarioResult } from "@webagent/report/RunReport"
import { shownVerdict, type Trial } from "@webagent/report/Trial"
import { escape } from "@webagent/cli/Xml"

type AnyVerdict = ScenarioResult["verdict"]

/** Sign and word of each verdict, so that color is never the only difference. */
export const marks: Readonly<Record<AnyVerdict, { readonly sign: string; readonly word: string }>> = {
  passed: { sign: "✓", word: "passed" },
  flaky: { sign: "≈", word: "flaky" },
  failed: { sign: "✗", word: "failed" },
  claimed: { sign: "!", word: "false success" },
  infra: { sign: "⌁", word: "unreachable" },
  unscored: { sign: "?", word: "unscored" },
  skipped: { sign: "–", word: "skipped" }
}

/** Worst first. */
export const order: ReadonlyArray<AnyVerdict> = ["claimed", "failed", "flaky", "infra", "unscored", "skipped", "passed"]

/** A verdict as a small label. */
export const badge = (verdict: AnyVerdict): string =>
  `<span class="badge ${verdict}"><span aria-hidden="true">${marks[verdict].sign}</span> ${marks[verdict].word}</span>`

/** Since when something is so, as a small label: what is old is as quiet as the text around it. */
export const age = (words: string | undefined, newest: Onset.Onset | undefined): string => {
  if (words === undefined) return ""
  const isOld = Onset.ageOf(newest) === "old"
  return `<span class="badge ${isOld ? "old" : "new"}">${escape(words)}</span>`
}

/** The shapes that dots are made of, once a page: each verdict has its own. */
export const symbols = `<svg class="symbols" aria-hidden="true"><defs>
<g id="d-passed"><circle cx="6" cy="6" r="4"/></g>
<g id="d-failed"><path d="M2.5 2.5 9.5 9.5M9.5 2.5 2.5 9.5" class="stroke"/></g>
<g id="d-claimed"><path d="M6 .8 11.2 6 6 11.2.8 6Z"/><path d="M6 3.4V6.4M6 8.1V8.6" class="inner"/></g>
<g id="d-infra"><rect x="2.2" y="2.2" width="7.6" height="7.6" class="hollow"/></g>
<g id="d-unscored"><circle cx="6" cy="6" r="3.6" class="hollow"/></g>
<g id="d-skipped"><path d="M3 6H9" class="stroke"/></g>
<g id="i-copy" fill="none" stroke="currentColor" stroke-width="1.4"><rect x="4.5" y="4.5" width="8" height="8" rx="1.5"/><path d="M9.5 2.5v-.5a.5.5 0 0 0-.5-.5H2a.5.5 0 0 0-.5.5V9a.5.5 0 0 0 .5.5h.5"/></g>
</defs></svg>`

const most = 40

/** A scenario's trials as dots in their order; what a dot means is said in words, too. */
export const dots = (trials: ReadonlyArray<Trial>): string => {
  if (trials.length === 0) return ""
  const shown = trials.slice(0, most)
  const shapes = shown
    .map((trial, index) => {
      const { reruns } = trial
      const verdict = shownVerdict(trial)
      const rerun = reruns.length === 0 ? "" : `<path class="rerun" d="M${index * 13 + 2} 14H${index * 13 + 10}"/>`
      return `<use href="#d-${verdict}" class="${verdict}" x="${index * 13}"/>${rerun}`
    })
    .join("")
  const runs = shown.reduce<ReadonlyArray<readonly [string, number]>>((groups, trial) => {
    const verdict = shownVerdict(trial)
    const last = groups.at(-1)
    return last?.[0] === verdict ? [...groups.slice(0, -1), [verdict, last[1] + 1]] : [...groups, [verdict, 1]]
  }, [])
  const words = runs.map(([verdict, count]) => (count === 1 ? verdict : `${count} ${verdict}`)).join(", ")
  const more = trials.length > most ? `<span class="faint">+${trials.length - most}</span>` : ""
  const width = shown.length * 13
  return `<svg class="dots" width="${width}" height="16" viewBox="0 0 ${width} 16" role="img" aria-label="${escape(`trials in order: ${words}`)}">${shapes}</svg>${more}`
}
