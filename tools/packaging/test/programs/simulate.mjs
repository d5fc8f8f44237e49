/** Tests an app of a few lines against the simulated service, again and again: what the app says, and how long a test takes. */
import { simulate } from "@webagent/simulation"
import { WebAgent } from "@webagent/v4/promise"

const buy = async (agent, item) => {
  const run = await agent.runs.createAndWait({ task: `Buy ${item} and answer with the order number` })
  if (run.status !== "completed") throw new Error(`${item} was not bought: ${run.error ?? run.status}`)
  return String(run.result)
}

const test = async () => {
  const service = await simulate()
  const agent = new WebAgent(service.client)
  const number = await buy(agent, "the red mug [simulate output=4711]")
  await service.assertClean()
  await agent.close()
  await service.close()
  return number
}

const numbers = new Set()
const times_ms = []
for (let count = 0; count < 20; count++) {
  const before = process.cpuUsage()
  numbers.add(await test())
  const { system, user } = process.cpuUsage(before)
  times_ms.push((system + user) / 1000)
}
// the CPU time of the quickest: other processes do not count, nor what is compiled first
const least_ms = Math.min(...times_ms)
console.log(JSON.stringify({ numbers: [...numbers], isQuick: least_ms < 100 ? true : least_ms }))
