import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { CreateKey } from "../../src/behavior/CreateKey.ts"
import { IdSource } from "@webagent/engine"
import { SeededIds } from "../../src/behavior/SeededIds.ts"

const next = (kind: Parameters<IdSource["Service"]["next"]>[0], refusals?: number) =>
  IdSource.use((ids) => ids.next(kind, refusals))

const of = (hash: string, ordinal: number) => Effect.provideService(CreateKey, { hash, ordinal })

const fresh = <A>(effect: Effect.Effect<A, never, IdSource | SeededIds>) =>
  Effect.provide(
    effect,
    SeededIds.layer(() => 1),
    { local: true }
  )

describe("IdSource", () => {
  it.effect("makes the same ids for the same creates, in whatever order they arrive", () =>
    Effect.gen(function* () {
      const creates = [of("a", 0)(next("turn")), of("b", 0)(next("turn")), of("a", 1)(next("turn"))]
      const [one, other, again] = yield* fresh(Effect.all(creates))
      assert.strictEqual(new Set([one, other, again]).size, 3)
      assert.deepStrictEqual(yield* fresh(Effect.all(creates.toReversed())), [again, other, one])
    })
  )

  it.effect("makes an id of each kind for a create, and another one if that is in use", () =>
    fresh(
      Effect.gen(function* () {
        const ids = yield* Effect.all([next("turn"), next("session"), next("turn", 1), next("turn", 2)])
        assert.strictEqual(new Set(ids).size, 4)
      }).pipe(of("a", 0))
    )
  )

  it.effect("counts by kind, and continues from a snapshot", () =>
    Effect.gen(function* () {
      const all = yield* fresh(Effect.all([next("turn"), next("turn"), next("turn")]))
      const counts = yield* fresh(
        Effect.andThen(
          Effect.all([next("turn"), next("turn"), of("a", 0)(next("turn"))]),
          SeededIds.use((ids) => ids.counts)
        )
      )
      assert.deepStrictEqual(counts, { turn: 2 })
      const third = yield* Effect.provide(
        next("turn"),
        SeededIds.layer(() => 1, counts),
        { local: true }
      )
      assert.strictEqual(third, all[2])
    })
  )
})
