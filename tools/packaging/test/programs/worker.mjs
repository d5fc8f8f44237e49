/** `calls.mjs` in a worker of workerd: a request says where. */
import { calls } from "./calls.mjs"

export default {
  fetch: async (request) => Response.json(await calls(await request.json()))
}
