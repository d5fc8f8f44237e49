import { assert, describe, it } from "@effect/vitest"
import { Profile } from "@webagent/control"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as RecordedProfile from "../src/RecordedProfile.ts"
import type { Cassette } from "../src/Cassette.ts"

const run = (id: number, status: string, took_s: number, more: object) => ({
  at_ms: id,
  took_ms: 40,
  method: "GET",
  path: `/api/v4/runs/${id}`,
  status: 200,
  headers: {},
  got: {
    json: {
      id: `r${id}`,
      status,
      createdAt: "2026-11-22T21:00:00.000Z",
      startedAt: "2026-11-22T21:00:02.000Z",
      finishedAt: new Date(Date.parse("2026-11-22T21:00:02.000Z") + took_s * 1000).toISOString(),
      ...more
    } as never
  }
})

const cassette = (exchanges: Cassette["exchanges"]): Cassette => ({
  cassette: 1,
  startedAt: "2026-11-22T21:00:00.000Z",
  target: "https://service.test",
  exchanges
})

describe("RecordedProfile", () => {
  it("takes durations, outcomes, results, errors and cost from finished runs", () => {
    const made = RecordedProfile.of(
      cassette([
        run(1, "running", 0, { finishedAt: null }),
        ...[30, 45, 60, 80, 120].map((took_s, id) => run(id, "completed", took_s, { result: "12 EUR", cost: "0.02" })),
        run(9, "failed", 5, { error: "The cart was empty.", cost: "0.01" })
      ]),
      "night"
    )
    assert.deepStrictEqual(made?.outcomes, { completed: 5, failed: 1, cancelled: 0 })
    assert.deepStrictEqual(made?.results, ["12 EUR"])
    assert.deepStrictEqual(made?.errors, ["The cart was empty."])
    assert.deepStrictEqual(made?.cost, { start: "0.02" })
    assert.strictEqual(made?.description, "As https://service.test behaved in 6 recorded turns.")
    const encoded = Schema.encodeSync(Profile)(made ?? {})
    assert.deepStrictEqual(encoded.dispatch, "2 seconds")
    const { lognormal } = encoded.duration as unknown as { lognormal: { median: string; sigma: number; max: string } }
    assert.deepStrictEqual([lognormal.median, lognormal.max], ["1 minutes", "2 minutes"])
    assert.isTrue(lognormal.sigma > 0.9 && lognormal.sigma < 1.3)
  })

  it("reads v2 times, which have no zone, as UTC", () => {
    const times = {
      createdAt: "2026-11-22T21:00:00",
      startedAt: "2026-11-22T21:00:01Z",
      finishedAt: "2026-11-22T21:00:04"
    }
    const made = RecordedProfile.of(cassette([run(1, "finished", 0, times)]), "v2")
    assert.deepStrictEqual(Schema.encodeSync(Profile)(made ?? {}).duration, "3 seconds")
    assert.deepStrictEqual(Schema.encodeSync(Profile)(made ?? {}).dispatch, "1 seconds")
  })

  it("returns no profile for a cassette without a finished run", () => {
    assert.isUndefined(RecordedProfile.of(cassette([run(1, "running", 0, { finishedAt: null })]), "x"))
  })

  it.effect("is accepted by the simulated service", () =>
    Effect.gen(function* () {
      const made = RecordedProfile.of(cassette([run(1, "completed", 30, { result: { price: 12 } })]), "x")
      const text = JSON.stringify(Schema.encodeSync(Profile)(made ?? {}))
      const read = yield* Schema.decodeUnknownEffect(Schema.fromJsonString(Profile))(text)
      assert.deepStrictEqual(read, made)
    })
  )
})
