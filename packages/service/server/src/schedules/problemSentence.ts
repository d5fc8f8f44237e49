import type { LimitReached, ScheduleProblem } from "@webagent/engine"
import * as Duration from "effect/Duration"

const limitSentence = (key: string, { most, of, used }: LimitReached): string => {
  switch (of) {
    case "usdPerDay":
      return `The runs of the API key ${key} cost ${used.toFixed(2)} of ${most.toFixed(2)} USD today, by UTC. Raise the key's limit usdPerDay, or wait until tomorrow`
    case "requestsPerMinute":
      return `The API key ${key} has reached its limit of ${most} ${most === 1 ? "request" : "requests"} per minute. Raise its limit requestsPerMinute, or choose another time`
    default:
      return `The API key ${key} has reached its limit of ${most} open ${most === 1 ? of.slice(0, -1) : of}. Raise its limit ${of}, or choose another time`
  }
}

/** Returns the reason why a scheduled time made no run, and the remedy, as a sentence without a full stop. */
export const problemSentence = (problem: ScheduleProblem): string => {
  switch (problem.kind) {
    case "missed":
      return `No run, because the time was missed by ${Duration.format(Duration.millis(problem.late_ms))}`
    case "key_revoked":
      return `The API key ${problem.key} was revoked. Create the schedule again with another key`
    case "scope_missing":
      return `The API key ${problem.key} lacks the scope ${problem.scope}. Create the schedule again with a key that has it`
    case "limit":
      return limitSentence(problem.key, problem.limit)
    case "profile_missing":
      return "The browser profile of the schedule's runs was deleted. Choose another one"
    case "refused":
      return problem.message
  }
}
