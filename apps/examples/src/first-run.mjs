/** A run in promises: the first program of the README. Run: WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... node first-run.mjs */
import { WebAgent } from "@webagent/v4/promise"

const agent = new WebAgent() // reads WEBAGENT_BASE_URL and WEBAGENT_API_KEY
const run = await agent.runs.createAndWait({ task: "Find the cheapest direct flight from Oslo to Rome in May" })
console.log(run.status, run.result)
