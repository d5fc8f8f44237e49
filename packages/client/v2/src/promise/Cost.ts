import type { TotalCost } from "@webagent/core/promise"
import * as V2 from "../Cost.ts"
import type { SessionView, TaskItemView } from "./Session.ts"

/**
 * Returns the exact total cost of sessions, with their tasks and proxies. Unknown costs are counted separately.
 *
 * @param sessions - The sessions, as `sessions.get` returns them.
 * @returns The total in USD as an exact decimal, and the numbers of known and unknown costs.
 * @example
 * ```ts
 * import { totalCost, type WebAgent } from "@webagent/v2/promise"
 *
 * export const cost_usd = async (agent: WebAgent, ids: ReadonlyArray<string>) =>
 *   totalCost(await Promise.all(ids.map((id) => agent.sessions.get(id)))).total
 * ```
 */
export const totalCost: (
  sessions: Iterable<{
    readonly tasks: ReadonlyArray<Pick<TaskItemView, "cost">>
    readonly proxyCost: SessionView["proxyCost"]
  }>
) => TotalCost = V2.totalCost
