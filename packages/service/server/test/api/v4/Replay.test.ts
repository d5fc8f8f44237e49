import { assert, layer } from "@effect/vitest"
import { type Attempt, MemoryStore, type StepCall, type Turn } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { poll, send } from "../../http/send.ts"
import { layerOver } from "../../http/served.ts"

const recorded: ReadonlyArray<StepCall.StepCall> = [
  { tool: "done", params: { success: true, output: "ok" }, elements: {}, status: "done", isComplete: true }
]

/** Records a step unless its task says otherwise. A replay repeats as many as were recorded. */
const perform = (turn: Turn.Turn, attempt: Attempt) =>
  Stream.concat(
    Stream.make({ _tag: "Started" } as const),
    Stream.fromEffect(
      Effect.gen(function* () {
        if (turn.task === "wait") return yield* Effect.never
        if (turn.task === "fail") return { _tag: "Failed", error: "It failed." } as const
        if (turn.task !== "nothing") {
          yield* attempt.step({ summary: "done", address: null, picture: null })
          const isReplay = (yield* attempt.recorded).length > 0
          yield* attempt.stepEnded(null, { calls: recorded, ...(isReplay ? { repetition: "healed" } : {}) })
        }
        return {
          _tag: "Completed",
          report: { output: "ok", ...(turn.replay === undefined ? {} : { cost: "0" }) }
        } as const
      })
    )
  )

const create = (fields: object = {}) => send("POST", "/api/v4/runs", { body: { task: "Order", ...fields } })

const until = (id: unknown, wanted: string) => poll(`/api/v4/runs/${String(id)}`, ({ status }) => status === wanted)

const completed = Effect.fnUntraced(function* (fields: object = {}) {
  const { body, status } = yield* create(fields)
  assert.strictEqual(status, 201, JSON.stringify(body))
  return (yield* until(body["id"], "completed")).body
})

layer(layerOver(MemoryStore.layer, { perform, agent: { replays: "recorded" } }), { excludeTestServices: true })(
  "replayOf of a v4 run",
  (it) => {
    it.effect("repeats a run, and shows how many steps were repeated in each way", () =>
      Effect.gen(function* () {
        const { id } = yield* completed()
        const run = yield* completed({ replayOf: String(id).toUpperCase() })
        assert.deepStrictEqual(run["replay"], { of: id, asksModel: true, replayed: 0, healed: 1, asked: 0 })
        assert.strictEqual(run["cost"], "0")
        const strict = yield* completed({ replayOf: { runId: id, asksModel: false } })
        assert.nestedPropertyVal(strict, "replay.asksModel", false)
        assert.notProperty(yield* completed({ replayOf: null }), "replay")
        const details = yield* send("GET", `/admin/v1/runs/${String(run["id"])}`)
        assert.deepStrictEqual(details.body["replay"] ?? details.status, run["replay"])
      })
    )

    it.effect("uses the task and schema of that run unless it has its own task", () =>
      Effect.gen(function* () {
        const outputSchema = { type: "string" }
        const { id } = yield* completed({ task: "Order a cup", outputSchema })
        assert.propertyVal(yield* completed({ task: " ", replayOf: id }), "task", "Order a cup")
        assert.propertyVal(yield* completed({ task: "Again", replayOf: id }), "task", "Again")
      })
    )

    it.effect("is refused with the reason for a run that can't be repeated, and creates nothing", () =>
      Effect.gen(function* () {
        const count = Effect.map(
          send("GET", "/api/v4/runs?limit=100"),
          ({ body }) => (body["runs"] as Array<unknown>).length
        )
        const waiting = (yield* create({ task: "wait" })).body["id"]
        yield* until(waiting, "running")
        const failed = (yield* create({ task: "fail" })).body["id"]
        yield* until(failed, "failed")
        const { id: without } = yield* completed({ task: "nothing" })
        const before = yield* count
        const refusals = yield* Effect.forEach(["no-run", waiting, failed, without], (replayOf) => create({ replayOf }))
        assert.deepStrictEqual(
          refusals.map(({ body, status }) => [status, body["detail"]]),
          [
            [404, "Run not found"],
            [409, `Run ${String(waiting)} has not finished: wait for its end, and replay it then`],
            [409, `Run ${String(failed)} was not completed (status failed), and only a completed run can be replayed`],
            [
              409,
              `Run ${String(without)} has no recorded steps, as runs of earlier versions and simulated runs: create it again without replayOf, and replay that run`
            ]
          ]
        )
        for (const replayOf of [7, "", {}, { runId: 7 }, { runId: "x", asksModel: "no" }]) {
          const { body, status } = yield* create({ replayOf })
          assert.deepStrictEqual([status, JSON.stringify(body).includes("Expected the id of a run")], [422, true])
        }
        assert.strictEqual(yield* count, before)
        assert.strictEqual((yield* send("POST", `/api/v4/runs/${String(waiting)}/cancel`)).status, 200)
      })
    )

    it.effect("returns 422 for a queued message", () =>
      Effect.gen(function* () {
        const { id, sessionId } = yield* completed()
        const queued = yield* send("POST", `/api/v4/sessions/${String(sessionId)}/queue`, {
          body: { text: "next", interrupt: false, replayOf: id }
        })
        assert.strictEqual(queued.status, 422)
        const next = yield* completed({ sessionId, replayOf: id })
        assert.nestedPropertyVal(next, "replay.healed", 1)
      })
    )
  }
)

layer(layerOver(MemoryStore.layer, { perform }), { excludeTestServices: true })("an agent without replays", (it) => {
  it.effect("refuses replayOf", () =>
    Effect.gen(function* () {
      const { id } = yield* completed()
      const { body, status } = yield* create({ replayOf: id })
      assert.deepStrictEqual(
        [status, body["detail"]],
        [409, "This server's agent can't replay runs: leave replayOf out"]
      )
    })
  )
})
