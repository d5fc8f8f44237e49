import { PollSchedule } from "@webagent/polling"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { usage } from "../Mistake.ts"
import * as Plan from "../runner/Plan.ts"
import { isGreen, type RunHeader } from "../runner/RunReport.ts"
import * as Runner from "../runner/Runner.ts"
import type { Target } from "../target/Target.ts"
import * as Advice from "./Advice.ts"
import { NotGreen } from "./NotGreen.ts"
import { version } from "./Program.ts"
import * as Reporting from "./Reporting.ts"
import type { RunOptions } from "./RunOptions.ts"
import * as SuiteSource from "./SuiteSource.ts"
import * as TargetSource from "./TargetSource.ts"

const defaultTimeout = (target: Target) => (target.simulated ? Duration.seconds(30) : Duration.minutes(10))

const choose = Effect.fnUntraced(function* (options: RunOptions) {
  const loaded = yield* SuiteSource.load(options.suites)
  const plan = Plan.make(
    loaded.map(({ suite }) => suite),
    { tags: options.tags, ...(options.name === undefined ? {} : { name: options.name }) }
  )
  if (plan.length > 0) return { loaded, plan }
  const asked = [
    ...options.tags.map((tag) => `--tag ${tag}`),
    ...(options.name === undefined ? [] : [`--name "${options.name}"`])
  ]
  return yield* usage(`No scenario of ${loaded.map(({ suite }) => suite.name).join(", ")} fits ${asked.join(" and ")}.`)
})

const headerOf = Effect.fnUntraced(function* (options: RunOptions, target: Target, plan: ReadonlyArray<Plan.Planned>) {
  const counts = Map.groupBy(plan, ({ suite }) => suite)
  const { address, capabilities, name } = target.info
  return {
    tool: { name: "webagent-harness", version },
    startedAt: DateTime.formatIso(yield* DateTime.now),
    seed: options.seed,
    concurrency: options.concurrency,
    trials: options.trials ?? null,
    limits: {
      ...(options.maxTime === undefined ? {} : { time_ms: Duration.toMillis(options.maxTime) }),
      ...(options.maxScenarioTime === undefined ? {} : { scenarioTime_ms: Duration.toMillis(options.maxScenarioTime) }),
      ...(options.maxCost === undefined ? {} : { cost_usd: options.maxCost }),
      ...(options.maxRequests === undefined ? {} : { requests: options.maxRequests }),
      ...(options.trialBudget === undefined ? {} : { trialBudget_usd: options.trialBudget }),
      reruns: options.reruns ?? Plan.rerunsOf(plan, options.trials)
    },
    target: { name, address, simulated: target.simulated, capabilities: [...capabilities] },
    suites: [...counts].map(([suite, scenarios]) => ({ name: suite, scenarios: scenarios.length }))
  } satisfies RunHeader
})

/** Runs the chosen scenarios on the chosen target and reports; fails with NotGreen when something is wrong. */
export const runSuites = (options: RunOptions) =>
  Effect.gen(function* () {
    const { loaded, plan } = yield* choose(options)
    const target = yield* TargetSource.open(options)
    const header = yield* headerOf(options, target, plan)
    const argumentOf = (name: string) => loaded.find(({ suite }) => suite.name === name)?.argument ?? name
    const replay = Advice.replay(options, argumentOf)

    // from here on Ctrl-C stops scenarios, and the reports are still written
    const report = yield* Effect.gen(function* () {
      const reporting = yield* Reporting.start({ options, replay, next: Advice.next(options, replay) })
      const report = yield* Runner.run({
        header,
        plan,
        contextOf: target.contextOf,
        lacks: target.lacks,
        stopBrowser: target.stopBrowser,
        timeout: options.timeout ?? defaultTimeout(target),
        redact: target.redact,
        emit: reporting.emit
      }).pipe(Effect.provideService(PollSchedule.Current, target.pollSchedule))
      yield* reporting.finish
      return report
    }).pipe(Effect.uninterruptible)

    if (report.interrupted) return yield* new NotGreen({ exitCode: 130 })
    if (!isGreen(report)) return yield* new NotGreen({ exitCode: 1 })
  }).pipe(Effect.scoped)
