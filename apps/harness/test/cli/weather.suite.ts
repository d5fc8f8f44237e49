import { check, scenario, Suite } from "@webagent/scenario"
import * as Config from "effect/Config"
import * as Random from "effect/Random"

/** Fails as often as the environment says. */
export default Suite.make(
  "weather",
  [
    scenario("holds", { trials: 20 }, function* () {
      const failing = yield* Config.withDefault(Config.Number("FAILING"), 0)
      yield* check.isTrue((yield* Random.next) >= failing, "it holds")
    }),
    scenario("always holds", { trials: 20 }, function* () {
      yield* check.isTrue(true, "it holds")
    })
  ],
  { owner: "weather team" }
)
