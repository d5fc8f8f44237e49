import type { SessionView } from "@webagent/contract/v2"
import { Cost, type TotalCost } from "@webagent/core"

/**
 * The exact total cost of sessions: their tasks and their proxies. Tasks without a known cost are counted apart.
 */
export const totalCost = (
  sessions: Iterable<{
    readonly tasks: ReadonlyArray<Pick<SessionView["tasks"][number], "cost">>
    readonly proxyCost: SessionView["proxyCost"]
  }>
): TotalCost =>
  Cost.total(Array.from(sessions, ({ proxyCost, tasks }) => [...tasks.map(({ cost }) => cost), proxyCost]).flat())
