/**
 * Follows the events of a run as they happen: each status and each step.
 *
 * Run: WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... npm run example -- 34_events
 */
import type { WebAgent } from "@webagent/v4/promise"
import { watch } from "@webagent/v4/promise/events"

export const program = async (agent: WebAgent) => {
  const { id } = await agent.runs.create({
    task: "Compare the prices of the red mug in ten shops [simulate duration=2s]"
  })
  let steps = 0
  for await (const { data, type } of watch(agent, id, { timeout: "10 minutes" })) {
    if (type === "run.step.started") steps++
    console.log(type, data?.step ?? "")
  }
  const { result, status } = await agent.runs.get(id)
  return { status, result, steps }
}
