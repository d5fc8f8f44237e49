/**
 * Sets poll schedules: for every wait, for one wait, and a poll budget for all of them together.
 *
 * Run: WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... npm run example -- 19_poll-schedule
 */
import { PollBudget, PollSchedule } from "@webagent/polling"
import { Runs, V4 } from "@webagent/v4"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Polls after 5 s, then after a tenth of the elapsed time, from 2 s to a minute, with 20 % jitter. */
export const patient = PollSchedule.jittered(
  PollSchedule.proportional({ factor: 0.1, min: "2 seconds", max: "1 minute", first: "5 seconds" }),
  0.2
)

export const program = Effect.gen(function* () {
  const runs = yield* Runs
  const relaxed = yield* runs.createAndWait({ task: "Compare the prices of the red mug in ten shops" })
  const hurried = yield* runs.createAndWait(
    { task: "Buy the red mug" },
    { schedule: PollSchedule.every("250 millis"), timeout: "5 minutes" }
  )
  return [relaxed.status, hurried.status]
})

const polling = Layer.merge(
  Layer.succeed(PollSchedule.Current, patient),
  PollBudget.layer({ perSecond: 10, burst: 20 })
)

export const layer = Layer.provide(V4.layer(), polling)
