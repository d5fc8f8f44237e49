import type { TotalCost } from "@webagent/core/promise"
import * as V4 from "../Cost.ts"
import type { Run } from "./Run.ts"

/** The exact total cost of runs. Runs without a known cost are counted apart. */
export const totalCost: (runs: Iterable<Pick<Run, "cost">>) => TotalCost = V4.totalCost
