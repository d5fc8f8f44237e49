import { scenario, Suite } from "@webagent/scenario/promise"
import { AsyncResource } from "node:async_hooks"

let later = () => {}

/** Two scenarios leave rejected promises behind, one a call; the last goes on. */
export default Suite.make("unawaited", [
  scenario("rejects", ({ check }) => {
    console.error("at the till")
    void Promise.reject(new Error("boo"))
    check.isTrue(true, "it ends")
  }),
  scenario("rejects later", ({ check }) => {
    later = AsyncResource.bind(() => void Promise.reject(new Error("late")))
    check.isTrue(true, "it ends")
  }),
  scenario("leaves a call", { allows: ["results-never-fetched"] }, ({ check, v4 }) => {
    void v4.runs.createAndWait({ task: "Say hello" })
    check.isTrue(true, "it ends")
  }),
  scenario("goes on", ({ check }) => {
    later()
    check.isTrue(true, "it ends")
  })
])
