import * as Effect from "effect/Effect"
import { relative } from "node:path"
import { usage } from "@webagent/cli/UserError"
import * as ConsoleReporter from "../../reporters/ConsoleReporter.ts"
import * as Explanation from "../../reporters/Explanation.ts"
import { cut } from "@webagent/cli/Text"
import { isBad, type ScenarioResult } from "@webagent/report/RunReport"
import type { Planned } from "../../run/Plan.ts"
import { scenarioKey } from "../../run/RunnerOptions.ts"
import * as Changes from "./Changes.ts"
import * as FileChanges from "./FileChanges.ts"
import * as WatchKeys from "./WatchKeys.ts"
import { Project } from "../../config/Project.ts"
import * as Advice from "../Advice.ts"
import { choose } from "../selection/ChosenScenarios.ts"
import * as TrialOutput from "../../observe/TrialOutput.ts"
import * as Unawaited from "../../observe/Unawaited.ts"
import { ExitError } from "@webagent/cli/ExitCode"
import { terminal } from "@webagent/cli/Terminal"
import type { RunOptions } from "../RunFlags.ts"
import { headerOf } from "./runSuites.ts"
import * as RunSession from "./RunSession.ts"
import * as ModuleFile from "../../config/ModuleFile.ts"
import * as SuiteSource from "../selection/SuiteSource.ts"
import * as TargetSource from "../TargetSource.ts"
import * as BreachText from "@webagent/findings/words/BreachText"

const shortest = (path: string): string => {
  const below = relative(process.cwd(), path)
  return below.startsWith("..") ? path : below
}

const show: TrialOutput.Show = (stream, text, trial) => void process[stream].write(TrialOutput.attributed(text, trial))

/**
 * Runs suites, and again whenever one of the files that they are made of changes, on one target; shows what has changed.
 * It ends by Ctrl-C only, and writes no reports.
 */
export const watchSuites = Effect.fnUntraced(function* (options: RunOptions) {
  const { config } = yield* Project
  const files = (yield* SuiteSource.argumentsOf(options)).filter(SuiteSource.isFile)
  if (files.length === 0) {
    return yield* usage("--watch needs suite files, such as checkout.suite.ts. Built-in suites do not change.")
  }
  const paths = yield* Effect.forEach(files, ModuleFile.pathOf)
  const unawaited = yield* Unawaited.collect
  const target = yield* TargetSource.open(options)
  const { columns, style, write } = yield* terminal
  const say = (lines: ReadonlyArray<string>) => write(lines.map((line) => `${line}\n`).join(""))
  const subscriber = { emit: () => Effect.void, showing: TrialOutput.captured(show) }

  const keys = yield* WatchKeys.make
  let before: ReadonlyArray<ScenarioResult> | undefined
  let onlyFailed = false
  const runOnce = Effect.fnUntraced(function* (edition: ModuleFile.Edition) {
    const { argumentOf, plan: all } = yield* choose(options, { edition })
    const failed = new Set(before?.filter(isBad).map(({ name, suite }) => scenarioKey(suite, name)))
    // with nothing left to fix, what failed is everything
    const isFailed = (planned: Planned) => failed.has(scenarioKey(planned.suite, planned.scenario.name))
    const plan = onlyFailed && failed.size > 0 ? all.filter(isFailed) : all
    const header = yield* headerOf(options, target, plan, argumentOf)
    const report = yield* RunSession.execute({ target, header, plan, unawaited }, { options, subscriber })
    return { report, replay: Advice.replay(options, argumentOf, config) }
  })

  yield* say([
    style.strong(`watching ${files.join(", ")}`) + ` · ${target.info.name} · seed ${options.seed} · ${keys.help}`,
    ""
  ])
  for (let number = 1; ; number++) {
    const edition = { number, files: new Map(paths.map((path) => [path, ModuleFile.stampOf(path)])) }
    const waiting = Effect.raceFirst(
      Effect.suspend(() => FileChanges.changed(edition.files, ModuleFile.stampOf)),
      keys.next
    )
    const ran = runOnce(edition).pipe(
      Effect.flatMap(({ replay, report }) => {
        const explain = (result: ScenarioResult) => Explanation.of(result, { columns, replay, style })
        const lines = Changes.lines(before, report.results, { style, explain })
        before = report.results
        const breaches = report.breaches.map((breach) => `  ${style.bad(breach.invariant)}  ${BreachText.text(breach)}`)
        return say([...lines, ...breaches, ConsoleReporter.summary(report, style), ""])
      }),
      Effect.catchTag("UserError", ({ message }) => say([style.bad(message), ""])),
      Effect.andThen(waiting)
    )
    // a change while it runs stops it, politely, and begins anew
    const changed: ReadonlyArray<string> | WatchKeys.Key = yield* Effect.raceFirst(ran, waiting)
    if (changed === "quit") return
    if (changed === "stop") return yield* new ExitError({ exitCode: 130 })
    if (typeof changed === "string") {
      if (changed !== "again") onlyFailed = changed === "failed"
      continue
    }
    const names = changed.map(shortest).join(", ")
    yield* say([style.faint(cut(`${names} changed`, Math.max(columns, 40)))])
  }
}, Effect.scoped)
