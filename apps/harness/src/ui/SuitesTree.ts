import type { LastResult, SuiteFile, SuiteScenario, SuiteTree } from "@webagent/harness-api"
import type { Entry } from "@webagent/nights/Quarantine"
import type { Suite } from "@webagent/scenario"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as SuiteSource from "../cli/selection/SuiteSource.ts"
import * as ModuleFile from "../config/ModuleFile.ts"
import * as Plan from "../run/Plan.ts"

/** Facts about scenarios from other files. */
interface Facts {
  readonly last: (suite: string, name: string) => LastResult | null
  readonly quarantine: (suite: string, name: string) => Entry | null
}

/** The suites of a project, loaded again when their files have changed. */
export interface SuitesTree {
  readonly read: (facts: Facts) => Effect.Effect<SuiteTree>
  /** The number of times that the files were loaded. */
  readonly loads: () => number
  /** True if a file has changed since it was loaded. */
  readonly hasChanged: Effect.Effect<boolean>
}

type Loaded = Result.Result<SuiteSource.LoadedSuite, string>

const scenarioOf = (suite: string, scenario: Suite.Suite["scenarios"][number], facts: Facts): SuiteScenario => {
  const { budget_usd, name, needs, only, owner, skip, tags, trials, where } = scenario
  return {
    name,
    tags,
    needs,
    owner: owner ?? null,
    trials,
    only,
    skip: skip ?? null,
    budget_usd: budget_usd ?? null,
    mayCost: Plan.mayCost({ suite, scenario }),
    where: where ?? null,
    last: facts.last(suite, name),
    quarantine: facts.quarantine(suite, name)
  }
}

const fileOf = (argument: string, loaded: Loaded, facts: Facts): SuiteFile =>
  Result.match(loaded, {
    onFailure: (problem) => ({ argument, suite: null, problem, scenarios: [] }),
    onSuccess: ({ suite }) => ({
      argument,
      suite: suite.name,
      problem: null,
      scenarios: suite.scenarios.map((scenario) => scenarioOf(suite.name, scenario, facts))
    })
  })

/** Makes the tree of the suites that are wanted. */
export const make = (wanted: SuiteSource.Wanted): SuitesTree => {
  let edition: ModuleFile.Edition = { number: 0, files: new Map() }
  let loaded: ReadonlyMap<string, Loaded> = new Map()
  const isStale = () => [...edition.files].some(([path, stamp]) => ModuleFile.stampOf(path) !== stamp)

  /** One file after the other, so that one that throws leaves the others. */
  const load = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
    edition = { number: edition.number + 1, files: new Map() }
    const all = new Map<string, Loaded>()
    const argumentOf = new Map<string, string>()
    for (const argument of names) {
      const one = yield* SuiteSource.load({ suites: [argument], builtIn: false }, edition).pipe(
        Effect.map(([first]) => first),
        Effect.mapError(({ message }) => message),
        Effect.result
      )
      if (Result.isSuccess(one) && one.success === undefined) continue
      const name = Result.isSuccess(one) ? (one.success?.suite.name ?? "") : ""
      const other = argumentOf.get(name)
      if (Result.isFailure(one)) all.set(argument, Result.fail(one.failure))
      else if (other !== undefined) {
        all.set(argument, Result.fail(`${other} and ${argument} both have a suite named "${name}". Rename one.`))
      } else if (one.success !== undefined) {
        argumentOf.set(name, argument)
        all.set(argument, Result.succeed(one.success))
      }
    }
    loaded = all
  })

  return {
    loads: () => edition.number,
    hasChanged: Effect.sync(isStale),
    read: Effect.fnUntraced(function* (facts) {
      const names = yield* SuiteSource.argumentsOf(wanted).pipe(
        // the tree shows which files there are
        Effect.provideService(Console.Console, { ...globalThis.console, error: () => undefined }),
        Effect.result
      )
      if (Result.isFailure(names)) return { files: [], problem: names.failure.message }
      const isOther = names.success.length !== loaded.size || names.success.some((name) => !loaded.has(name))
      if (isOther || isStale()) yield* load(names.success)
      return { files: [...loaded].map(([argument, one]) => fileOf(argument, one, facts)), problem: null }
    })
  }
}
