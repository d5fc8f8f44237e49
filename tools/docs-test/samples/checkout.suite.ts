import { check, scenario, Suite } from "@webagent/scenario"

const order = "soldout"

export default Suite.make("checkout", [
  scenario("buys the red mug", function* ({ v4 }) {
    const run = yield* v4.runs.createAndWait({ task: "Buy a red mug [simulate output=ordered]" })
    yield* check.equal(run.result, order, "the order")
  }),

  scenario("keeps its tasks", function* ({ simulate, v2, v4 }) {
    const { sessionId } = yield* v4.runs.createAndWait({
      task: simulate("Open the shop", { output: "open", cost: "0.03" })
    })
    const { tasks } = yield* v2.sessions.get(sessionId ?? "")
    const seen = tasks.map(({ cost, output, status }) => ({ status, output, cost }))
    yield* check.deepEqual(seen, [{ status: "finished", output: "open", cost: "0.02" }], "the tasks")
  })
])
