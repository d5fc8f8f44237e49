import type { TotalCost } from "@webagent/core/promise"
import * as V4 from "../Cost.ts"
import type { Run } from "./Run.ts"

/** What runs cost together, exactly. Those of which the service does not say it are counted apart. */
export const totalCost: (runs: Iterable<Pick<Run, "cost">>) => TotalCost = V4.totalCost
