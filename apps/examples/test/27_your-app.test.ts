import { assert, describe, it } from "@effect/vitest"
import { PollSchedule } from "@webagent/polling"
import { Server } from "@webagent/server"
import { V4 } from "@webagent/v4"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import { Shopper } from "../src/27_your-app.ts"

/** The app as in production, but for the address: a server of its own for each test. */
const layer = Shopper.layer.pipe(
  Layer.provide(
    Layer.unwrap(
      Effect.map(Server, ({ address, apiKeys }) => V4.layerClient({ baseUrl: address, apiKey: apiKeys[0] ?? "" }))
    )
  ),
  Layer.provide([FetchHttpClient.layer, Layer.succeed(PollSchedule.Current, PollSchedule.every("5 millis"))])
)

// it.live, for sockets know nothing of a TestClock
describe("Shopper", () => {
  it.live("answers with the number of the order", () =>
    Effect.gen(function* () {
      const shopper = yield* Shopper
      assert.strictEqual(yield* shopper.buy("the red mug [simulate output=4711]"), "4711")
    }).pipe(Effect.provide(layer), Effect.provide(Server.layerTest))
  )

  it.live("says why an item was not bought", () =>
    Effect.gen(function* () {
      const shopper = yield* Shopper
      const error = yield* Effect.flip(shopper.buy('the red mug [simulate outcome=failed error="sold out"]'))
      assert.deepInclude(error, { _tag: "NotBought", why: "sold out" })
    }).pipe(Effect.provide(layer), Effect.provide(Server.layerTest))
  )

  it.live("gives up when the service always fails", () =>
    Effect.gen(function* () {
      const shopper = yield* Shopper
      assert.strictEqual((yield* Effect.flip(shopper.buy("the red mug")))._tag, "NotBought")
    }).pipe(Effect.provide(layer), Effect.provide(Layer.orDie(Server.layerSimulated({ failureRate: 1 }))))
  )
})
