/** The SDK of a hosted service with the same operations; its waits are as they are unless told. */
import { BrowserUse } from "browser-use-sdk/v4"
import { closedLoop, waitEach } from "./closed-loop.mjs"

export const make = ({ apiKey, polls, url }) => {
  const { runs } = new BrowserUse({ apiKey, baseUrl: `${url}/api/v4` })
  return {
    create: closedLoop(() => runs.create({ task: "Find a red mug" })),
    status: closedLoop(() => runs.status("r-0-1")),
    get: closedLoop(() => runs.get("r-0-1")),
    run: closedLoop(async () => {
      const { id } = await runs.create({ task: `polls ${polls}` })
      return runs.waitForCompletion(id, { interval: 1 })
    }),
    wait: waitEach((id) => runs.waitForCompletion(id))
  }
}
