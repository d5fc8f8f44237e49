import type * as Calls from "./Calls.ts"

/** The element that a call names, as the page showed it. */
const labelOf = (index: unknown, shown: string): string =>
  typeof index === "number" ? (new RegExp(`\\[${index} ([^\\]\\n]*)`, "u").exec(shown)?.[1] ?? "") : ""

/** Describes the calls of a step in a sentence. */
export const summaryOf = (calls: ReadonlyArray<Calls.Call>, text: string, shown: string): string => {
  const acts = calls.map(({ name, params }) => {
    const { index, ...others } = typeof params === "object" && params !== null ? { index: undefined, ...params } : {}
    const details = Object.values(others).map((value) => JSON.stringify(value))
    return [name, labelOf(index, shown), ...details].filter((part) => part !== "").join(" ")
  })
  return acts.length === 0 ? text : acts.join("; ")
}

/** Describes a response without a call in a sentence, with advice. */
const nothingCalled = (reason: string, text: string): string => {
  if (reason === "content-filter") {
    const how = text === "" ? "" : ` (${text})`
    return `The model refused to answer${how}. Word the task differently, or use another model.`
  }
  if (reason === "length") {
    return "The answer of the model was cut off before it called a tool. Raise its limit of output tokens in modelParams, or use another model."
  }
  return "The model called no tool. Use a model that calls tools."
}

/** Describes a step's failure in one line: its first failed call, or a missing call. */
export const failureOf = (
  { results }: Pick<Calls.Outcome, "results">,
  { finishReason, text }: { readonly finishReason: string; readonly text: string }
): string => {
  const wrong =
    results.find(({ status }) => status === "failed")?.result ??
    nothingCalled(finishReason, text.replaceAll(/\s+/gu, " ").trim().slice(0, 100))
  return wrong.replaceAll(/\s+/gu, " ").slice(0, 300)
}
