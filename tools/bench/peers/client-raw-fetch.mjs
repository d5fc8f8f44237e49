/** fetch by hand: no timeout, no retry, nothing checked. */
import { setTimeout as sleep } from "node:timers/promises"
import { closedLoop, runByHand, waitEach } from "./closed-loop.mjs"

export const make = ({ apiKey, polls, url }) => {
  const headers = { "x-service-api-key": apiKey, accept: "application/json" }
  const jsonHeaders = { ...headers, "content-type": "application/json" }
  const read = async (path) => {
    const answer = await fetch(`${url}/api/v4/runs/${path}`, { headers })
    return answer.json()
  }
  const create = async (task) => {
    const answer = await fetch(`${url}/api/v4/runs`, {
      method: "POST",
      headers: jsonHeaders,
      body: JSON.stringify({ task })
    })
    return answer.json()
  }
  const status = (id) => read(`${id}/status`)
  const get = (id) => read(id)
  const wait = async (id) => {
    while ((await status(id)).status !== "completed") await sleep(2000)
    return get(id)
  }
  return {
    create: closedLoop(() => create("Find a red mug")),
    status: closedLoop(() => status("r-0-1")),
    get: closedLoop(() => get("r-0-1")),
    run: closedLoop(runByHand({ create, get, status }, polls, sleep)),
    wait: waitEach(wait)
  }
}
