import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import { conclude } from "@webagent/findings/Conclusion"
import * as Money from "@webagent/cli/Money"
import * as Availability from "./Availability.ts"
import { Budget } from "./Budget.ts"
import * as Confirmations from "./Confirmations.ts"
import * as InterruptedTrials from "@webagent/report/InterruptedTrials"
import * as SuiteFigures from "@webagent/report/SuiteFigures"
import * as Ranking from "./Ranking.ts"
import * as Reruns from "./Reruns.ts"
import type { Ending } from "../leftovers/EndOfRun.ts"
import type { RunnerOptions } from "./RunnerOptions.ts"
import {
  countsOf,
  isBad,
  type RunReport,
  type ScenarioResult,
  unrun,
  withConfirmation
} from "@webagent/report/RunReport"
import type { Skip } from "@webagent/report/Skip"
import * as SuiteScopes from "./SuiteScopes.ts"
import * as ScenarioRun from "./ScenarioRun.ts"
import * as TrialRun from "./TrialRun.ts"

/**
 * Runs the trials of a plan, `concurrency` at a time, within its limits, and gives the report. An interruption stops the
 * trials that run and releases what they hold. The report is still given; its `interrupted` is then true.
 */
export const run = (options: RunnerOptions): Effect.Effect<RunReport> =>
  Effect.gen(function* () {
    const { header, plan } = options
    const before = [...(options.done?.values() ?? [])]
    const suites = yield* SuiteScopes.make(
      plan.map(({ suite }) => suite),
      { redact: options.redact, release: options.release ?? Duration.seconds(10) }
    )
    const now_ms = yield* Clock.currentTimeMillis
    const availability =
      options.probe === undefined
        ? Availability.always
        : yield* Availability.make({
            probe: options.probe,
            longest_ms: header.limits.outage_ms ?? Infinity,
            until_ms: now_ms - (options.worked_ms ?? 0) + (header.limits.time_ms ?? Infinity),
            emit: options.emit,
            before: options.outages ?? []
          })
    const state: TrialRun.RunState = {
      options,
      suites,
      availability,
      start: (yield* Clock.currentTimeNanos) - BigInt(Math.round((options.worked_ms ?? 0) * 1e6)),
      budget: new Budget(header.limits),
      reruns: Reruns.make(
        header.limits.reruns ?? 0,
        before.reduce((sum, { reruns }) => sum + reruns.length, 0)
      )
    }
    // an interrupted trial runs again, and its first cost is unknown
    state.budget.keep(InterruptedTrials.chargedTo(header))
    yield* options.emit({ _tag: "RunStarted", header })
    const scenarios = yield* Effect.forEach(plan, (planned) => ScenarioRun.make(state, planned))
    const results = new Map<ScenarioRun.ScenarioRun, ScenarioResult>()
    const { bail = Infinity } = header.limits
    let failures = 0
    /** The reason why a scenario without a result was not completed. */
    const whyNot = (): Skip => (failures >= bail ? { _tag: "Bail", failures: bail } : TrialRun.stopped)
    const finished = (of: ScenarioRun.ScenarioRun, result: ScenarioResult | undefined) => {
      if (result === undefined) return Effect.void
      results.set(of, result)
      if (isBad(result)) failures++
      const { suite } = of.planned
      const isOver = scenarios.every((each) => each.planned.suite !== suite || results.has(each))
      return Effect.andThen(
        options.emit({ _tag: "ScenarioFinished", result }),
        isOver ? suites.close(suite) : Effect.void
      )
    }
    for (const of of scenarios) {
      if (of.lacking !== undefined) yield* finished(of, unrun(ScenarioRun.factsOf(of.planned), 0, of.lacking))
      else if (of.left === 0) yield* finished(of, yield* ScenarioRun.finish(state, of))
    }
    const rankable = scenarios
      .filter((of) => !results.has(of))
      .map((of) => ({ of, planned: of.planned, learned: of.learned, worst_usd: of.account.worst_usd, open: of.left }))
    const trials = Ranking.order(rankable, header.limits, header.concurrency).flatMap(({ of }) =>
      ScenarioRun.open(of).map((place) => ({ of, place }))
    )
    let exit = yield* Effect.forEach(
      trials,
      ({ of, place }) =>
        Effect.suspend(() =>
          failures >= bail
            ? Effect.void
            : Effect.flatMap(ScenarioRun.run(state, of, place), (result) => finished(of, result))
        ).pipe(Effect.uninterruptible),
      { concurrency: header.concurrency, discard: true }
    ).pipe(Effect.interruptible, Effect.exit)
    for (const of of scenarios) {
      if (results.has(of) || of.started_ms === undefined) continue
      of.refused ??= whyNot()
      yield* finished(of, yield* ScenarioRun.finish(state, of))
    }
    const reportOf = Effect.fnUntraced(function* (results: ReadonlyArray<ScenarioResult>, ending: Ending) {
      const figures = SuiteFigures.of(results)
      const outages = availability.outages()
      return {
        format: 3,
        header,
        duration_ms: yield* TrialRun.elapsed(state),
        interrupted: Exit.isFailure(exit),
        counts: countsOf(results),
        cost_usd: Money.sum(results.map((result) => result.cost_usd)),
        ...(figures === undefined ? {} : { figures }),
        results,
        ...(outages.length === 0 ? {} : { outages }),
        ...ending
      } satisfies RunReport
    })
    let ordered = scenarios.map((of) => results.get(of) ?? unrun(ScenarioRun.factsOf(of.planned), 0, whyNot()))
    if (
      Exit.isSuccess(exit) &&
      failures < bail &&
      header.limits.confirm !== undefined &&
      options.suspects !== undefined
    ) {
      const suspects = options.suspects(yield* reportOf(ordered, { breaches: [], leftovers: [] }))
      const confirmed = yield* Confirmations.run(state, scenarios, suspects)
      exit = confirmed.exit
      ordered = ordered.map((result, index) => {
        const of = scenarios[index]
        const confirm = of && confirmed.found.get(of)
        return confirm === undefined ? result : withConfirmation(result, confirm)
      })
    }
    const unreleased = yield* suites.closeAll
    const { breaches, leftovers } = yield* options.finish ?? Effect.succeed<Ending>({ breaches: [], leftovers: [] })
    const ending = { breaches: [...unreleased, ...breaches], leftovers }
    const report = conclude((options.conclude ?? identity)(yield* reportOf(ordered, ending)))
    yield* options.emit({ _tag: "RunFinished", report })
    return report
  }).pipe(Effect.scoped, Effect.uninterruptible)
