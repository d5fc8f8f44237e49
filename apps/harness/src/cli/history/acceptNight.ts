import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as NightFile from "@webagent/nights/NightFile"
import { usage } from "@webagent/report/UserError"
import { counted } from "@webagent/report/Text"
import { program } from "../Program.ts"
import { noNights } from "../NoNights.ts"

type Named = { readonly suite: string; readonly name: string }

const nameOf = ({ name, suite }: Named) => `${suite} > ${name}`

const quotedNames = (all: ReadonlyArray<Named>, between = ", ") => all.map((one) => `"${nameOf(one)}"`).join(between)

/** Whether a scenario is named by a text: by its own name, or by its suite's and its own, as reports write it or as is typed. */
const isNamed = (scenario: Named, text: string | undefined) =>
  text === scenario.name || text === nameOf(scenario) || text === `${scenario.suite} › ${scenario.name}`

/** Adds a line to a history that takes what got worse in a night as how it is from then on. */
export const acceptNight = Effect.fnUntraced(function* (options: {
  readonly night: string
  readonly history: string
  readonly scenario: string | undefined
  readonly note: string | undefined
}) {
  const { nights } = yield* NightFile.read(options.history)
  if (nights.length === 0) return yield* noNights(options.history)
  const found = nights.filter(({ id }) => id.startsWith(options.night))
  const [night] = found
  if (night === undefined || found.length > 1) {
    return yield* usage(
      `"${options.night}" is ${found.length === 0 ? "no night" : `${found.length} nights`} of ${options.history}. List them: ${program} history --history ${options.history}`
    )
  }
  const regressed = night.regressed ?? []
  if (regressed.length === 0) return yield* usage(`Night ${night.id} has no regression to accept.`)
  const worse = [
    ...new Map(regressed.flatMap(({ scenario }) => (scenario === null ? [] : [[nameOf(scenario), scenario]]))).values()
  ]
  const wanted = worse.filter((scenario) => isNamed(scenario, options.scenario))
  const [scenario] = wanted
  if (options.scenario !== undefined && scenario === undefined) {
    return yield* usage(
      `Scenario "${options.scenario}" did not get worse in night ${night.id}${worse.length === 0 ? "" : `; these did: ${quotedNames(worse)}`}.`
    )
  }
  if (wanted.length > 1) {
    return yield* usage(`"${options.scenario}" may be ${wanted.length} scenarios: say ${quotedNames(wanted, " or ")}.`)
  }
  yield* NightFile.append(
    options.history,
    NightFile.acceptance({
      at: DateTime.formatIso(yield* DateTime.now),
      night: night.id,
      ...(scenario === undefined ? {} : { scenario }),
      ...(options.note === undefined ? {} : { note: options.note })
    })
  )
  const what = scenario === undefined ? counted(regressed.length, "figure") : `"${nameOf(scenario)}"`
  yield* Console.log(`accepted: what night ${night.id} says of ${what} is the measure from then on`)
})
