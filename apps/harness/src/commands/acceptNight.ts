import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as NightFile from "../history/NightFile.ts"
import { usage } from "../Mistake.ts"
import { program } from "./Program.ts"

/** Adds a line to a history that takes what got worse in a night as how it is from then on. */
export const acceptNight = Effect.fnUntraced(function* (options: {
  readonly night: string
  readonly history: string
  readonly scenario: string | undefined
  readonly note: string | undefined
}) {
  const { nights } = yield* NightFile.read(options.history)
  const found = nights.filter(({ id }) => id.startsWith(options.night))
  const [night] = found
  if (night === undefined || found.length > 1) {
    return yield* usage(
      `"${options.night}" is ${found.length === 0 ? "no night" : `${found.length} nights`} of ${options.history}: "${program} history" lists them by id.`
    )
  }
  const regressed = night.regressed ?? []
  if (regressed.length === 0) return yield* usage(`Nothing got worse in night ${night.id}: there is nothing to accept.`)
  const wanted = regressed.find(({ scenario }) => scenario !== null && scenario.name === options.scenario)
  const scenario = wanted?.scenario
  if (options.scenario !== undefined && (scenario === undefined || scenario === null)) {
    const names = regressed.flatMap((row) => (row.scenario === null ? [] : [`"${row.scenario.name}"`]))
    return yield* usage(
      `Scenario "${options.scenario}" did not get worse in night ${night.id}${names.length === 0 ? "" : `; these did: ${[...new Set(names)].join(", ")}`}.`
    )
  }
  yield* NightFile.append(
    options.history,
    NightFile.acceptance({
      at: DateTime.formatIso(yield* DateTime.now),
      night: night.id,
      ...(scenario === undefined || scenario === null ? {} : { scenario }),
      ...(options.note === undefined ? {} : { note: options.note })
    })
  )
  const what = scenario === undefined || scenario === null ? `${regressed.length} figures` : `"${scenario.name}"`
  yield* Console.log(`accepted: what night ${night.id} says of ${what} is the measure from then on`)
})
