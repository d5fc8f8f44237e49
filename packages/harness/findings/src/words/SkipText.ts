import * as Money from "@webagent/cli/Money"
import { counted, duration } from "@webagent/cli/Text"
import type { NotRerun } from "@webagent/report/NotRerun"
import type { Skip } from "@webagent/report/Skip"
import type { Trial } from "@webagent/report/Trial"

/** Returns the reason in words that follow "not run: ". */
export const text = (skip: Skip): string => {
  switch (skip._tag) {
    case "Unserved":
      return skip.why
    case "TimeLimit":
      return `--max-time (${duration(skip.limit_ms)}) was reached`
    case "ScenarioTimeLimit":
      return `--max-scenario-time (${duration(skip.limit_ms)}) was reached`
    case "CostLimit":
      return `--max-cost (${Money.shown(skip.limit_usd)}) was reached`
    case "RequestLimit":
      return `--max-requests (${counted(skip.limit, "request")}) was reached`
    case "ConfirmLimit":
      return `--extra-trials (${counted(skip.limit, "trial")}) was reached`
    case "PaidConfirmLimit":
      return `a paid scenario gets ${counted(skip.limit, "extra trial")} without --max-cost`
    case "Bail":
      return `--bail (${counted(skip.failures, "failed scenario")}) was reached`
    case "OverCostLimit":
      return `it may cost ${Money.shown(skip.worst_usd)}, more than --max-cost (${Money.shown(skip.limit_usd)})`
    case "CostUnknown":
      return `cost unknown: the service reported no cost for ${skip.run}, so no limit of cost can be enforced`
    case "NoBudget":
      return "it declares no budget, and --max-cost needs one: declare a budget, or pass --trial-budget"
    case "BudgetUsed":
      return `its budget of ${Money.shown(skip.budget_usd)} is used up`
    case "ServiceAway":
      return skip.waited_ms === 0
        ? "the service was unavailable"
        : `the service was unreachable for ${duration(skip.waited_ms)}`
    case "Stopped":
      return "the run was stopped before it finished"
    case "MissingShard":
      return `shard ${skip.shard} is missing`
  }
}

/** Groups skipped scenarios or trials by reason, each group with its sentence. */
export const grouped = <A>(
  all: ReadonlyArray<A>,
  skipOf: (one: A) => Skip | undefined
): ReadonlyArray<readonly [why: string, group: ReadonlyArray<A>]> =>
  [...Map.groupBy(all, (one) => JSON.stringify(skipOf(one))).values()].map((group) => {
    const skip = group[0] && skipOf(group[0])
    return [skip === undefined ? "no reason given" : text(skip), group]
  })

/** The reason in words that continue the message of the failure: `HTTP 503: again on 2 reruns`. */
const notRerunText = (why: NotRerun): string => {
  const again = (times: number) => (times === 1 ? "again on the rerun" : `again on ${times} reruns`)
  switch (why._tag) {
    case "FailedAgain":
      return again(why.reruns)
    case "RerunsUsedUp":
      if (why.limit === 0) return "--reruns is 0"
      return `${why.reruns === 0 ? "" : `${again(why.reruns)}, and `}the ${why.limit} reruns are used up`
    case "RetryAfter":
      return `Retry-After is ${Math.round(why.after_ms / 1000)} s`
    case "CostUnknown":
      return "its cost is unknown, and --max-cost is set"
    case "Skipped":
      return text(why.skip)
  }
}

/** Returns the reason why a scenario or a trial was skipped or not scored; undefined if it has a score. */
export const reasonOf = ({ notRerun, reason, skip }: Pick<Trial, "notRerun" | "reason" | "skip">): string | undefined =>
  skip !== undefined
    ? text(skip)
    : reason === undefined || notRerun === undefined
      ? reason
      : `${reason}: ${notRerunText(notRerun)}`
