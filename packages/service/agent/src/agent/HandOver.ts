import type { HandedOver } from "@webagent/engine"
import type { Front, Page } from "../page/Page.ts"

/** A rule's question to a person, asked before an action. */
export interface ApprovalRequest {
  /** The question to the person, such as `Pay 30 USD at shop.example?`. */
  readonly ask: string
}

/** The verdict of a rule about an action: undefined approves it, and a text says why it is refused. */
export type Approval = string | undefined | ApprovalRequest

/** The answers to a question about an approval. */
export const approvals = ["Approve", "Refuse"] as const

/** Returns the reason why an action isn't approved after a person was asked, or undefined if it is approved. */
export const refusalOf = (over: HandedOver | null): string | undefined => {
  if (over === null) return "this run has asked people as often as it may"
  const { outcome, wasDriven } = over
  if (outcome.kind === "expired") return "no person approved it in time"
  if (outcome.answer !== approvals[0]) return "a person refused it"
  return wasDriven ? "a person used the browser meanwhile. Look at the page again first" : undefined
}

const movedFrom = (before: Front, { tabs, url }: Front) =>
  url === before.url && tabs === before.tabs
    ? `The tab in front is still at ${url}; its contents may have changed.`
    : `The tab in front was at ${before.url}, with ${before.tabs} tabs open, and is at ${url} now, with ${tabs}.`

/** Describes the outcome of a question for the model, with the changes that a person made in the browser. */
export const sentenceOf = ({ outcome, question, wasDriven }: HandedOver, before: Front, page: Page): string => {
  const after = page.front()
  const answer =
    outcome.kind === "answered"
      ? `A person answered: ${outcome.answer ?? ""}`
      : outcome.kind === "handed_back"
        ? "A person has used the browser and given it back."
        : question.whenUnanswered === "skip"
          ? "No person answered in time. Leave this part of the task out, and say so in the output."
          : "No person answered in time. Go on as you think best, and say so in the output."
  const isMoved = wasDriven || after.url !== before.url || after.tabs !== before.tabs
  return isMoved ? `${answer}\nA person used the browser meanwhile. ${movedFrom(before, after)}` : answer
}
