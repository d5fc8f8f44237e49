import { assert, describe, it } from "@effect/vitest"
import type { ControlInvalidError, ControlNotFoundError, FaultPlan, Profile } from "@webagent/control"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { Control } from "../../src/control/Control.ts"
import * as SimulatedService from "../../src/SimulatedService.ts"

const detailOf = <A>(effect: Effect.Effect<A, ControlInvalidError | ControlNotFoundError>) =>
  Effect.map(Effect.flip(effect), ({ _tag, detail }) => [_tag, detail.replace(/expected one of .*, got/u, "got")])

describe("Control", () => {
  it.effect("refuses an invalid profile or fault plan within the process as well, and changes nothing", () =>
    Effect.gen(function* () {
      const control = yield* Control
      const plan: FaultPlan = JSON.parse('[{ "fault": { "kind": "resett" } }]')
      const misspelt = 'fault.kind: got "resett"; did you mean "reset"?'
      assert.deepStrictEqual(yield* detailOf(control.setFaults(plan)), ["ControlInvalidError", `[0].${misspelt}`])
      const profile: Profile = { faults: plan }
      assert.deepStrictEqual(yield* detailOf(control.setProfile(profile)), [
        "ControlInvalidError",
        `faults[0].${misspelt}`
      ])
      assert.deepStrictEqual(yield* control.faults, [])
      assert.strictEqual((yield* control.journal()).counts.control, 0)
      assert.deepStrictEqual(yield* control.setFaults([{ fault: { kind: "reset" } }]), [{ fault: { kind: "reset" } }])
      // what it says itself can be given back
      yield* control.setProfile(yield* control.profile)
    }).pipe(Effect.provide(SimulatedService.layerHttpClient()))
  )

  it.effect("doesn't start a service with an invalid fault plan", () =>
    Effect.gen(function* () {
      const faults: FaultPlan = JSON.parse('[{ "fault": { "kind": "hang", "for": "1s" } }]')
      const exit = yield* Effect.exit(
        Effect.provide(
          Control.use((control) => control.faults),
          SimulatedService.layerHttpClient({ faults })
        )
      )
      assert.propertyVal(
        Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined,
        "message",
        '[0].fault.for: expected a Duration such as Duration.seconds(45), got "1s"'
      )
    })
  )
})
