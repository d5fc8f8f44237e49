import { check, scenario, Suite } from "@webagent/scenario"

export default Suite.make("paying", [
  scenario("buys", { needs: ["money"] }, function* ({ v4 }) {
    const { id } = yield* v4.runs.create({ task: "Buy a red mug" })
    const run = yield* v4.runs.get(id)
    yield* check.equal(run.status, "completed", "the run completes")
  }),
  scenario("looks", function* ({ request }) {
    const { status } = yield* request("v4", { method: "GET", path: "/runs/none" })
    yield* check.equal(status, 404, "an unknown run")
  })
])
