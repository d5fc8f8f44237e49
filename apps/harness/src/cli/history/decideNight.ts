import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Decisions from "@webagent/nights/Decisions"
import * as NightFile from "@webagent/nights/NightFile"
import { problemsOf } from "@webagent/nights/Acknowledgements"
import type { Night } from "@webagent/nights/Night"
import { usage } from "@webagent/cli/UserError"
import { counted } from "@webagent/cli/Text"
import type { ScenarioName } from "@webagent/report/Comparison"
import { noNights, ofHistory, refuseDots } from "../HistoryNight.ts"
import * as NamedScenario from "../NamedScenario.ts"

interface NightOptions {
  readonly night: string
  readonly history: string
  readonly scenario: string | undefined
  readonly note: string | undefined
}

/** Finds the night and the scenario that a decision is about. `candidates` are the scenarios that it may be about. */
const subjectOf = Effect.fnUntraced(function* (
  { history, night: word, scenario: text }: NightOptions,
  candidates: (night: Night) => ReadonlyArray<ScenarioName>,
  what: string
) {
  const { nights } = yield* NightFile.read(history)
  if (nights.length === 0) return yield* noNights(history)
  const night = yield* ofHistory(word, nights, history)
  const names = [...new Map(candidates(night).map((one) => [NamedScenario.nameOf(one), one])).values()]
  const scenario = text === undefined ? undefined : yield* NamedScenario.find(names, text)
  if (text !== undefined && scenario === undefined && names.length > 0) {
    return yield* usage(
      `Scenario "${text}" ${what} in night ${night.id}. These did: ${NamedScenario.quotedNames(names)}.`
    )
  }
  if (text !== undefined && scenario === undefined)
    return yield* usage(`Scenario "${text}" ${what} in night ${night.id}.`)
  return { night, scenario }
})

/** Accepts the regressions of a night as the new baseline, by a line in the history. */
export const acceptNight = Effect.fnUntraced(function* (options: NightOptions) {
  yield* refuseDots("note", options.note, "why the new level is intended")
  const { night, scenario } = yield* subjectOf(
    options,
    ({ regressed = [] }) => regressed.flatMap(({ scenario }) => scenario ?? []),
    "did not regress"
  )
  const { history, note } = options
  const { isNew, regressions } = yield* Decisions.accept({ history, night: night.id, scenario, note })
  const what = scenario === undefined ? counted(regressions, "regression") : `"${NamedScenario.nameOf(scenario)}"`
  const accepted = `${what} of night ${night.id}`
  yield* Console.log(
    isNew
      ? `Accepted: ${accepted}. The nights before it are no longer its baseline.`
      : `Already accepted: ${accepted}. Nothing was changed.`
  )
})

/** Records, by a line in the history, that someone is working on the problems of a night. */
export const acknowledgeNight = Effect.fnUntraced(function* (
  options: NightOptions & { readonly owner: string; readonly until: string | undefined }
) {
  const { night, scenario } = yield* subjectOf(
    options,
    (night) => problemsOf(night).flatMap((one) => one ?? []),
    "had no problem"
  )
  const { history, note, owner, until } = options
  const { problems } = yield* Decisions.acknowledge({ history, night: night.id, scenario, note, owner, until })
  const scenarios = problems.flatMap((one) => one ?? [])
  const all = [
    ...(scenarios.length === 0 ? [] : [counted(scenarios.length, "scenario")]),
    ...(scenarios.length === problems.length ? [] : ["the whole run"])
  ].join(" and ")
  const what = scenario === undefined ? all : `"${NamedScenario.nameOf(scenario)}"`
  const end = until === undefined ? "it is over" : `${until}, or until it is over`
  yield* Console.log(`Acknowledged: ${what} of night ${night.id} by ${owner}. No reminders until ${end}.`)
})
