import { assert, describe, layer } from "@effect/vitest"
import { isTerminalRunStatus } from "@webagent/contract/v4"
import { PollSchedule } from "@webagent/polling"
import { Browsers, Runs, Sessions } from "@webagent/v4"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as clients from "./clients.ts"

const unknownId = "00000000-0000-4000-8000-000000000000"

for (const http of ["fetch", "undici"] as const) {
  layer(clients.layer(http), { excludeTestServices: true })(`v4 over ${http}`, (it) => {
    describe("runs", () => {
      it.effect("create a run, wait for it and read its result", () =>
        Effect.gen(function* () {
          const runs = yield* Runs
          const run = yield* runs.createAndWait({
            task: 'Buy the red mug [simulate output={"total":42} cost=0.0132 duration=20ms]',
            modelParams: { effort: "high" }
          })
          assert.deepStrictEqual([run.status, run.result, run.cost], ["completed", { total: 42 }, "0.0132"])
          assert.deepStrictEqual(run.modelParams, { effort: "high" })
          assert.deepStrictEqual(yield* runs.get(run.id), run)
        })
      )

      it.effect("return a failed or cancelled run as a result, not as an error", () =>
        Effect.gen(function* () {
          const runs = yield* Runs
          const failed = yield* runs.createAndWait({ task: '[simulate outcome=failed error="sold out"]' })
          assert.deepStrictEqual([failed.status, failed.error], ["failed", "sold out"])
          const cancelled = yield* runs.createAndWait({ task: "[simulate outcome=cancelled]" })
          assert.strictEqual(cancelled.status, "cancelled")
        })
      )

      it.effect("watch a run, each status once, the terminal one last", () =>
        Effect.gen(function* () {
          const runs = yield* Runs
          const { id } = yield* runs.create({ task: "[simulate duration=60ms]" })
          const views = yield* Stream.runCollect(runs.watch(id))
          const seen = views.map((view) => view.status)
          assert.strictEqual(seen.at(-1), "completed")
          assert.strictEqual(new Set(seen).size, seen.length)
          assert.deepStrictEqual(seen.filter(isTerminalRunStatus), ["completed"])
        })
      )

      it.effect("end a wait at its deadline, and wait for the run again", () =>
        Effect.gen(function* () {
          const runs = yield* Runs
          const sessions = yield* Sessions
          const task = "[simulate duration=1h keepAlive=true]"
          const error = yield* Effect.flip(runs.createAndWait({ task }, { timeout: "50 millis" }))
          if (error._tag !== "WaitTimeoutError") return assert.fail(error.message)
          const { sessionId } = yield* runs.get(error.id)
          yield* sessions.queue(sessionId ?? "", { text: "[simulate output=now]", interrupt: true })
          assert.strictEqual((yield* runs.untilTerminal(error.id)).status, "cancelled")
        })
      )

      it.effect("return each result of two hundred simultaneous runs", () =>
        Effect.gen(function* () {
          const runs = yield* Runs
          const results = yield* Effect.forEach(
            Array.from({ length: 200 }, (_, index) => index),
            (index) => Effect.map(runs.createAndWait({ task: `[simulate output=${index}]` }), (run) => run.result),
            { concurrency: "unbounded" }
          )
          assert.deepStrictEqual(
            results,
            Array.from({ length: 200 }, (_, index) => index)
          )
          // polls at the pace of the other tests would be all that a machine does until the creates time out
        }).pipe(Effect.provideService(PollSchedule.Current, PollSchedule.every("2 seconds")))
      )

      it.effect("fail with RunNotFoundError for an unknown run", () =>
        Effect.gen(function* () {
          const runs = yield* Runs
          for (const id of [unknownId, "not-a-uuid", "a/b", "../sessions", " ", "é"]) {
            assert.strictEqual((yield* Effect.flip(runs.status(id)))._tag, "RunNotFoundError", id)
            assert.strictEqual((yield* Effect.flip(runs.get(id)))._tag, "RunNotFoundError", id)
          }
        })
      )
    })

    describe("sessions", () => {
      it.effect("run a follow-up as the next turn", () =>
        Effect.gen(function* () {
          const runs = yield* Runs
          const sessions = yield* Sessions
          const first = yield* runs.createAndWait({ task: "[simulate output=first keepAlive=true]" })
          const message = yield* sessions.queue(first.sessionId ?? "", { text: "[simulate output=second]" })
          const second = yield* runs.untilTerminal(message.runId ?? "")
          assert.deepStrictEqual([second.result, second.sessionId], ["second", first.sessionId])
        })
      )

      it.effect("cancel the running turn for an interrupting message", () =>
        Effect.gen(function* () {
          const runs = yield* Runs
          const sessions = yield* Sessions
          const first = yield* runs.create({ task: "[simulate duration=1m keepAlive=true]" })
          const message = yield* sessions.queue(first.sessionId ?? "", {
            text: "[simulate output=now]",
            interrupt: true
          })
          assert.strictEqual((yield* runs.untilTerminal(message.runId ?? "")).result, "now")
          assert.strictEqual((yield* runs.untilTerminal(first.id)).status, "cancelled")
        })
      )

      it.effect("fail with SessionNotFoundError for an unknown session", () =>
        Effect.gen(function* () {
          const sessions = yield* Sessions
          const error = yield* Effect.flip(sessions.queue(unknownId, { text: "t" }))
          assert.strictEqual(error._tag, "SessionNotFoundError")
        })
      )
    })

    describe("browsers", () => {
      it.effect("stop a browser after its use, and accept a repeated stop", () =>
        Effect.gen(function* () {
          const browsers = yield* Browsers
          const used = yield* browsers.use({ proxyCountryCode: "no" }, (browser) => Effect.succeed(browser))
          assert.match(used.cdpUrl, /^(ws|http):/u)
          assert.strictEqual(used.proxyCountryCode, "no")
          const again = yield* browsers.stop(used.id)
          assert.deepStrictEqual([again.id, again.status], [used.id, "stopped"])
          assert.isString(again.finishedAt)
        })
      )

      it.effect("stop a browser when its use is interrupted", () =>
        Effect.gen(function* () {
          const browsers = yield* Browsers
          const inside = yield* Deferred.make<string>()
          const fiber = yield* Effect.forkChild(
            browsers.use(undefined, ({ id }) => Effect.andThen(Deferred.succeed(inside, id), Effect.never))
          )
          const id = yield* Deferred.await(inside)
          yield* Fiber.interrupt(fiber)
          const stopped = yield* browsers.stop(id)
          assert.isString(stopped.finishedAt)
        })
      )

      it.effect("fail with BrowserNotFoundError for an unknown browser", () =>
        Effect.gen(function* () {
          const browsers = yield* Browsers
          assert.strictEqual((yield* Effect.flip(browsers.stop(unknownId)))._tag, "BrowserNotFoundError")
        })
      )
    })
  })
}
