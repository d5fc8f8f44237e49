import * as Effect from "effect/Effect"
import type { Suspect } from "@webagent/nights/Judge"
import { confirmOf } from "@webagent/nights/Night"
import type { Confirmation } from "@webagent/report/RunReport"
import { isScored, type Trial } from "@webagent/report/Trial"
import { mayCost } from "./Plan.ts"
import * as ScenarioRun from "./ScenarioRun.ts"
import * as TrialRun from "./TrialRun.ts"

// a service that is away decides nothing
const mostUnscored = 2

const figures = ["pass rate", "duration"] as const
const outcomes = { confirmed: "confirmed", "not confirmed": "not confirmed", more: "undecided" } as const

/**
 * Gives suspects their confirm trials, in the order of the judge, until each test is decided or a limit is reached; one
 * trial of a scenario at a time, as each decides about the next. Confirm trials are numbered behind the planned ones, so
 * that `--trial` replays them.
 */
export const run = Effect.fnUntraced(function* (
  state: TrialRun.RunState,
  scenarios: ReadonlyArray<ScenarioRun.ScenarioRun>,
  suspects: ReadonlyArray<Suspect>
) {
  const { header } = state.options
  const { confirm: limit = 0, paidConfirm: paidLimit } = header.limits
  let left = limit - scenarios.reduce((sum, { confirmed }) => sum + confirmed.length, 0)
  const found = new Map<ScenarioRun.ScenarioRun, Confirmation>()

  const confirm = Effect.fnUntraced(function* (of: ScenarioRun.ScenarioRun, suspect: Suspect) {
    const trials: Array<Trial> = [...of.confirmed]
    const seen = () => confirmOf({ figure: suspect.figure, trials })
    const unscored = () => trials.filter((trial) => !isScored(trial)).length
    const from_ms = yield* TrialRun.elapsed(state)
    let skip: Confirmation["skip"]
    while (skip === undefined && suspect.decide(seen()) === "more" && unscored() <= mostUnscored) {
      if (paidLimit !== undefined && mayCost(of.planned) && trials.length >= paidLimit) {
        skip = { _tag: "PaidConfirmLimit", limit: paidLimit }
        break
      }
      if (left <= 0) {
        skip = { _tag: "ConfirmLimit", limit }
        break
      }
      left -= 1
      const next = yield* ScenarioRun.runMore(state, of, of.first + of.trials.length + trials.length, from_ms)
      if ("_tag" in next) {
        left += 1
        skip = next
      } else {
        trials.push(next)
        skip = next.skip
      }
    }
    const figure = figures.find((one) => suspect.said(seen(), one) === "confirmed") ?? suspect.figure
    found.set(of, {
      figure,
      outcome: outcomes[suspect.decide(seen())],
      ...(skip === undefined ? {} : { skip }),
      trials
    })
  }, Effect.uninterruptible)

  const exit = yield* Effect.forEach(
    suspects.flatMap((suspect) => {
      const of = scenarios.find(
        ({ planned }) => planned.suite === suspect.suite && planned.scenario.name === suspect.name
      )
      return of === undefined ? [] : [[of, suspect] as const]
    }),
    ([of, suspect]) => confirm(of, suspect),
    { concurrency: header.concurrency, discard: true }
  ).pipe(Effect.interruptible, Effect.exit)
  return { exit, found }
})
