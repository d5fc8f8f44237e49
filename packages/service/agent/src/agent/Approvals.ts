import * as Effect from "effect/Effect"
import { type DomainPattern, isOn } from "../page/AllowedDomains.ts"
import type { Approval } from "./HandOver.ts"
import { labelOf } from "./StepSummary.ts"
import type { Action } from "./Tools.ts"

/** A rule about actions. A condition that is left out is met by every action. */
export interface ApprovalRule {
  /** The tools, such as `click`. */
  readonly tools?: ReadonlyArray<string>
  /**
   * The hosts of the page on which the action is taken, or of the frame that holds the element. A rule that approves
   * needs both.
   */
  readonly domains?: ReadonlyArray<DomainPattern>
  /**
   * Texts, ignoring case. One of them is part of the element's name or of the call's arguments. For rules that ask or
   * refuse, the condition is also met if it's unknown which element an action affects, as with keys, or if the element
   * was shown without a name.
   */
  readonly text?: ReadonlyArray<string>
  /** Lets a person decide, refuses the action, or takes it without a question. */
  readonly decision: "ask" | "refuse" | "approve"
}

const isMet = (
  { decision, domains, text, tools }: ApprovalRule,
  { address, element, params, tool }: Action
): boolean => {
  if (tools !== undefined && !tools.includes(tool)) return false
  if (domains !== undefined) {
    const isCovered = [address, element?.url ?? address].map((url) => isOn(url, domains))
    if (!(decision === "approve" ? isCovered.every(Boolean) : isCovered.some(Boolean))) return false
  }
  if (text === undefined) return true
  const shown =
    `${element === undefined ? "" : `${element.role} ${element.name}`}\n${JSON.stringify(params) ?? ""}`.toLowerCase()
  const isShown = text.some((part) => shown.includes(part.toLowerCase()))
  return decision === "approve"
    ? isShown && !submits(params)
    : isShown || element === undefined || element.name === "" || submits(params)
}

/** Returns whether a call also presses Enter, which may affect another element than the one that it names. */
const submits = (params: unknown): boolean =>
  typeof params === "object" && params !== null && "submit" in params && params.submit === true

const questionOf = ({ address, element, params, tool }: Action): string => {
  const values = Object.entries(typeof params === "object" && params !== null ? params : {}).flatMap(([name, value]) =>
    // a password that isn't one of the agent's secrets has no placeholder
    name === "index" || (name === "text" && element?.role === "password") ? [] : [`${name} ${JSON.stringify(value)}`]
  )
  const what = [tool, ...(element === undefined ? [] : [labelOf(element)]), ...values].join(" ").slice(0, 500)
  return `May the agent do this at ${(element?.url ?? address).slice(0, 500)}: ${what}?`.toWellFormed()
}

/** Decides about an action by the first rule that applies. An action without a rule is approved. */
export const decide = (rules: ReadonlyArray<ApprovalRule>, action: Action): Effect.Effect<Approval> => {
  const rule = rules.find((each) => isMet(each, action))
  if (rule === undefined || rule.decision === "approve") return Effect.succeed(undefined)
  return Effect.succeed(rule.decision === "ask" ? { ask: questionOf(action) } : "a rule of this server forbids it")
}
