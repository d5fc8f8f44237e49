import { cut } from "@webagent/cli/Text"
import type { CauseFacts, FailureCause, RequestFacts } from "@webagent/report/FailureCause"
import type { Failure } from "@webagent/report/Trial"
import { causeOf } from "../Cause.ts"

const longest = 200

const request = ({ method, path, status }: RequestFacts): string =>
  `${method} ${path}: ${status === null ? "no response" : `HTTP ${status}`}`

const service = (error: string): string => `the service says "${error}"`

const words = (facts: CauseFacts): string => {
  switch (facts._tag) {
    case "Check": {
      const { actual, expected, lastRequest, message } = facts
      const values = [
        ...(expected === undefined ? [] : [`expected ${expected}`]),
        ...(actual === undefined ? [] : [`got ${actual}`]),
        ...(lastRequest === undefined ? [] : [`last request ${request(lastRequest)}`])
      ]
      return values.length === 0 ? message : `${message}: ${values.join(", ")}`
    }
    case "Service":
      return facts.message === undefined ? service(facts.error) : `${facts.message}: ${service(cut(facts.error, 120))}`
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

/** A cause in one line of at most 200 characters: `the order exists: the service says "The cart was empty."`. */
export const text = ({ facts }: FailureCause): string => cut(words(facts), longest)

/** The reason why one trial failed, in one line of at most 200 characters. */
export const ofFailure = (failure: Failure): string => text(causeOf(failure))
