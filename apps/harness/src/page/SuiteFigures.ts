import type { SuiteFigures } from "../runner/RunReport.ts"
import { escape, number, percent, table } from "./Html.ts"

/** The pass rates of all suites and of each, with what they say about the next trials. */
export const render = (figures: ReadonlyArray<SuiteFigures> = []): string =>
  figures.length === 0
    ? ""
    : table({
        caption: "Pass rates: each scenario weighs the same, intervals are of 95 %",
        heads: ["suite", "scenarios", "rate", "between", "one of k", "all of k"],
        align: " nn nn",
        rows: figures.map(({ interval, k, passAtK, passHatK, rate, scenarios, suite }) => [
          suite === null ? "<b>all</b>" : escape(suite),
          number(scenarios),
          percent(rate),
          interval === null ? "" : `${percent(interval.low)} .. ${percent(interval.high)}`,
          `${percent(passAtK)} <span class="faint">(${k})</span>`,
          `${percent(passHatK)} <span class="faint">(${k})</span>`
        ])
      })
