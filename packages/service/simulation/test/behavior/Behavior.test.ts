import { presets, SettingsFile } from "@webagent/control"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { Behavior, type BehaviorOptions } from "../../src/behavior/Behavior.ts"

const profileOf = (options: BehaviorOptions) =>
  Behavior.use((behavior) => Effect.sync(behavior.profile)).pipe(Effect.provide(Behavior.layer(options)))

describe("Behavior", () => {
  it.effect("accepts a preset by its name", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* profileOf({ profile: "instant" }), presets.instant)
      assert.deepStrictEqual((yield* profileOf({ profile: "hostile" })).faults, presets.hostile.faults)
    })
  )

  it.effect("refuses the name of an unknown preset instead of using no faults", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(profileOf(JSON.parse('{ "profile": "flakey" }')))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
      assert.propertyVal(error, "message", 'Unknown preset "flakey". Did you mean flaky?')
    })
  )

  it.effect("refuses an invalid profile with one line per wrong field", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(profileOf({ profile: JSON.parse('{ "duration": "5s", "latancy": 1 }') }))
      const error = Exit.isFailure(exit) && Cause.hasDies(exit.cause) ? Cause.squash(exit.cause) : undefined
      assert.instanceOf(error, SettingsFile.SettingsError)
      assert.deepStrictEqual(error instanceof SettingsFile.SettingsError ? error.lines : [], [
        'latancy: is not a known field; did you mean "latency"?',
        'duration: expected a Duration such as Duration.seconds(45), got "5s"'
      ])
    })
  )

  it.effect("fills missing fields of a profile from instant, except for the name", () =>
    Effect.gen(function* () {
      const profile = yield* profileOf({ profile: { duration: Duration.seconds(7) } })
      assert.deepStrictEqual(profile.duration, Duration.seconds(7))
      assert.deepStrictEqual(profile.outcomes, presets.instant.outcomes)
      assert.deepStrictEqual(profile.cost, presets.instant.cost)
      assert.doesNotHaveAnyKeys(profile, ["name", "description", "limits", "faults", "latency"])
    })
  )

  it.effect("prefers turnDuration and failureRate to a profile, and dispatches for a tenth of the duration", () =>
    Effect.gen(function* () {
      const profile = yield* profileOf({ profile: "realistic", turnDuration: "10 seconds", failureRate: 0.25 })
      assert.deepStrictEqual(profile.dispatch, Duration.seconds(1))
      assert.deepStrictEqual(profile.duration, Duration.seconds(9))
      assert.deepStrictEqual(profile.outcomes, { completed: 0.75, failed: 0.25 })
      assert.deepStrictEqual(profile.letGo, presets.realistic.letGo)
    })
  )

  it.effect("accepts another profile and another seed while it runs", () =>
    Effect.gen(function* () {
      const behavior = yield* Behavior
      assert.strictEqual(behavior.seed(), 3)
      yield* behavior.set({ letGo: Duration.seconds(1) })
      yield* behavior.reseed(4)
      assert.deepStrictEqual(behavior.profile().letGo, Duration.seconds(1))
      assert.deepStrictEqual(behavior.profile().duration, presets.instant.duration)
      assert.strictEqual(behavior.seed(), 4)
    }).pipe(Effect.provide(Behavior.layer({ seed: 3, profile: "overloaded" })))
  )
})
