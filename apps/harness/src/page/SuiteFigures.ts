import { counted, number, percent } from "@webagent/cli/Text"
import type { SuiteFigures } from "@webagent/report/RunReport"
import { escape } from "@webagent/cli/Xml"
import { table } from "./Html.ts"

/** The pass rates of all suites together and of each that is not whole, with what they say about the next trials. */
export const render = (figures: ReadonlyArray<SuiteFigures> = [], unclean = 0): string => {
  const shown = figures.filter(({ rate, suite }) => suite === null || rate < 1)
  const whole = figures.length - shown.length
  return shown.length === 0
    ? ""
    : table({
        caption: `Pass rates, scenarios weighing the same, intervals of 95 %${whole === 0 ? "" : `; ${counted(whole, "suite")} at 100 %`}${unclean === 0 ? "" : `; by checks alone, without ${counted(unclean, "scenario")} that leaked a browser or broke an invariant`}`,
        heads: ["suite", "scenarios", "rate", "between", "k", "one of k", "all of k"],
        align: " nnnnnn",
        rows: shown.map(({ interval, k, passAtK, passHatK, rate, scenarios, scenariosOfK, suite }) => [
          suite === null ? "<b>all</b>" : escape(suite),
          number(scenarios),
          percent(rate),
          interval === null ? "" : `${percent(interval.low)} to ${percent(interval.high)}`,
          scenariosOfK === scenarios ? number(k) : `${number(k)}, of ${counted(scenariosOfK, "scenario")}`,
          percent(passAtK),
          percent(passHatK)
        ])
      })
}
