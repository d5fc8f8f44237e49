/**
 * An app of your own: a service that hides the agent. Its test is test/27_your-app.test.ts.
 *
 * Run: WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... \
 *   node --conditions=@webagent/source apps/examples/src/27_your-app.ts
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Runs, V4 } from "@webagent/v4"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export class NotBought extends Data.TaggedError("NotBought")<{ readonly item: string; readonly why: string }> {}

const make = Effect.gen(function* () {
  const runs = yield* Runs
  const buy = Effect.fn("Shopper.buy")(function* (item: string) {
    const run = yield* runs.createAndWait({ task: `Buy ${item} and answer with the number of the order` })
    if (run.status !== "completed") return yield* new NotBought({ item, why: run.error ?? run.status })
    return String(run.result)
  })
  return { buy }
})

export class Shopper extends Context.Service<Shopper>()("your-app/Shopper", { make }) {
  static readonly layer = Layer.effect(this, this.make)
}

export const program = Effect.flatMap(Shopper, (shopper) => shopper.buy("the red mug"))

if (import.meta.main) {
  const layer = Layer.provide(Shopper.layer, V4.layerConfig)
  program.pipe(Effect.tap(Console.log), Effect.provide(layer), NodeRuntime.runMain)
}
