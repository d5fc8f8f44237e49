import { assert, describe, it } from "@effect/vitest"
import { RetryPolicy } from "@webagent/core"
import { PollSchedule } from "@webagent/polling"
import { Control } from "@webagent/simulation"
import { Outcome as V2Outcome, Sessions as V2Sessions } from "@webagent/v2"
import { Runs } from "@webagent/v4"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { eventually, findings, layer, on, requests } from "./stage.ts"

const seconds = Duration.seconds

describe("a wait", () => {
  it.live("W1: ends at a failed v2 task, with all its details", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      const sessions = yield* V2Sessions
      const run = yield* runs.create({ task: '[simulate outcome=failed error="sold out" cost=0.02 duration=30ms]' })
      const { tasks } = yield* sessions.untilTerminal(run.sessionId ?? "", { timeout: "1 minute" })
      const [task] = tasks
      if (task === undefined) return assert.fail("the session has no task")
      assert.deepStrictEqual([V2Outcome.of(task)._tag, task.cost], ["Failed", "0.02"])
      assert.deepStrictEqual(yield* findings("polls-after-terminal"), [])
    }).pipe(Effect.provide(layer({})))
  )

  it.live("W3: survives 500, 502 in HTML, 503, 429, a reset and a truncated body", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      const run = yield* runs.createAndWait({ task: "[simulate output=found duration=150ms]" })
      assert.deepStrictEqual([run.status, run.result], ["completed", "found"])
      const statuses = (yield* requests("v4.getRunStatus")).map(({ status }) => status)
      assert.includeMembers(statuses, [500, 502, 503, 429, null, 200])
      assert.lengthOf(yield* requests("v4.createRun"), 1)
    }).pipe(
      Effect.provide(
        layer({
          faults: [
            on("v4.getRunStatus", { kind: "status", status: 500 }, [1]),
            on("v4.getRunStatus", { kind: "html-error", status: 502 }, [2]),
            on("v4.getRunStatus", { kind: "status", status: 503 }, [3]),
            on("v4.getRunStatus", { kind: "status", status: 429 }, [4]),
            on("v4.getRunStatus", { kind: "reset" }, [5]),
            on("v4.getRunStatus", { kind: "cut-body" }, [6]),
            on("v4.getRunStatus", { kind: "malformed-json" }, [7]),
            on("v4.getRun", { kind: "status", status: 503 }, [1]),
            on("v4.getRun", { kind: "malformed-json" }, [2])
          ]
        })
      )
    )
  )

  it.live("W4: tolerates a 404 just after the create", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      const run = yield* runs.createAndWait({ task: "[simulate output=found]" })
      assert.strictEqual(run.result, "found")
      assert.strictEqual((yield* requests("v4.getRunStatus"))[0]?.status, 404)
    }).pipe(Effect.provide(layer({ faults: [on("v4.getRunStatus", { kind: "stale-read", lag: seconds(30) })] })))
  )

  it.live("W7: follows Retry-After, in seconds and as a date", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      const { id } = yield* runs.create({ task: "[simulate duration=1h]" })
      const polled = Effect.andThen(runs.status(id), requests("v4.getRunStatus"))
      const [first, second, third] = yield* polled
      const gap_ms = (from = first, to = second) => (to?.at_ms ?? 0) - (from?.at_ms ?? 0)
      assert.isAtLeast(gap_ms(first, second), 1000)
      assert.isAtLeast(gap_ms(second, third), 1000)
      assert.deepStrictEqual(yield* findings("retry-after-ignored"), [])
    }).pipe(
      Effect.provide(
        layer({
          faults: [
            on("v4.getRunStatus", { kind: "status", status: 429, retryAfter: seconds(1) }, [1]),
            on("v4.getRunStatus", { kind: "status", status: 503, retryAfter: seconds(2), retryAfterForm: "date" }, [2])
          ]
        })
      )
    )
  )

  it.live("W7: fails immediately if Retry-After exceeds the caller's time, and names the requested delay", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      const { id } = yield* runs.create({ task: "[simulate duration=1h]" })
      const error = yield* Effect.flip(RetryPolicy.within("20 seconds")(runs.status(id)))
      assert.strictEqual(error._tag, "TooManyRequestsError")
      if (error._tag === "TooManyRequestsError") assert.deepStrictEqual(error.retryAfter, seconds(30))
      assert.lengthOf(yield* requests("v4.getRunStatus"), 1)
    }).pipe(
      Effect.provide(
        layer({ faults: [on("v4.getRunStatus", { kind: "status", status: 429, retryAfter: seconds(30) })] })
      )
    )
  )

  it.live("W9: can be interrupted immediately, even during a hanging read, which closes the request", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      const { id } = yield* runs.create({ task: "[simulate duration=1h]" })
      for (const call of [runs.get(id), runs.untilTerminal(id)]) {
        const fiber = yield* Effect.forkChild(call)
        yield* eventually(requestsUnderWay, (count) => count > 0)
        // what would wait for the call waits for an hour
        yield* Fiber.interrupt(fiber)
        yield* eventually(requestsUnderWay, (count) => count === 0)
      }
      const answered = [...(yield* requests("v4.getRun")), ...(yield* requests("v4.getRunStatus"))]
      assert.deepStrictEqual(
        answered.map((row) => row.answered),
        ["left", "left"]
      )
    }).pipe(
      Effect.provide(
        layer({
          faults: [on("v4.getRun", { kind: "hang" }), on("v4.getRunStatus", { kind: "hang" })],
          client: { requestTimeout: "1 hour" }
        })
      )
    )
  )

  it.live("W21: shares one poll loop with all other waiters of the run", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      const { id } = yield* runs.create({ task: "[simulate output=found duration=300ms]" })
      const alone = yield* runs.untilTerminal(id, { schedule: PollSchedule.every("50 millis") })
      assert.strictEqual(alone.result, "found")
      const before = (yield* requests("v4.getRunStatus")).length
      const other = yield* runs.create({ task: "[simulate output=found duration=300ms]" })
      yield* Effect.all(
        Array.from({ length: 20 }, () =>
          runs.untilTerminal(other.id, { schedule: PollSchedule.every("50 millis"), first: "50 millis" })
        ),
        { concurrency: "unbounded" }
      )
      const polls = (yield* requests("v4.getRunStatus")).slice(before)
      const gaps_ms = polls.slice(1).map(({ at_ms }, index) => at_ms - (polls[index]?.at_ms ?? 0))
      // a loop of one's own would come between; jitter makes an interval up to a tenth shorter
      for (const gap_ms of gaps_ms) assert.isAtLeast(gap_ms, 44)
    }).pipe(Effect.provide(layer({})))
  )

  it.live("W26: makes one attempt with a policy of -1 retries, and returns the service's error", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      const { id } = yield* runs.create({ task: "[simulate duration=1h]" })
      const policy = { ...RetryPolicy.standard, retries: -1 }
      const retrier = RetryPolicy.makeRetrier(policy)
      const exit = yield* Effect.exit(retrier.retry(runs.get(id)))
      assert.isTrue(Exit.isFailure(exit))
      if (Exit.isFailure(exit)) assert.include(String(exit.cause), "status 503")
    }).pipe(Effect.provide(layer({ faults: [on("v4.getRun", { kind: "status", status: 503 }, [1, 2, 3, 4, 5])] })))
  )
})

/** Requests that hang now: a fault is written when it hits, its request when it ends. */
const requestsUnderWay = Effect.gen(function* () {
  const { counts } = yield* Control.use((control) => control.journal({ limit: 1 }))
  const ended = [...(yield* requests("v4.getRun")), ...(yield* requests("v4.getRunStatus"))]
  return counts.fault - ended.length
})
