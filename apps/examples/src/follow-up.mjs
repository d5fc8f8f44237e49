/** Sends a message to a run's session. Run: WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... node follow-up.mjs */
import { WebAgent } from "@webagent/v4/promise"

const agent = new WebAgent()
const may = await agent.runs.createAndWait({ task: "Find the cheapest direct flight from Oslo to Rome in May" })
// the API doesn't guarantee a session id
if (!may.sessionId) throw new Error(`Run ${may.id} has no session.`)
const june = await agent.sessions.followUpAndWait(may.sessionId, "Now the same for June")
console.log(june.result)
