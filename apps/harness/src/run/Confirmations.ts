import * as Effect from "effect/Effect"
import { mostAtOnce, nextOf, type Suspect, type Weighed } from "@webagent/nights/Judge"
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

/** A suspect, the trials that it got, and why it gets no more. */
interface Confirming {
  readonly of: ScenarioRun.ScenarioRun
  readonly suspect: Suspect
  readonly trials: Array<Trial>
  weighed: Weighed
  running: number
  skip: Confirmation["skip"]
}

const seen = ({ suspect, trials }: Pick<Confirming, "suspect" | "trials">) =>
  confirmOf({ figure: suspect.figure, trials })

/**
 * Gives suspects their extra trials until each test is decided or a limit is reached. The next trial is of the suspect
 * with the most evidence. A scenario gets several at a time if it would still have the most if those that run pass. Extra
 * trials are numbered behind the planned ones, so that `--trial` replays them.
 */
export const run = Effect.fnUntraced(function* (
  state: TrialRun.RunState,
  scenarios: ReadonlyArray<ScenarioRun.ScenarioRun>,
  suspects: ReadonlyArray<Suspect>
) {
  const { header } = state.options
  const { confirm: limit = 0, paidConfirm: paidLimit } = header.limits
  let left = limit - scenarios.reduce((sum, { confirmed }) => sum + confirmed.length, 0)
  const from_ms = yield* TrialRun.elapsed(state)
  const all = suspects.flatMap((suspect): ReadonlyArray<Confirming> => {
    const of = scenarios.find(
      ({ planned }) => planned.suite === suspect.suite && planned.scenario.name === suspect.name
    )
    if (of === undefined) return []
    const trials = [...of.confirmed]
    return [{ of, suspect, trials, weighed: suspect.weigh(seen({ suspect, trials })), running: 0, skip: undefined }]
  })

  const isOpen = ({ skip, trials }: Confirming) =>
    skip === undefined && trials.filter((trial) => !isScored(trial)).length <= mostUnscored

  /** The reason why a suspect gets no further trial, by its number alone. */
  const limitOf = ({ of, running, trials }: Confirming): Confirmation["skip"] =>
    paidLimit !== undefined && mayCost(of.planned) && trials.length + running >= paidLimit
      ? { _tag: "PaidConfirmLimit", limit: paidLimit }
      : left <= 0
        ? { _tag: "ConfirmLimit", limit }
        : undefined

  const work = Effect.gen(function* () {
    const next = () => nextOf(all.filter(isOpen), limit - left)
    for (let one = next(); one !== undefined; one = next()) {
      one.skip = limitOf(one)
      if (one.skip !== undefined) continue
      const { of, running, trials } = one
      one.running += 1
      one.weighed = one.suspect.weigh(seen(one), one.running)
      left -= 1
      const trial = yield* ScenarioRun.runMore(
        state,
        of,
        of.first + of.trials.length + trials.length + running,
        from_ms
      )
      one.running -= 1
      if ("_tag" in trial) {
        left += 1
        one.skip ??= trial
      } else {
        trials.push(trial)
        one.skip ??= trial.skip
      }
      one.weighed = one.suspect.weigh(seen(one), one.running)
    }
  }).pipe(Effect.uninterruptible)

  const exit = yield* Effect.all(
    Array.from({ length: Math.min(mostAtOnce, header.concurrency) }, () => work),
    { concurrency: "unbounded", discard: true }
  ).pipe(Effect.interruptible, Effect.exit)
  const found = new Map(
    all.map((one) => {
      const { of, skip, suspect, weighed } = one
      const trials = one.trials.toSorted((a, b) => a.index - b.index)
      const figure = figures.find((figure) => suspect.said(seen(one), figure) === "confirmed") ?? suspect.figure
      const outcome = outcomes[weighed.state]
      return [of, { figure, outcome, ...(skip === undefined ? {} : { skip }), trials } satisfies Confirmation]
    })
  )
  return { exit, found }
})
