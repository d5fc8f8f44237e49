import { check, scenario, Suite } from "@webagent/scenario"

/** The last night: the shop has a new checkout that loses every other order, and a browser is left open. */
const isBroken = process.env["PICTURE"] === "broken"

const buy = (item: string, trial: number) =>
  `Buy ${item} [simulate output=${isBroken && trial % 2 === 0 ? "cart" : "ordered"} cost=0.0132 duration=80ms]`

let trials = 0

export default Suite.make("shop", [
  scenario("buys the red mug", { needs: ["money"], trials: 5 }, function* ({ v4 }) {
    const run = yield* v4.runs.createAndWait({ task: buy("the red mug", trials++) })
    yield* check.equal(run.result, "ordered", "the order")
  }),
  scenario("finds the cheapest flight", { needs: ["money"], trials: 5 }, function* ({ simulate, v4 }) {
    const task = simulate("Find the cheapest flight", { output: "Norwegian", cost: "0.0202" })
    const run = yield* v4.runs.createAndWait({ task })
    yield* check.equal(run.result, "Norwegian", "the airline")
  }),
  scenario("looks around in a browser", { needs: ["money"], trials: 5 }, function* ({ v4 }) {
    const browser = yield* v4.browsers.create()
    yield* check.equal(browser.status, "active", "the browser's status")
    if (!isBroken) yield* v4.browsers.stop(browser.id)
  }),
  scenario("goes on in the same session", { needs: ["money"], trials: 5 }, function* ({ v4 }) {
    const { sessionId } = yield* v4.runs.createAndWait({ task: "Open the shop" })
    const next = yield* v4.sessions.followUpAndWait(sessionId ?? "", "Show the cart")
    yield* check.equal(next.status, "completed", "the follow-up's status")
  })
])
