import { assert, it } from "@effect/vitest"
import { Owner } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Runs an effect with the records of an owner; null is every owner. */
export const as = (owner: string | null) => Effect.provideService(Owner, owner)

/** Returns the tag of a failure; `done` without one. */
export const tagOf = <E extends { readonly _tag: string }, R>(effect: Effect.Effect<unknown, E, R>) =>
  Effect.match(effect, { onFailure: ({ _tag }): string => _tag, onSuccess: () => "done" })

/** A test of a port over a storage of its own that starts empty. */
export type PortTest<Port> = (title: string, body: (port: Port) => Effect.gen.Return<unknown, unknown>) => void

/** Makes the tests of a port that a server may lack. The layer is built for each test. */
export const portTest =
  <Port, E>(
    port: Effect.Effect<Port | null>,
    layer: Layer.Layer<never, E>,
    run: typeof it.effect | typeof it.live = it.live
  ): PortTest<Port> =>
  (title, body) =>
    run(title, () =>
      Effect.gen(function* () {
        yield* body((yield* port) ?? assert.fail("There is no such storage"))
      }).pipe(Effect.provide(Layer.fresh(layer), { local: true }))
    )
