import type { TotalCost } from "@webagent/core/promise"
import * as V4 from "../Cost.ts"
import type { Run } from "./Run.ts"

/**
 * The exact total cost of runs. Runs without a known cost are counted apart.
 *
 * @param runs - Runs as the service returns them.
 * @returns The sum in USD, and the number of runs without a known cost.
 * @example
 * ```ts
 * import { WebAgent, totalCost } from "@webagent/v4/promise"
 *
 * const agent = new WebAgent()
 * const run = await agent.runs.createAndWait({ task: "Find a red mug" })
 * console.log(totalCost([run]))
 * ```
 */
export const totalCost: (runs: Iterable<Pick<Run, "cost">>) => TotalCost = V4.totalCost
