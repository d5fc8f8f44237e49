import type { RunDetails, RunStep } from "@webagent/admin"
import { resultText } from "./values.ts"

/** Keeps a text of strangers in one block of Markdown: a longer fence than any in the text. */
const fenced = (text: string): string => {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([ticks]) => ticks.length))
  const fence = "`".repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}

/** A text of strangers on one line, without the characters that are markup. */
const inline = (text: string): string => text.replaceAll(/\s+/gu, " ").replaceAll(/[\\`*_{}[\]<>|#]/gu, "\\$&")

/** A run as a Markdown document. */
export const markdownOf = (run: RunDetails, steps: ReadonlyArray<RunStep>): string => {
  const facts = [
    ["Status", run.failure === null ? run.status : `${run.status} (${run.failure})`],
    ["Id", run.id],
    ["Session", run.sessionId],
    ["Model", run.model],
    ["Key", run.owner],
    ["Cost", run.totalCostUsd === null ? null : `${run.totalCostUsd} USD`],
    ["Created", run.createdAt],
    ["Finished", run.finishedAt]
  ].flatMap(([name, value]) => (value === null || value === undefined ? [] : [`- ${name}: ${inline(value)}`]))
  const lines = steps.map(
    ({ address, failure, number, summary }) =>
      `${number}. ${inline(summary)}${address === null ? "" : ` (${inline(address)})`}${failure === null ? "" : ` – failed: ${inline(failure)}`}`
  )
  return [
    "# Run",
    fenced(run.task),
    facts.join("\n"),
    ...(run.error === null ? [] : ["## Error", fenced(run.error)]),
    ...(run.result === null ? [] : ["## Result", fenced(resultText(run.result))]),
    ...(lines.length === 0 ? [] : ["## Steps", lines.join("\n")])
  ]
    .join("\n\n")
    .concat("\n")
}
