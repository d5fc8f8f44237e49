import { assert, describe, it } from "@effect/vitest"
import { type ScheduledRun, Schedules } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Server } from "../../src/Server.ts"
import { send } from "../http/send.ts"
import { layerTest } from "../http/served.ts"

const scheduleOf = (id: string): ScheduledRun => ({
  id,
  owner: null,
  name: id,
  cron: "* * * * *",
  timeZone: "UTC",
  missed: "once",
  run: { task: id },
  isActive: true,
  dueAt_ms: 0,
  lastDueAt_ms: null,
  lastRunId: null,
  lastProblem: null,
  createdAt_ms: 0,
  updatedAt_ms: 0
})

const unused = Effect.die(new Error("It isn't used"))

describe("the scheduler", () => {
  it.live("isn't blocked by a schedule that can't be settled, and retries it after a second", () => {
    const looks: Array<number> = []
    const settled: Array<string> = []
    const schedules = Layer.succeed(Schedules, {
      create: () => unused,
      find: () => unused,
      list: unused,
      update: () => unused,
      remove: () => unused,
      due: () =>
        Effect.map(Clock.currentTimeMillis, (now_ms) => {
          looks.push(now_ms)
          return ["broken", "fine"].filter((id) => !settled.includes(id)).map(scheduleOf)
        }),
      settle: ({ id }) =>
        id === "broken"
          ? Effect.die(new Error("It can't be stored"))
          : Effect.sync(() => !settled.includes(id) && settled.push(id) > 0),
      nextAt: Effect.succeed(0)
    })
    return Effect.gen(function* () {
      yield* Server
      yield* Effect.repeat(Effect.sleep("20 millis"), { while: () => looks.length < 2 })
      assert.deepStrictEqual(settled, ["fine"])
      const [first = 0, second = 0] = looks
      assert.isAtLeast(second - first, 990)
    }).pipe(Effect.provide(Layer.provide(layerTest, schedules)))
  })

  it.live("starts no run for a time that another node settled in the meantime", () => {
    const attempts: Array<string | null> = []
    const isLost = { value: true }
    const schedules = Layer.succeed(Schedules, {
      create: () => unused,
      find: () => unused,
      list: unused,
      update: () => unused,
      remove: () => unused,
      due: () => Effect.sync(() => (attempts.length < 3 ? [scheduleOf("late")] : [])),
      settle: (_, { lastRunId }) =>
        Effect.sync(() => {
          attempts.push(lastRunId)
          return !isLost.value
        }),
      nextAt: Effect.sync(() => (attempts.length < 3 ? 0 : null))
    })
    return Effect.gen(function* () {
      yield* Effect.repeat(Effect.sleep("20 millis"), { while: () => attempts.length < 2 })
      // its run and then the reason why there is none
      assert.match(String(attempts[0]), /^0{8}-/u)
      assert.isNull(attempts[1])
      const { body } = yield* send("GET", "/api/v4/runs")
      assert.deepStrictEqual(body["runs"], [])
      isLost.value = false
      yield* Effect.repeat(Effect.sleep("20 millis"), { while: () => attempts.length < 4 })
      const { runs } = (yield* send("GET", "/api/v4/runs")).body as {
        readonly runs: ReadonlyArray<{ readonly id: string }>
      }
      assert.deepStrictEqual(
        runs.map(({ id }) => id),
        [attempts[2]]
      )
    }).pipe(Effect.provide(Layer.provide(layerTest, schedules)))
  })
})
