import type { Run } from "@webagent/contract/v4"
import { Cost, type TotalCost } from "@webagent/core"

/**
 * The exact total cost of runs. Runs without a known cost, such as those that are not over, are counted apart.
 *
 * @param runs - Runs as the service returns them.
 * @returns The total in USD as a decimal text, and the numbers of runs with and without a known cost.
 * @example
 * ```ts
 * import { totalCost } from "@webagent/v4"
 *
 * export const cost = totalCost([{ cost: "0.1" }, { cost: "0.2" }, {}]) // { total: "0.3", known: 2, unknown: 1 }
 * ```
 */
export const totalCost = (runs: Iterable<Pick<Run, "cost">>): TotalCost =>
  Cost.total(Array.from(runs, ({ cost }) => cost))
