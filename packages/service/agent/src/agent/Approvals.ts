import * as Effect from "effect/Effect"
import { type DomainPattern, isOn } from "../page/AllowedDomains.ts"
import { isByPixels } from "../page/Affecting.ts"
import type { Approval } from "./HandOver.ts"
import { cut } from "../page/Look.ts"
import { labelOf } from "./StepSummary.ts"
import type { Action } from "./Tools.ts"

/** A rule about actions. A condition that is left out is met by every action. */
export interface ApprovalRule {
  /**
   * The tools, such as `click`. Other actions that click are also a `click`: an `upload` to a button that asks for files, a
   * `check` of a button, a `type` into an element that's no field, and a `drag` of an element onto itself or by pixels.
   */
  readonly tools?: ReadonlyArray<string>
  /**
   * The hosts of the page on which the action is taken, or of a frame that it may affect. A rule that approves has to
   * name all of them.
   */
  readonly domains?: ReadonlyArray<DomainPattern>
  /**
   * Texts, ignoring case and invisible characters. One of them is part of the element's name or of the call's arguments. For rules that ask or
   * refuse, the condition is also met if it's unknown which element an action affects, as with keys, or if the element
   * was shown without a name.
   */
  readonly text?: ReadonlyArray<string>
  /** Lets a person decide, refuses the action, or takes it without a question. */
  readonly decision: "ask" | "refuse" | "approve"
}

/** A text without what people don't see in it, by which a page could avoid a rule. */
const folded = (text: string) =>
  text
    .replaceAll(/[\p{Cf}\p{Default_Ignorable_Code_Point}]+/gu, "")
    .normalize("NFKC")
    .toLowerCase()

/** The elements that tools fill in. They click others, such as a button that asks for files. */
const fields: Readonly<Record<string, RegExp>> = {
  check: /^(?:checkbox|radio|switch|menuitemcheckbox|menuitemradio)$/u,
  type: /^(?:textbox|searchbox|combobox|spinbutton|editor|slider|number|password|color|date|time|month|week|datetime)$/u,
  upload: /^file$/u
}

/** Returns whether an action that isn't called a click may be one: a drag may begin and end on the same element. */
const isClick = (tool: string, role: string, params: ToolParams) =>
  tool === "drag"
    ? params["from"] === params["to"] || Object.values(isByPixels(params)).includes(true)
    : fields[tool]?.test(role) === false

const isMet = (
  { decision, domains, text, tools }: ApprovalRule,
  { address, element, frames = [], onto, params, tool }: Action
): boolean => {
  const acts = isClick(tool, element?.role ?? "", recordOf(params)) ? [tool, "click"] : [tool]
  const isNamed = (act: string) => tools === undefined || tools.includes(act)
  if (!(decision === "approve" ? acts.every(isNamed) : acts.some(isNamed))) return false
  if (domains !== undefined) {
    const isCovered = [address, element?.url ?? address, onto?.url ?? address, ...frames].map((url) =>
      isOn(url, domains)
    )
    if (!(decision === "approve" ? isCovered.every(Boolean) : isCovered.some(Boolean))) return false
  }
  if (text === undefined) return true
  const { submit } = recordOf(params)
  const { from, to } = isByPixels(recordOf(params))
  const ends = tool === "drag" ? [from ? undefined : element, to ? undefined : onto] : [element]
  const isShown = ends.map((end) => {
    const shown = folded(`${end === undefined ? "" : `${end.role} ${end.name}`}\n${JSON.stringify(params) ?? ""}`)
    return text.some((part) => shown.includes(folded(part)))
  })
  // Enter may affect another element than the one that the call names
  const isUnknown = submit === true || ends.some((end) => end === undefined || folded(end.name) === "")
  return decision === "approve" ? isShown.every(Boolean) && submit !== true : isShown.some(Boolean) || isUnknown
}

const recordOf = (params: unknown) => (typeof params === "object" && params !== null ? params : {}) as ToolParams

type ToolParams = Readonly<Record<string, unknown>>

/** Limits an address in a question, in characters. */
const longestAddress = 200

const questionOf = ({ address, dialog, element, frames = [], onto, params, tool }: Action): string => {
  const values = Object.entries(recordOf(params)).flatMap(([name, value]) =>
    // a password that isn't one of the agent's secrets has no placeholder
    name === "index" || (name === "text" && element?.role === "password") ? [] : [`${name} ${JSON.stringify(value)}`]
  )
  const ends = [element, onto].flatMap((end) => (end === undefined ? [] : [labelOf(end)])).join(" onto ")
  const what = [tool, ends, ...values].filter((part) => part !== "").join(" ")
  const question = dialog === undefined ? "" : ` ${JSON.stringify(dialog.slice(0, 300)).slice(0, 500)}`
  const isUnknown = element === undefined || Object.values(isByPixels(recordOf(params))).includes(true)
  const places = [element?.url ?? address, ...(onto === undefined ? [] : [onto.url]), ...(isUnknown ? frames : [])]
  const at = Array.from(new Set(places), (url) => cut(url, longestAddress)).join(isUnknown ? " or " : " and ")
  return `May the agent do this at ${cut(at, 800)}: ${cut(what, 500)}${question}?`.toWellFormed()
}

/** Decides about an action by the first rule that applies. An action without a rule is approved. */
export const decide = (rules: ReadonlyArray<ApprovalRule>, action: Action): Effect.Effect<Approval> => {
  const rule = rules.find((each) => isMet(each, action))
  if (rule === undefined || rule.decision === "approve") return Effect.succeed(undefined)
  return Effect.succeed(rule.decision === "ask" ? { ask: questionOf(action) } : "a rule of this server forbids it")
}
