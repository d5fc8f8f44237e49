import { assert, describe, it } from "@effect/vitest"
import { PollSchedule } from "@webagent/polling"
import { Control, Server, type SimulatedOptions, SimulatedService } from "@webagent/simulation"
import { Browsers, V4 } from "@webagent/v4"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import { Shopper } from "./Shopper.ts"

/** The same clients as in production, but with a different address. */
const clients = Layer.unwrap(
  Effect.map(Server, ({ address }) => V4.layerClient({ baseUrl: address, apiKey: "wak_test" }))
)

/** The app with its own service on a free port. A simulated run takes 5 ms, so the tests poll often. */
const withService = (options: SimulatedOptions = {}) =>
  Effect.provide(
    Shopper.layer.pipe(
      Layer.provideMerge(clients),
      Layer.provide([FetchHttpClient.layer, Layer.succeed(PollSchedule.Current, PollSchedule.every("5 millis"))]),
      Layer.provideMerge(SimulatedService.layer({ profile: "instant", apiKeys: ["wak_test"], ...options }))
    )
  )

/** The app's mistakes, as the service reports them. */
const violations = Effect.gen(function* () {
  const control = yield* Control
  const { verdicts } = yield* control.verdicts
  return verdicts.filter(({ holds }) => !holds).map(({ sentence }) => sentence)
})

/** Creates a run, but loses the response. */
const lost = { fault: { kind: "reset", placement: "after-apply" }, when: { operations: ["v4.createRun"] } } as const

// use it.live, because sockets don't wait for a TestClock
describe("Shopper", () => {
  it.live("returns the order number", () =>
    Effect.gen(function* () {
      const shopper = yield* Shopper
      assert.strictEqual(yield* shopper.buy("the red mug [simulate output=4711]"), "4711")
      assert.deepStrictEqual(yield* violations, [])
    }).pipe(withService())
  )

  it.live("reports why an item was not bought", () =>
    Effect.gen(function* () {
      const shopper = yield* Shopper
      const error = yield* Effect.flip(shopper.buy('the red mug [simulate outcome=failed error="sold out"]'))
      assert.deepInclude(error, { _tag: "NotBought", why: "sold out" })
    }).pipe(withService())
  )

  it.live("survives polls that are reset, throttled or return HTML", () =>
    Effect.gen(function* () {
      const shopper = yield* Shopper
      assert.strictEqual(yield* shopper.buy("the red mug [simulate output=4711]"), "4711")
      assert.deepStrictEqual(yield* violations, [])
    }).pipe(
      withService({
        faults: [
          { fault: { kind: "reset" }, when: { operations: ["v4.getRunStatus"], attempts: [1] } },
          { fault: { kind: "status", status: 429 }, when: { operations: ["v4.getRunStatus"], attempts: [2] } },
          { fault: { kind: "html-error" }, when: { operations: ["v4.getRun"], attempts: [1] } }
        ]
      })
    )
  )

  it.live("does not buy twice when the response to a create is lost", () =>
    Effect.gen(function* () {
      const control = yield* Control
      const shopper = yield* Shopper
      const error = yield* Effect.flip(shopper.buy("the red mug"))
      assert.strictEqual(error._tag, "MaybeBought")
      const { entries } = yield* control.journal({ type: "request" })
      assert.deepStrictEqual(
        entries.map((row) => row.type === "request" && [row.operation, row.answered, row.made !== null]),
        [["v4.createRun", "none", true]]
      )
    }).pipe(withService({ faults: [lost] }))
  )

  it.live("stops the browser when its use fails", () =>
    Effect.gen(function* () {
      const shopper = yield* Shopper
      yield* Effect.flip(shopper.browse(() => Effect.fail("nothing to see")))
      assert.deepStrictEqual(yield* violations, [])
    }).pipe(withService())
  )

  it.live("reports a browser that the app doesn't stop", () =>
    Effect.gen(function* () {
      const browsers = yield* Browsers
      yield* browsers.create()
      assert.deepStrictEqual(yield* violations, [
        '1 browser is not stopped. Use browsers.use, browsers.stop or PATCH with the action "stop".'
      ])
    }).pipe(withService())
  )
})
