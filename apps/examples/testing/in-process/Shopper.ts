/** An app that hides the agent behind its own service. It has no code for tests. */
import { Browsers, Runs } from "@webagent/v4"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** The item was not bought. */
export class NotBought extends Data.TaggedError("NotBought")<{ readonly item: string; readonly why: string }> {}

/** The item may have been bought: check before you try again. The key is the lost request's idempotency key. */
export class MaybeBought extends Data.TaggedError("MaybeBought")<{ readonly item: string; readonly key: string }> {}

const make = Effect.gen(function* () {
  const browsers = yield* Browsers
  const runs = yield* Runs
  return {
    /** Buys an item and returns the order number. */
    buy: Effect.fn("Shopper.buy")(
      function* (item: string) {
        const run = yield* runs.createAndWait({ task: `Buy ${item} and answer with the order number` })
        if (run.status !== "completed") return yield* new NotBought({ item, why: run.error ?? run.status })
        return String(run.result)
      },
      (bought, item) =>
        Effect.catchTag(bought, "CreateOutcomeUnknown", ({ key }) => Effect.fail(new MaybeBought({ item, key })))
    ),
    /** Opens a browser for `look`, and stops it afterwards. */
    browse: <A, E, R>(look: (cdpUrl: string) => Effect.Effect<A, E, R>) =>
      browsers.use({ proxyCountryCode: "no" }, (browser) => look(browser.cdpUrl))
  }
})

export class Shopper extends Context.Service<Shopper>()("your-app/Shopper", { make }) {
  static readonly layer = Layer.effect(this, this.make)
}
