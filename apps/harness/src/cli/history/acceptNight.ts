import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as NightFile from "@webagent/nights/NightFile"
import { usage } from "@webagent/cli/UserError"
import { counted } from "@webagent/cli/Text"
import { scenarioTitle } from "@webagent/report/Comparison"
import { noNights, ofHistory } from "../HistoryNight.ts"

type Named = { readonly suite: string; readonly name: string }

const nameOf = ({ name, suite }: Named) => `${suite} > ${name}`

const quotedNames = (all: ReadonlyArray<Named>, between = ", ") => all.map((one) => `"${nameOf(one)}"`).join(between)

/** True if a text names a scenario: by its own name, or by its suite and name as in reports or as a user types them. */
const isNamed = (scenario: Named, text: string | undefined) =>
  text === scenario.name || text === nameOf(scenario) || text === scenarioTitle(scenario)

/** Accepts the regressions of a night as the new baseline, by a line in the history. */
export const acceptNight = Effect.fnUntraced(function* (options: {
  readonly night: string
  readonly history: string
  readonly scenario: string | undefined
  readonly note: string | undefined
}) {
  const { accepted, nights } = yield* NightFile.read(options.history)
  if (nights.length === 0) return yield* noNights(options.history)
  const night = yield* ofHistory(options.night, nights, options.history)
  const regressed = night.regressed ?? []
  if (regressed.length === 0) return yield* usage(`Night ${night.id} has no regression to accept.`)
  const worse = [
    ...new Map(regressed.flatMap(({ scenario }) => (scenario === null ? [] : [[nameOf(scenario), scenario]]))).values()
  ]
  const wanted = worse.filter((scenario) => isNamed(scenario, options.scenario))
  const [scenario] = wanted
  if (options.scenario !== undefined && scenario === undefined) {
    return yield* usage(
      `Scenario "${options.scenario}" did not regress in night ${night.id}.${worse.length === 0 ? "" : ` These did: ${quotedNames(worse)}.`}`
    )
  }
  if (wanted.length > 1) {
    return yield* usage(`"${options.scenario}" matches ${wanted.length} scenarios. Use ${quotedNames(wanted, " or ")}.`)
  }
  const what = scenario === undefined ? counted(regressed.length, "regression") : `"${nameOf(scenario)}"`
  const said = `${what} of night ${night.id}`
  const isKnown = accepted.some(
    (one) =>
      one.night === night.id &&
      (one.scenario === undefined || isNamed(one.scenario, scenario && nameOf(scenario))) &&
      // a night since then may have regressed again
      nights.every(({ startedAt }) => startedAt <= one.at)
  )
  if (isKnown) return yield* Console.log(`Already accepted: ${said}. Nothing was changed.`)
  yield* NightFile.append(
    options.history,
    NightFile.acceptance({
      at: DateTime.formatIso(yield* DateTime.now),
      night: night.id,
      ...(scenario === undefined ? {} : { scenario }),
      ...(options.note === undefined ? {} : { note: options.note })
    })
  )
  yield* Console.log(`Accepted: ${said}. The nights before it are no longer its baseline.`)
})
