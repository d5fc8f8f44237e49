import type { TotalCost } from "@webagent/core/promise"
import * as V2 from "../Cost.ts"
import type { SessionView, TaskItemView } from "./Session.ts"

/** Returns the exact total cost of sessions, with their tasks and proxies. Unknown costs are counted separately. */
export const totalCost: (
  sessions: Iterable<{
    readonly tasks: ReadonlyArray<Pick<TaskItemView, "cost">>
    readonly proxyCost: SessionView["proxyCost"]
  }>
) => TotalCost = V2.totalCost
