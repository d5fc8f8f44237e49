import { Limits } from "@webagent/report/RunReport"
import { Skip } from "@webagent/report/Skip"
import * as Schema from "effect/Schema"
import type { Forecast } from "../../run/Forecast.ts"

/** The output of `plan --json`. Amounts are exact decimals in USD. */
export const PlanOutput = Schema.Struct({
  /** `simulated`, or the address of the target. */
  target: Schema.String,
  simulated: Schema.Boolean,
  concurrency: Schema.Int,
  limits: Limits,
  /** In the order in which they start. */
  scenarios: Schema.Array(
    Schema.Struct({
      suite: Schema.String,
      name: Schema.String,
      trials: Schema.Int,
      /** Expected duration of one trial; null without a history. */
      trial_ms: Schema.NullOr(Schema.Number),
      /** The maximum cost of all its trials; null where nothing limits it. */
      maxCost_usd: Schema.NullOr(Schema.String),
      /**
       * The reason why it doesn't run, or not with all its trials; `certain` is false if that depends on the other
       * scenarios.
       */
      skip: Schema.NullOr(Schema.Struct({ why: Skip, certain: Schema.Boolean }))
    })
  ),
  /** Of the scenarios that run or may run. */
  trials: Schema.Int,
  /** Null without a history. */
  expected_ms: Schema.NullOr(Schema.Number),
  /** If each trial took its whole timeout. */
  longest_ms: Schema.Number,
  /** Of all scenarios whose cost is limited. */
  maxCost_usd: Schema.String,
  /** Of the extra trials whose cost is limited; they are part of `limits.cost_usd`, where that is set. */
  maxConfirmCost_usd: Schema.String,
  /** Scenarios that may cost, without a limit. */
  unbounded: Schema.Int
}).annotate({ identifier: "PlanOutput" })

/** A forecast for a program. */
export const of = (
  { confirm_usd, expected_ms, longest_ms, rows, trials, unbounded, worst_usd }: Forecast,
  plan: Pick<typeof PlanOutput.Type, "target" | "simulated" | "concurrency" | "limits">
): typeof PlanOutput.Type => ({
  ...plan,
  scenarios: rows.map(({ candidate, skip, trial_ms }) => ({
    suite: candidate.planned.suite,
    name: candidate.planned.scenario.name,
    trials: candidate.open,
    trial_ms: trial_ms ?? null,
    maxCost_usd: candidate.worst_usd ?? null,
    skip: skip ?? null
  })),
  trials,
  expected_ms: expected_ms ?? null,
  longest_ms,
  maxCost_usd: worst_usd,
  maxConfirmCost_usd: confirm_usd,
  unbounded
})
