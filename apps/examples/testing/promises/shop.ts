import { CreateOutcomeUnknown, type WebAgent } from "@webagent/v4/promise"

/** Buys an item and returns the order number. */
export const buy = async (agent: WebAgent, item: string): Promise<string> => {
  try {
    const task = `Buy ${item} and answer with the order number`
    const run = await agent.runs.createAndWait({ task })
    if (run.status !== "completed") throw new Error(`${item} was not bought: ${run.error ?? run.status}`)
    return String(run.result)
  } catch (error) {
    // the response was lost, so a second attempt might buy a second item
    if (error instanceof CreateOutcomeUnknown) {
      throw new Error(`${item} may have been bought (key ${error.key})`, { cause: error })
    }
    throw error
  }
}
