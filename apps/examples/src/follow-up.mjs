/** Sends a message to a run's session. Run: WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... node follow-up.mjs */
import { WebAgent } from "@webagent/v4/promise"

const agent = new WebAgent()
const may = await agent.runs.createAndWait({ task: "Find the cheapest direct flight from Oslo to Rome in May" })
if (!may.sessionId) throw new Error("The service returned no session id.")
const june = await agent.sessions.followUpAndWait(may.sessionId, "Now the same for June")
console.log(june.result)
