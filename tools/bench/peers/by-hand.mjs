/** A client by hand over `send(url, options)`, which gives the JSON of an answer. */
import { setTimeout as sleep } from "node:timers/promises"
import { closedLoop, waitEach } from "./closed-loop.mjs"

export const byHand =
  (send) =>
  ({ apiKey, polls, url }) => {
    const headers = { "x-service-api-key": apiKey, accept: "application/json" }
    const jsonHeaders = { ...headers, "content-type": "application/json" }
    const create = (task) =>
      send(`${url}/api/v4/runs`, { method: "POST", headers: jsonHeaders, body: JSON.stringify({ task }) })
    const status = (id) => send(`${url}/api/v4/runs/${id}/status`, { headers })
    const get = (id) => send(`${url}/api/v4/runs/${id}`, { headers })
    const until = async (id, pause_ms) => {
      while ((await status(id)).status !== "completed") await sleep(pause_ms)
      return get(id)
    }
    return {
      create: closedLoop(() => create("Find a red mug")),
      status: closedLoop(() => status("r-0-1")),
      get: closedLoop(() => get("r-0-1")),
      run: closedLoop(async () => until((await create(`polls ${polls}`)).id, 1)),
      wait: waitEach((id) => until(id, 2000))
    }
  }
