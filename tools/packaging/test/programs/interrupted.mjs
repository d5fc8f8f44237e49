/** Is interrupted while a run and a session of clients from two packages continue. */
import { WebAgent as V3 } from "@webagent/v3/promise"
import { WebAgent as V4 } from "@webagent/v4/promise"

const [v4, v3] = [new V4(), new V3()]
await v4.runs.create({ task: "[simulate duration=1h]" })
await v3.sessions.create({ task: "[simulate duration=1h]" })
process.kill(process.pid, "SIGINT")
// a signal alone does not keep a process
setTimeout(() => console.error("not interrupted"), 60_000)
