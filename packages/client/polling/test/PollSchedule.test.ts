import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"
import { PollSchedule } from "../src/index.ts"

const Elapsed = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3_600_000 }))
const Polls = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 }))

const schedules = {
  standard: PollSchedule.standard,
  every: PollSchedule.every("3 seconds"),
  proportional: PollSchedule.proportional({ factor: 0.1, min: "1 second", max: "20 seconds", first: "5 seconds" }),
  backoff: PollSchedule.backoff({ first: "500 millis", factor: 3, max: "30 seconds" })
}

const bounds_ms = {
  standard: [1000, 15_000],
  every: [3000, 3000],
  proportional: [1000, 20_000],
  backoff: [500, 30_000]
}

const draw = (schedule: PollSchedule.PollSchedule, seed: string, count = 20) =>
  Effect.forEach(Array.from({ length: count }), (_, polls) =>
    Effect.map(PollSchedule.next(schedule, { elapsed_ms: polls * 1000, polls }), Duration.toMillis)
  ).pipe(Random.withSeed(seed))

describe("PollSchedule", () => {
  for (const name of ["standard", "every", "proportional", "backoff"] as const) {
    const schedule = schedules[name]
    const [min = 0, max = 0] = bounds_ms[name]

    it.effect.prop(
      `${name} stays within its bounds`,
      [Elapsed, Polls],
      ([elapsed_ms, polls]) =>
        Effect.sync(() => {
          const delay_ms = schedule.delay_ms({ elapsed_ms, polls })
          assert.isTrue(delay_ms >= min && delay_ms <= max, `${delay_ms}`)
        }),
      { arbitrary: { seed: 1 } }
    )

    it.effect.prop(
      `${name} never speeds up`,
      [Elapsed, Elapsed, Polls, Polls],
      ([t1, t2, n1, n2]) =>
        Effect.sync(() => {
          const early = schedule.delay_ms({ elapsed_ms: Math.min(t1, t2), polls: Math.min(n1, n2) })
          const late = schedule.delay_ms({ elapsed_ms: Math.max(t1, t2), polls: Math.max(n1, n2) })
          assert.isTrue(early <= late, `${early} then ${late}`)
        }),
      { arbitrary: { seed: 1 } }
    )
  }

  it("standard polls first after 2 s and then follows the square root of the time", () => {
    const delay_ms = (seconds: number, polls = 1) =>
      PollSchedule.standard.delay_ms({ elapsed_ms: seconds * 1000, polls })
    assert.deepStrictEqual(
      [delay_ms(0, 0), delay_ms(2), delay_ms(16), delay_ms(100), delay_ms(900), delay_ms(3600), delay_ms(36_000)],
      [2000, 1000, 1000, 2500, 7500, 15_000, 15_000]
    )
  })

  it("backoff doubles by default, from its first delay to its longest", () => {
    const schedule = PollSchedule.backoff({ first: "1 second", max: "5 seconds" })
    assert.deepStrictEqual(
      [0, 1, 2, 3, 4].map((polls) => schedule.delay_ms({ elapsed_ms: 0, polls })),
      [1000, 2000, 4000, 5000, 5000]
    )
  })

  it("withFirst changes the first delay only", () => {
    const schedule = PollSchedule.withFirst(PollSchedule.every("3 seconds"), 0)
    assert.deepStrictEqual(
      [0, 1].map((polls) => schedule.delay_ms({ elapsed_ms: 0, polls })),
      [0, 3000]
    )
  })

  it.effect.prop(
    "jitter stays within its tenth, whatever the seed",
    [Schema.String, Elapsed],
    ([seed, elapsed_ms]) =>
      Effect.gen(function* () {
        const moment = { elapsed_ms, polls: 1 }
        const exact_ms = PollSchedule.standard.delay_ms(moment)
        const drawn_ms = Duration.toMillis(yield* PollSchedule.next(PollSchedule.standard, moment))
        assert.isTrue(Math.abs(drawn_ms - exact_ms) <= 0.1 * exact_ms + 0.5, `${drawn_ms} of ${exact_ms}`)
      }).pipe(Random.withSeed(seed)),
    { arbitrary: { seed: 1 } }
  )

  it.effect("the same seed draws the same delays, and another seed draws others", () =>
    Effect.gen(function* () {
      const first = yield* draw(PollSchedule.standard, "a")
      assert.deepStrictEqual(yield* draw(PollSchedule.standard, "a"), first)
      assert.notDeepEqual(yield* draw(PollSchedule.standard, "b"), first)
      assert.isTrue(new Set(first).size > 10)
    })
  )

  it.effect("jittered(0) is exact", () =>
    Effect.map(draw(PollSchedule.jittered(PollSchedule.every("1 second"), 0), "a", 3), (delays) =>
      assert.deepStrictEqual(delays, [1000, 1000, 1000])
    )
  )
})
