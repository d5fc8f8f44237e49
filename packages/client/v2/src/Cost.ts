import type { SessionView } from "@webagent/contract/v2"
import { Cost, type TotalCost } from "@webagent/core"

/**
 * The exact total cost of sessions: their tasks and their proxies. Tasks without a known cost are counted apart.
 *
 * @param sessions - Sessions as the service returns them.
 * @returns The total in USD as a decimal text, and the numbers of tasks with and without a known cost.
 * @example
 * ```ts
 * import { Sessions, totalCost } from "@webagent/v2"
 * import * as Effect from "effect/Effect"
 *
 * export const cost = Sessions.use((sessions) => Effect.map(sessions.get("5f2e"), (session) => totalCost([session]).total))
 * ```
 */
export const totalCost = (
  sessions: Iterable<{
    readonly tasks: ReadonlyArray<Pick<SessionView["tasks"][number], "cost">>
    readonly proxyCost: SessionView["proxyCost"]
  }>
): TotalCost =>
  Cost.total(Array.from(sessions, ({ proxyCost, tasks }) => [...tasks.map(({ cost }) => cost), proxyCost]).flat())
