import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { IdSource } from "../src/ports/IdSource.ts"
import * as TimeOrderedIds from "../src/TimeOrderedIds.ts"

it.effect("TimeOrderedIds are version 7 UUIDs in the order of their creation", () =>
  Effect.gen(function* () {
    const ids = yield* IdSource
    const made: Array<string> = []
    for (let count = 0; count < 20; count++) {
      made.push(yield* ids.next("turn"))
      yield* TestClock.adjust(1)
    }
    assert.deepStrictEqual(made, made.toSorted())
    assert.isTrue(made.every((id) => /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/u.test(id)))
  }).pipe(Effect.provide(TimeOrderedIds.layer))
)
