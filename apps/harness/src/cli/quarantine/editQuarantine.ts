import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Decisions from "@webagent/nights/Decisions"
import * as NightFile from "@webagent/nights/NightFile"
import * as Quarantine from "@webagent/nights/Quarantine"
import { usage } from "@webagent/cli/UserError"
import { scenarioTitle } from "@webagent/report/ScenarioTitle"
import * as NamedScenario from "../NamedScenario.ts"
import { refuseDots } from "../HistoryNight.ts"

interface Subject {
  readonly scenario: string
  readonly quarantine: string
  readonly history: string
}

/** Finds the scenario that a text names among those of the last whole night, or reads it as suite and name. */
const subjectOf = Effect.fnUntraced(function* ({ history, scenario: text }: Subject) {
  const { nights } = yield* NightFile.read(history)
  const scenarios = nights.findLast(({ partial }) => partial === undefined)?.scenarios
  const scenario = (yield* NamedScenario.find(scenarios ?? [], text)) ?? NamedScenario.parse(text)
  if (scenario !== undefined) return { scenario: { suite: scenario.suite, name: scenario.name }, scenarios }
  return yield* usage(
    scenarios === undefined
      ? `"${text}" names no suite. Use "suite > name", because ${history} has no whole night.`
      : `No scenario of the last night is named "${text}". Use "suite > name".`
  )
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
  const [last] = scenarios?.filter(({ name, suite }) => name === scenario.name && suite === scenario.suite) ?? []
  const owner = options.owner ?? last?.owner
  if (owner === undefined) {
    return yield* usage(`"${NamedScenario.nameOf(scenario)}" declares no owner. Name who fixes it with --owner.`)
  }
  const request = { file, scenario, owner, reason, expires }
  const { replaced } = yield* Decisions.quarantine({ ...request, ...(scenarios === undefined ? {} : { scenarios }) })
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
