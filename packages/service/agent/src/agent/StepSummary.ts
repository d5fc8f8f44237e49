import type { Turn } from "@webagent/engine"
import { cut, type ShownElement } from "../page/Look.ts"
import type * as Calls from "./Calls.ts"

/** Limits the summary of a step, in characters. */
const longestSummary = 500

/** Limits the name of an element in a label, in characters. */
const longestName = 150

/** Returns the role and the beginning of the name of an element, such as `button "Pay"`. */
export const labelOf = ({ name, role }: Pick<ShownElement, "role" | "name">): string =>
  name === "" ? role : `${role} "${cut(name, longestName).replaceAll('"', "'")}"`

/** Returns the element that a call names, as the page showed it. */
export const elementOf = (params: unknown, shown: ReadonlyArray<ShownElement>): ShownElement | undefined => {
  const { from, index = from } = (typeof params === "object" && params !== null ? params : {}) as {
    readonly from?: unknown
    readonly index?: unknown
  }
  return shown.find(({ number }) => number === index)
}

/** Describes the calls of a step in a sentence without secrets. */
export const summaryOf = (
  calls: ReadonlyArray<Calls.Call>,
  text: string,
  shown: ReadonlyArray<ShownElement>,
  redact: (text: string) => string
): string => {
  const acts = calls.map(({ name, params }) => {
    const { index, ...others } = typeof params === "object" && params !== null ? { index: undefined, ...params } : {}
    const element = elementOf({ index }, shown)
    // as in the details, a password isn't stored
    const details = element?.role === "password" ? [] : Object.values(others).map((value) => JSON.stringify(value))
    return [name, element === undefined ? "" : labelOf(element), ...details].filter((part) => part !== "").join(" ")
  })
  // half of a secret would not be known any more
  return redact(acts.length === 0 ? text : acts.join("; "))
    .slice(0, longestSummary)
    .toWellFormed()
}

/** The parameters that are the text or address that a tool enters, in the order in which they are looked for. */
const valueNames = ["text", "url", "values", "keys", "names", "what"] as const

/** Limits each detail of a step, in characters. */
const longestDetail = 300

/** Returns the details of a step: those of its first call, and a title for all of them. */
export const detailsOf = (
  calls: ReadonlyArray<Calls.Call>,
  shown: ReadonlyArray<ShownElement>,
  redact: (text: string) => string
): Pick<Turn.Step, "title" | "tool" | "role" | "name" | "value"> => {
  const [first, ...others] = calls
  if (first === undefined) return {}
  // half of a secret would not be recognized any more
  const kept = (text: string) => redact(text).slice(0, longestDetail).toWellFormed()
  const params = (typeof first.params === "object" && first.params !== null ? first.params : {}) as Readonly<
    Record<string, unknown>
  >
  const target = elementOf(params, shown)
  const role = target?.role
  const name = (target?.name ?? "") === "" ? undefined : cut(target?.name ?? "", longestName)
  // a password that isn't one of the agent's secrets has no placeholder
  const value =
    role === "password" ? undefined : valueNames.map((key) => params[key]).find((each) => each !== undefined)
  const more = others.length === 0 ? "" : ` and ${others.length} more`
  const element = [role, name === undefined ? undefined : JSON.stringify(name)].filter((part) => part !== undefined)
  return {
    title: `${kept([first.name, ...element].join(" ")).slice(0, 180)}${more}`,
    tool: kept(first.name),
    role: role === undefined ? null : kept(role),
    name: name === undefined ? null : kept(name),
    value: value === undefined ? null : kept(typeof value === "string" ? value : JSON.stringify(value))
  }
}

/** Describes a response without a call in a sentence, with advice. */
const nothingCalled = (reason: string, text: string): string => {
  if (reason === "content-filter") {
    const how = text === "" ? "" : ` (${text})`
    return `The model refused to answer${how}. Word the task differently, or use another model.`
  }
  if (reason === "length") {
    return "The model's response was cut off before it called a tool. Raise its limit of output tokens in modelParams, or use another model."
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
