import type { Style } from "@webagent/report/Style"
import type { ScenarioResult } from "@webagent/report/RunReport"
import type { Changes } from "./Changes.ts"

/** What is shown of changes: of what broke, or is bad for another reason, all; of the rest a line each. */
export const changeLines = (
  { broke, fixed, stillBad }: Changes,
  options: {
    readonly style: Style
    /** The lines that explain a scenario that is bad. */
    readonly explain: (result: ScenarioResult) => ReadonlyArray<string>
    /** How a scenario that is bad for the first time is called. */
    readonly broken: string
  }
): ReadonlyArray<string> => {
  const { broken, explain, style } = options
  const title = ({ name, suite }: ScenarioResult) => `${suite} › ${name}`
  const known = stillBad.filter(({ isNew }) => !isNew)
  const other = stillBad.filter(({ isNew }) => isNew)
  const told = (word: string) => (result: ScenarioResult) => {
    const lines = explain(result)
    // what failed begins with its own title; what leaked has none
    return lines.length > 0 ? [`  ${style.bad(word)}`, ...lines] : [`  ${style.bad(word.padEnd(13))}  ${title(result)}`]
  }
  return [
    ...fixed.map((result) => `  ${style.good("fixed".padEnd(13))}  ${title(result)}`),
    ...known.map(({ result }) => `  ${style.bad("still failing")}  ${title(result)}`),
    ...other.flatMap(({ result }) => told("fails anew")(result)),
    ...broke.flatMap(told(broken))
  ]
}
