import { check, scenario, Suite } from "@webagent/scenario"
import * as Effect from "effect/Effect"

export default Suite.make("example", [
  scenario("passes", { tags: ["quick"] }, function* ({ simulate, v4 }) {
    const run = yield* v4.runs.createAndWait({ task: simulate("Buy a red mug", { output: "12 EUR" }) })
    yield* check.equal(run.result, "12 EUR", "the price")
  }),
  scenario("fails", { tags: ["broken"] }, function* ({ simulate, v4 }) {
    const run = yield* v4.runs.createAndWait({ task: simulate("Buy a red mug", { outcome: "failed" }) })
    yield* check.equal(run.status, "completed", "the run completes")
  }),
  scenario("leaks", { tags: ["leak"] }, function* ({ v4 }) {
    const browser = yield* v4.browsers.create()
    yield* check.match(browser.cdpUrl, /^ws/u, "the browser's address")
  }),
  scenario("goes on", { tags: ["long"] }, function* ({ v4 }) {
    yield* v4.browsers.acquire()
    yield* Effect.never
  })
])
