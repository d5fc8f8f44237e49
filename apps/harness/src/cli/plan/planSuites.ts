import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Forecast from "../../run/Forecast.ts"
import * as Plan from "../../run/Plan.ts"
import { unserved } from "../../run/ScenarioRun.ts"
import { scenarioKey } from "../../run/RunnerOptions.ts"
import * as Capabilities from "../../targets/Capabilities.ts"
import { choose, limitsOf } from "../selection/ChosenScenarios.ts"
import * as JsonOutput from "../JsonOutput.ts"
import * as PlanOutput from "./PlanOutput.ts"
import * as PlanText from "./PlanText.ts"
import { defaultTimeout } from "../../targets/TrialTimeout.ts"
import { program, quoted } from "../Program.ts"
import * as TargetSource from "../TargetSource.ts"
import { terminal } from "@webagent/cli/Terminal"
import type { RunOptions } from "../RunFlags.ts"

/** Shows what `run` would do with the same flags; sends nothing and needs no key. */
export const planSuites = Effect.fnUntraced(function* (
  options: RunOptions,
  args: ReadonlyArray<string>,
  json: boolean
) {
  const { learned, plan } = yield* choose(options)
  const limits = limitsOf(options, plan)
  const lacks = Capabilities.lacking(TargetSource.assumed(options).info.capabilities)
  const simulated = options.target === "simulated"
  const timeout = options.timeout ?? defaultTimeout({ simulated })
  const candidates = plan.map((planned): Forecast.Candidate => {
    const { scenario, suite } = planned
    return {
      planned,
      learned: learned.get(scenarioKey(suite, scenario.name)),
      worst_usd: Plan.worstOf(planned, Plan.budgetOf(planned, options.trials, limits.trialBudget_usd)),
      open: options.trial === undefined ? Plan.trialsOf(planned, options.trials) : 1,
      confirm_usd: Plan.trialBudgetOf(planned, options.trials, limits.trialBudget_usd),
      timeout_ms: Duration.toMillis(scenario.timeout ?? timeout),
      lacking: unserved(scenario, lacks)
    }
  })
  const forecast = Forecast.make(candidates, limits, options.concurrency)
  if (json) {
    const { concurrency, target } = options
    return yield* JsonOutput.print(
      PlanOutput.PlanOutput,
      PlanOutput.of(forecast, { target, simulated, concurrency, limits })
    )
  }
  const { columns, style, write } = yield* terminal
  const lines = PlanText.lines(forecast, {
    target: simulated ? "simulated service" : options.target,
    assumed: simulated ? undefined : "treated as a paid service (plan does not contact it)",
    isFree: simulated,
    concurrency: options.concurrency,
    limits,
    isShard: options.shard !== undefined,
    columns,
    style,
    next: [`${program} run`, ...args.map(quoted)].join(" ")
  })
  yield* write(`${lines.join("\n")}\n`)
})
