import { cut } from "@webagent/cli/Text"
import type { CauseFacts, FailureCause, RequestFacts } from "@webagent/report/FailureCause"
import type { Failure } from "@webagent/report/Trial"
import { causeOf } from "../Cause.ts"

const longest = 200

const request = ({ method, path, status }: RequestFacts): string =>
  `${method} ${path}: ${status === null ? "no response" : `HTTP ${status}`}`

const service = (error: string): string => `the service says "${error}"`

/** The message of an error, or the name of a check, which reads as a sentence of its own. */
const about = ({ isCheck, message }: Extract<CauseFacts, { readonly _tag: "Check" | "Service" }>) =>
  isCheck === true ? `check "${message}"` : message

const words = (facts: CauseFacts): string => {
  switch (facts._tag) {
    case "Check": {
      const { actual, expected, lastRequest, message } = facts
      const values = [
        ...(expected === undefined ? [] : [`expected ${expected}`]),
        ...(actual === undefined ? [] : [`got ${actual}`]),
        ...(lastRequest === undefined ? [] : [`last request ${request(lastRequest)}`])
      ]
      return values.length === 0 ? message : `${about(facts)}: ${values.join(", ")}`
    }
    case "Service":
      return facts.message === undefined ? service(facts.error) : `${about(facts)}: ${service(cut(facts.error, 120))}`
    case "Request":
      return request(facts)
    case "LeakedBrowser":
      return "leaked a browser"
    case "BrokenInvariant":
      return facts.text === undefined ? facts.invariant : `${facts.invariant}: ${facts.text}`
    case "Other":
      return facts.text
  }
}

/** A cause in one line of at most 200 characters: `check "it is paid": the service says "The cart was empty."`. */
export const text = ({ facts }: FailureCause): string => cut(words(facts), longest)

/** A failure without its values: `check "it is paid" failed`, or the message of an error. */
export const headline = ({ kind, message }: Failure): string =>
  kind === "check" ? `check "${message}" failed` : message

/** The reason why one trial failed, in one line of at most 200 characters. */
export const ofFailure = (failure: Failure): string => text(causeOf(failure))
