import type { Breach } from "@webagent/report/Breach"
import { duration } from "@webagent/cli/Text"

/** Returns the sentence about a violated invariant. */
export const text = ({ facts, resource }: Breach): string => {
  switch (facts._tag) {
    case "LeftRunning":
      return `The ${facts.kind} ${resource} was left running, ${facts.isStopped ? "and was stopped" : "and may still cost money"}.`
    case "ResultNeverRead":
      return `The result of ${facts.kind} ${resource} was never read: it may still be running and cost money.`
    case "UnknownBrowser":
      return `Browser ${resource} was open, and no trial created it.`
    case "KeyInFile":
      return `${facts.file} contained the API key, which was removed.`
    case "JournalNotRead":
      return `${facts.error}.`
    case "SuiteNotReleased": {
      const { error, hook, limit_ms = 0, suite } = facts
      if (error === undefined) return `${suite} did not release its resources within ${duration(limit_ms)}.`
      return hook === undefined
        ? `A resource of ${suite} was not released: ${error}.`
        : `${hook} of ${suite} failed: ${error}.`
    }
    case "PromiseNotAwaited": {
      const { error, scenario, where } = facts
      const who = scenario === null ? "no scenario awaited" : `${scenario} did not await`
      return `A promise that ${who} was rejected: ${error}${where === undefined ? "" : `, ${where}`}. Add the await.`
    }
    case "Reported":
      return facts.text
  }
}
