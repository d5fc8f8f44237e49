import type { TotalCost } from "@webagent/core/promise"
import * as V2 from "../Cost.ts"
import type { SessionView, TaskItemView } from "./Session.ts"

/** What sessions cost together, exactly: their tasks and their proxies. What the service does not say is counted apart. */
export const totalCost: (
  sessions: Iterable<{
    readonly tasks: ReadonlyArray<Pick<TaskItemView, "cost">>
    readonly proxyCost: SessionView["proxyCost"]
  }>
) => TotalCost = V2.totalCost
