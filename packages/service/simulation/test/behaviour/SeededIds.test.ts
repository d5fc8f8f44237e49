import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { CreateKey } from "../../src/behaviour/CreateKey.ts"
import { IdSource } from "@webagent/engine"
import { SeededIds } from "../../src/behaviour/SeededIds.ts"

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
  it.effect("ids of the same creates are the same, in whichever order they come", () =>
    Effect.gen(function* () {
      const creates = [of("a", 0)(next("turn")), of("b", 0)(next("turn")), of("a", 1)(next("turn"))]
      const [one, other, again] = yield* fresh(Effect.all(creates))
      assert.strictEqual(new Set([one, other, again]).size, 3)
      assert.deepStrictEqual(yield* fresh(Effect.all(creates.toReversed())), [again, other, one])
    })
  )

  it.effect("a create has an id of each kind, and another one where that is taken", () =>
    fresh(
      Effect.gen(function* () {
        const ids = yield* Effect.all([next("turn"), next("session"), next("turn", 1), next("turn", 2)])
        assert.strictEqual(new Set(ids).size, 4)
      }).pipe(of("a", 0))
    )
  )

  it.effect("counts are kept by kind and go on where they were restored", () =>
    Effect.gen(function* () {
      const all = yield* fresh(Effect.all([next("turn"), next("turn"), next("turn")]))
      const [counts, third] = yield* fresh(
        Effect.gen(function* () {
          const ids = yield* SeededIds
          yield* Effect.all([next("turn"), next("turn"), of("a", 0)(next("turn"))])
          const counted = yield* ids.counts
          yield* ids.restore({})
          const first = yield* next("turn")
          assert.strictEqual(first, all[0])
          yield* ids.restore(counted)
          return [counted, yield* next("turn")] as const
        })
      )
      assert.deepStrictEqual(counts, { turn: 2 })
      assert.strictEqual(third, all[2])
    })
  )
})
