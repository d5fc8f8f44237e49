import { Spelling } from "@webagent/control"
import { usage } from "@webagent/cli/UserError"
import type { ScenarioName } from "@webagent/report/Comparison"
import { scenarioTitle } from "@webagent/report/ScenarioTitle"
import * as Effect from "effect/Effect"

/** A scenario as a user types it: `shop > pays`. */
export const nameOf = ({ name, suite }: ScenarioName): string => `${suite} > ${name}`

/** Scenarios as a user types them, in quotes. */
export const quotedNames = (all: ReadonlyArray<ScenarioName>, between = ", "): string =>
  all.map((one) => `"${nameOf(one)}"`).join(between)

/** Finds the scenarios that a text names: by their own name, or by suite and name as in reports or as users type them. */
export const matching = <A extends ScenarioName>(all: ReadonlyArray<A>, text: string): ReadonlyArray<A> =>
  all.filter((one) => text === one.name || text === nameOf(one) || text === scenarioTitle(one))

/** Finds the one scenario that a text names; undefined if it names none. The failure is a UserError if it names several. */
export const find = <A extends ScenarioName>(all: ReadonlyArray<A>, text: string) => {
  const [first, ...more] = matching(all, text)
  return first === undefined || more.length === 0
    ? Effect.succeed(first)
    : Effect.fail(
        usage(`"${text}" matches ${1 + more.length} scenarios. Use ${quotedNames([first, ...more], " or ")}.`)
      )
}

/** Returns the scenario that a misspelled text most likely means; undefined if none is close. */
export const meant = (all: ReadonlyArray<ScenarioName>, text: string): ScenarioName | undefined => {
  const near = Spelling.meant(
    text.replace(" › ", " > "),
    all.flatMap((one) => [one.name, nameOf(one)])
  )
  return all.find((one) => one.name === near || nameOf(one) === near)
}

/** Reads a text such as `shop > pays` as a suite and a name; undefined if it has no suite. */
export const parse = (text: string): ScenarioName | undefined => {
  const [, suite = "", name = ""] = /^(.+?) [>›] (.+)$/su.exec(text) ?? []
  return suite === "" ? undefined : { suite, name }
}
