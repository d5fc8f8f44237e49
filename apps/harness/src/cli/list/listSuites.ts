import * as Effect from "effect/Effect"
import * as JsonOutput from "../JsonOutput.ts"
import * as SuiteSource from "../selection/SuiteSource.ts"
import { terminal } from "@webagent/cli/Terminal"
import { ListOutput } from "./ListOutput.ts"

const lines = (suites: typeof ListOutput.Type.suites): ReadonlyArray<string> =>
  suites.flatMap(({ name, scenarios }) => [
    `${name}  (${scenarios.length})`,
    ...scenarios.map(({ name, needs, only, owner, skip, tags }) => {
      const notes = [
        ...(only ? ["only"] : []),
        ...(skip === null ? [] : [`skipped: ${skip}`]),
        ...(needs.length > 0 ? [`needs ${needs.join(", ")}`] : []),
        ...(tags.length > 0 ? [`tags ${tags.join(", ")}`] : []),
        ...(owner === null ? [] : [`owner ${owner}`])
      ]
      return `  ${name}${notes.length === 0 ? "" : `   · ${notes.join(" · ")}`}`
    }),
    ""
  ])

/** Lists what `run` can run, for a person or a program. */
export const listSuites = Effect.fnUntraced(function* (wanted: SuiteSource.Wanted & { readonly json: boolean }) {
  const suites = (yield* SuiteSource.load(wanted)).map(({ argument, suite }) => ({
    name: suite.name,
    argument,
    scenarios: suite.scenarios.map(({ budget_usd, name, needs, only, owner, skip, tags, trials, where }) => ({
      name,
      needs,
      tags,
      owner: owner ?? null,
      trials,
      only,
      skip: skip ?? null,
      budget_usd: budget_usd ?? null,
      where: where ?? null
    }))
  }))
  if (wanted.json) return yield* JsonOutput.print(ListOutput, { suites })
  const { write } = yield* terminal
  yield* write(`${lines(suites).join("\n")}\n`)
})
