import { check, scenario, Suite } from "@webagent/scenario"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

/** Holds a browser while a run goes on; what comes of it depends on the trial's seed alone. */
const story = (name: string) =>
  scenario(name, { trials: 6, needs: ["money"] }, function* ({ simulate, v4 }) {
    yield* v4.browsers.acquire()
    const works = (yield* Random.next) < 0.8
    const outcome = works ? "completed" : "failed"
    const run = yield* v4.runs.createAndWait({ task: simulate("Buy a red mug", { outcome, duration: "20ms" }) })
    yield* check.equal(run.status, "completed", "the run completes")
    yield* Effect.sleep("10 millis")
  })

export default Suite.make("killed", ["a", "b", "c", "d", "e", "f", "g", "h"].map(story))
