/** The same run in Effect. Run: WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... node first-run-effect.mjs */
import { Runs, V4 } from "@webagent/v4"
import * as ManagedRuntime from "effect/ManagedRuntime"

const runtime = ManagedRuntime.make(V4.layer()) // one client per process
const task = "Find the cheapest direct flight from Oslo to Rome in May"
const run = await runtime.runPromise(Runs.use((runs) => runs.createAndWait({ task })))
console.log(run.status, run.result)
