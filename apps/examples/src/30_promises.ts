/**
 * A run in promises, without Effect: each status as it comes, then the result. Ctrl-C ends the wait, not the run.
 *
 * Run: WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... npm run example -- 30_promises
 */
import { HTTPValidationError, WaitTimeoutError, type WebAgent } from "@webagent/v4/promise"

export const program = async (agent: WebAgent, signal?: AbortSignal) => {
  try {
    const { id } = await agent.runs.create(
      { task: "Find the cheapest direct flight from Oslo to Rome in May" },
      { signal }
    )
    for await (const { status } of agent.runs.watch(id, { timeout: "10 minutes", signal })) console.log(status)
    return (await agent.runs.get(id, { signal })).result
  } catch (error) {
    if (error instanceof HTTPValidationError) return `The task was refused: ${error.message}`
    if (error instanceof WaitTimeoutError) return `Run ${error.id} is still ${error.lastStatus}`
    throw error
  }
}
