import { assert, layer } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
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
  it.effect("for the request that it set off", () =>
    Effect.gen(function* () {
      assert.include(yield* clicked(yield* open("asks"), "Load"), "loaded")
    }).pipe(Effect.provideService(Clock.Clock, standing))
  )

  it.effect("for the document that it leads to", () =>
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
