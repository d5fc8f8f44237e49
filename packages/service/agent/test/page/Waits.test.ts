import { assert, layer } from "@effect/vitest"
import { launch } from "@webagent/test-chromium/Launched"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Page from "../../src/page/Page.ts"
import { clicked, open, Tested } from "../support/browser.ts"

/** A clock that stands: no wait ends for its time, however slow the machine is. */
const standing = {
  currentTimeMillisUnsafe: () => 0,
  currentTimeMillis: Effect.succeed(0),
  currentTimeNanosUnsafe: () => 0n,
  currentTimeNanos: Effect.succeed(0n),
  monotonicTimeNanosUnsafe: () => 0n,
  monotonicTimeNanos: Effect.succeed(0n),
  sleep: () => Effect.never
}

layer(Tested.layer(standing), { excludeTestServices: true })("An action waits", (it) => {
  it.effect("for the request that it triggered", () =>
    Effect.gen(function* () {
      assert.include(yield* clicked(yield* open("asks"), "Load"), "loaded")
    }).pipe(Effect.provideService(Clock.Clock, standing))
  )

  it.effect("for the document that it opens", () =>
    Effect.gen(function* () {
      assert.include(yield* clicked(yield* open("leads"), "Slow"), "# Arrived")
    }).pipe(Effect.provideService(Clock.Clock, standing))
  )

  it.effect("for the frame that it loads", () =>
    Effect.gen(function* () {
      assert.include(yield* open("holds"), "# Arrived")
    }).pipe(Effect.provideService(Clock.Clock, standing))
  )
})

layer(Tested.layer(), { excludeTestServices: true })("A wait for a model or a person", (it) => {
  it.effect("sends the browser a message each minute, because a pool stops idle browsers", () =>
    Effect.gen(function* () {
      const { connect } = yield* launch()
      const transport = yield* connect
      const waits: Array<string> = []
      const kept = yield* Deferred.make<void>()
      const counted: typeof transport = {
        ...transport,
        send: (message) => {
          if (String(message).includes("Browser.getVersion") && waits.length > 1) Deferred.doneUnsafe(kept, Effect.void)
          return transport.send(message)
        }
      }
      const page = yield* Page.make(counted)
      const clock = yield* Clock.Clock
      const hurried: Clock.Clock = Object.create(clock, {
        sleep: {
          value: (duration: Duration.Duration) => {
            waits.push(Duration.format(duration))
            return clock.sleep(Duration.millis(1))
          }
        }
      })
      yield* Effect.raceFirst(page.lost, Deferred.await(kept)).pipe(Effect.provideService(Clock.Clock, hurried))
      assert.deepStrictEqual(new Set(waits), new Set(["1m"]))
    })
  )
})
