import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { cost, duration } from "@webagent/nights/Level"
import * as NightComparison from "@webagent/nights/NightComparison"
import * as NightFile from "@webagent/nights/NightFile"
import { eligible, most, sameMachine } from "@webagent/nights/Past"
import { usage } from "@webagent/report/UserError"
import * as ComparisonText from "./ComparisonText.ts"
import { NotGreen } from "../NotGreen.ts"
import * as NightSource from "./NightSource.ts"
import { terminal } from "../Terminal.ts"

/** Compares two nights; fails with NotGreen when the second is worse. */
export const compareNights = Effect.fnUntraced(function* (options: {
  readonly a: string
  readonly b: string
  readonly history: string
}) {
  const { nights, warnings } = yield* NightFile.read(options.history)
  for (const warning of warnings) yield* Console.error(warning)
  const a = yield* NightSource.find(options.a, nights, options.history)
  const b = yield* NightSource.find(options.b, nights, options.history)
  if (a.night.id === b.night.id) return yield* usage(`${options.a} and ${options.b} are the same night: name two.`)
  const alike = eligible(nights, { ...b.night, startedAt: "9999" }).nights.filter((night) =>
    sameMachine(night, b.night)
  )
  const comparison = NightComparison.compare(a, b, alike.slice(-most), { duration, cost })
  if (comparison.scenarios === 0) {
    return yield* usage(`${options.a} and ${options.b} have no scenario in common that was scored in both.`)
  }
  const { style, write } = yield* terminal
  yield* write(`${ComparisonText.lines({ a: a.night, b: b.night, comparison, style }).join("\n")}\n`)
  if (comparison.verdict === "regressed") return yield* new NotGreen({ exitCode: 1 })
})
