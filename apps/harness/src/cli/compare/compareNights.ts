import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as NightChanges from "@webagent/findings/NightChanges"
import * as NightComparison from "@webagent/nights/NightComparison"
import * as NightFile from "@webagent/nights/NightFile"
import { changedScenarios, eligible, most } from "@webagent/nights/Past"
import * as Text from "@webagent/cli/Text"
import { usage } from "@webagent/cli/UserError"
import * as JsonOutput from "../JsonOutput.ts"
import * as CompareOutput from "./CompareOutput.ts"
import * as ComparisonText from "./ComparisonText.ts"
import { endWith } from "../ExitCode.ts"
import * as NightSource from "./NightSource.ts"
import { terminal } from "@webagent/cli/Terminal"

/** Compares two nights; fails with ExitError unless no difference is seen, so that each verdict has its exit code. */
export const compareNights = Effect.fnUntraced(function* (options: {
  readonly a: string
  readonly b: string
  readonly history: string
  readonly json: boolean
}) {
  const { nights, warnings } = yield* NightFile.read(options.history)
  for (const warning of warnings) yield* Console.error(warning)
  const a = yield* NightSource.find(options.a, nights, options.history)
  const b = yield* NightSource.find(options.b, nights, options.history)
  if (a.night.id === b.night.id)
    return yield* usage(`${options.a} and ${options.b} are the same night. Name two different nights.`)
  const others = eligible(nights, { ...b.night, startedAt: "9999" }).nights.slice(-most)
  const comparison = NightComparison.compare(a, b, others)
  if (comparison.scenarios === 0) {
    const changed = changedScenarios(b.night, a.night)
    return yield* usage(
      changed === 0
        ? `${options.a} and ${options.b} have no scenario in common that was scored in both.`
        : `The code of ${Text.counted(changed, "scenario")} changed between ${options.a} and ${options.b}, so nothing is left to compare. Compare nights that ran the same code.`
    )
  }
  const conclusion = NightChanges.conclude({ a, b, comparison, nights: others })
  const { style, write } = yield* terminal
  const given = { a: a.night, b: b.night, comparison, conclusion }
  yield* options.json
    ? JsonOutput.print(CompareOutput.CompareOutput, CompareOutput.of(given))
    : write(`${ComparisonText.lines({ ...given, style }).join("\n")}\n`)
  yield* endWith(conclusion.verdict)
})
