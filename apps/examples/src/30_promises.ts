/**
 * Creates a run with promises, prints each status and returns the result. Ctrl-C stops the wait, but not the run.
 *
 * Run: WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... npm run example -- 30_promises
 */
import { HTTPValidationError, TooManyRequestsError, WaitTimeoutError, type WebAgent } from "@webagent/v4/promise"

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
    if (error instanceof TooManyRequestsError) return `Try again in ${error.retryAfter_ms ?? 2000} ms`
    if (error instanceof WaitTimeoutError) return `Run ${error.id} is still ${error.lastStatus}`
    throw error
  }
}
