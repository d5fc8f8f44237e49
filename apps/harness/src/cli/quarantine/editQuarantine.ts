import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Decisions from "@webagent/nights/Decisions"
import * as NightFile from "@webagent/nights/NightFile"
import * as Quarantine from "@webagent/nights/Quarantine"
import { usage } from "@webagent/cli/UserError"
import type { ScenarioName } from "@webagent/report/Comparison"
import { scenarioTitle } from "@webagent/report/ScenarioTitle"
import { Project, suitesOf } from "../../config/Project.ts"
import { refuseDots } from "../HistoryNight.ts"
import * as NamedScenario from "../NamedScenario.ts"
import { program } from "../Program.ts"
import * as SuiteSource from "../selection/SuiteSource.ts"

interface Subject {
  readonly scenario: string
  readonly quarantine: string
  readonly history: string
}

/** The scenarios of the project's suites. */
const declared = Effect.gen(function* () {
  const loaded = yield* SuiteSource.load({ suites: suitesOf(yield* Project), builtIn: false })
  return loaded.flatMap(({ suite }) => suite.scenarios.map(({ name, owner }) => ({ suite: suite.name, name, owner })))
}).pipe(
  // it says which suites it loads
  Effect.provideService(Console.Console, { ...globalThis.console, error: () => undefined })
)

/** Finds the scenario that a text names among those of the last whole night, or else those of the suites. */
const subjectOf = Effect.fnUntraced(function* ({ history, scenario: text }: Subject) {
  const { nights } = yield* NightFile.read(history)
  const ran = nights.findLast(({ partial }) => partial === undefined)?.scenarios ?? []
  const last = yield* NamedScenario.find(ran, text)
  if (last !== undefined) return { scenario: last, scenarios: ran }
  // one that is new has not run yet
  const others = (yield* declared).filter((one) => NamedScenario.matching(ran, NamedScenario.nameOf(one)).length === 0)
  const scenarios: ReadonlyArray<ScenarioName & { readonly owner?: string | undefined }> = [...ran, ...others]
  const scenario = yield* NamedScenario.find(scenarios, text)
  if (scenario !== undefined) return { scenario, scenarios }
  const meant = NamedScenario.meant(scenarios, text)
  const next = meant === undefined ? `See: ${program} list` : `Did you mean "${NamedScenario.nameOf(meant)}"?`
  return yield* usage(`No scenario is named "${text}". ${next}`)
})

/** Puts a scenario into quarantine, or changes its entry. */
export const addToQuarantine = Effect.fnUntraced(function* (
  options: Subject & { readonly owner: string | undefined; readonly reason: string; readonly until: string }
) {
  const { quarantine: file, reason, until: expires } = options
  yield* refuseDots("reason", reason, "why it fails")
  yield* refuseDots("owner", options.owner, "who fixes it")
  if (!Quarantine.isDay(expires)) return yield* usage(`--until must be a day such as 2026-12-01, got "${expires}".`)
  const { scenario, scenarios } = yield* subjectOf(options)
  const owner = options.owner ?? scenario.owner
  if (owner === undefined) {
    return yield* usage(`"${NamedScenario.nameOf(scenario)}" declares no owner. Name who fixes it with --owner.`)
  }
  const { replaced } = yield* Decisions.quarantine({ file, scenario, scenarios, owner, reason, expires })
  const was = replaced === undefined ? "" : ` Before: until ${replaced.expires}, owner ${replaced.owner}.`
  yield* Console.log(`In quarantine: ${scenarioTitle(scenario)} until ${expires}, owner ${owner}.${was}`)
})

/** Takes a scenario out of quarantine. */
export const removeFromQuarantine = Effect.fnUntraced(function* (options: Omit<Subject, "history">) {
  const { quarantine: file } = options
  const entries = yield* entriesOf(file)
  const names = entries.map(({ scenario, suite }) => ({ suite, name: scenario }))
  const scenario = (yield* NamedScenario.find(names, options.scenario)) ?? NamedScenario.parse(options.scenario)
  if (scenario === undefined) return yield* usage(`"${options.scenario}" is not in quarantine.`)
  const released = yield* Decisions.release({ file, scenario })
  yield* Console.log(
    `Removed from quarantine: ${scenarioTitle(scenario)}, which ${released.map(({ owner }) => owner).join(", ")} owned.`
  )
})

const entriesOf = Effect.fnUntraced(function* (file: string) {
  const today = DateTime.formatIso(yield* DateTime.now).slice(0, 10)
  // the standard file need not be there
  const { entries } = yield* Quarantine.read(file === Quarantine.standard ? undefined : file, today)
  return entries.map((entry) => ({ ...entry, isExpired: entry.expires < today }))
})

/** Lists the scenarios in quarantine. */
export const listQuarantine = Effect.fnUntraced(function* (file: string) {
  const entries = yield* entriesOf(file)
  if (entries.length === 0) return yield* Console.log("No scenario is in quarantine.")
  for (const { expires, isExpired, owner, reason, scenario, suite } of entries) {
    const end = isExpired ? `expired on ${expires}` : `until ${expires}`
    yield* Console.log(`${scenarioTitle({ suite, name: scenario })}  ${end}, owner ${owner}: ${reason}`)
  }
})
