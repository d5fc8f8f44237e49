import { assert, it } from "@effect/vitest"
import { Turn } from "@webagent/engine"
import * as Schema from "effect/Schema"
import * as V2 from "../../src/api/v2/Conversion.ts"
import * as V3 from "../../src/api/v3/Conversion.ts"
import * as V4 from "../../src/api/v4/Conversion.ts"
import { seenLinks, session, turn } from "./records.ts"

/** Few moments, so that records often have the same. */
const Moment = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 }))

/** What a turn is when its agent says anything at any time, also what no agent says. */
const AnyTurn = Schema.Struct({
  status: Turn.Turn.fields.status,
  task: Schema.String,
  modelParams: Schema.NullOr(Schema.Record(Schema.String, Schema.Json)),
  output: Schema.Json,
  error: Schema.NullOr(Schema.String),
  isSuccess: Turn.Turn.fields.isSuccess,
  judgement: Turn.Turn.fields.judgement,
  cost: Schema.NullOr(Schema.Literals(["0", "0.000045", "12.5", "0.000000000001"])),
  createdAt_ms: Moment,
  startedAt_ms: Schema.NullOr(Moment),
  finishedAt_ms: Moment
})

const Records = Schema.Struct({
  turns: Schema.NonEmptyArray(AnyTurn),
  status: Schema.Literals(["active", "stopped"]),
  /** Whether each turn is over: v3 shows results only then. */
  isOver: Schema.Boolean,
  browserId: Schema.NullOr(Schema.Literal("browser"))
})

const words = {
  queued: "created",
  dispatching: "created",
  running: "started",
  completed: "finished",
  failed: "failed",
  cancelled: "stopped"
}

const ended = ["completed", "failed", "cancelled"]

/** An answer as a client gets it. */
const wire = (view: object): Readonly<Record<string, unknown>> => JSON.parse(JSON.stringify(view))

/** v2 says times without a zone. */
const moment = (time: unknown) =>
  time === null ? null : Date.parse(String(time).endsWith("Z") ? String(time) : `${String(time)}Z`)

it.prop(
  "v2, v3 and v4 agree on every field of any record",
  [Records],
  ([{ browserId, isOver, status, turns: drawn }]) => {
    const turns = drawn.map((one, at) => {
      const status = isOver && !Turn.isTerminal(one.status) ? "completed" : one.status
      const finishedAt_ms = Turn.isTerminal(status) ? one.finishedAt_ms : null
      return { ...turn, ...one, id: `${at}`, seq: at + 1, status, finishedAt_ms }
    })
    const found = { session: { ...session, browserId, status }, turns }
    const asV2 = wire(V2.fromDomain(found, seenLinks))
    const asV3 = wire(V3.fromDomain(found, seenLinks))
    const tasks = asV2["tasks"] as ReadonlyArray<Readonly<Record<string, unknown>>>
    const liveUrl = seenLinks.live(status === "stopped" ? null : browserId)
    const runs = turns.map((one) => wire(V4.fromDomain(one, liveUrl)))
    assert.strictEqual(tasks.length, runs.length)
    for (const [at, run] of runs.entries()) {
      const { createdAt, finishedAt, startedAt, ...task } = tasks[at] ?? {}
      assert.deepStrictEqual(
        [createdAt, startedAt, finishedAt].map(moment),
        [run["createdAt"], run["startedAt"], run["finishedAt"]].map(moment)
      )
      const output = run["result"] ?? run["error"]
      const { judgement, isSuccess, judgeVerdict, suggestions, ...shared } = task
      assert.deepStrictEqual(shared, {
        id: run["id"],
        sessionId: run["sessionId"],
        task: run["task"],
        status: words[run["status"] as keyof typeof words],
        output: output === null || typeof output === "string" ? output : JSON.stringify(output),
        cost: run["cost"],
        llm: turn.model,
        serviceVersion: turn.agentVersion,
        metadata: {}
      })
      assert.deepStrictEqual([isSuccess, suggestions], [drawn[at]?.isSuccess, null])
      assert.strictEqual(judgeVerdict, judgement === null ? null : JSON.parse(String(judgement)).verdict)
      assert.deepStrictEqual(wire(V4.statusFromDomain(turns[at] ?? turn)), { status: run["status"] })
    }
    // v3 shows the run that ended last, once all have
    const open = runs.filter((run) => !ended.includes(String(run["status"])))
    const last = runs.reduce((one, other) =>
      Number(moment(other["finishedAt"])) >= Number(moment(one["finishedAt"])) ? other : one
    )
    if (open.length > 0) {
      const isNew = runs.every((run) => ["queued", "dispatching"].includes(String(run["status"])))
      assert.deepInclude(asV3, { status: isNew ? "created" : "running", result: null })
    } else {
      const word = last["status"] === "failed" ? "error" : status === "stopped" ? "stopped" : "idle"
      assert.deepInclude(asV3, { status: word, result: last["result"] })
    }
    assert.strictEqual(asV3["id"], asV2["id"])
    assert.strictEqual(asV3["task"], tasks[0]?.["task"])
    assert.strictEqual(moment(asV3["createdAt"]), moment(asV2["startedAt"]))
    const times = runs.flatMap((run) =>
      ["createdAt", "startedAt", "finishedAt"].map((name) => Number(moment(run[name])))
    )
    assert.strictEqual(moment(asV3["updatedAt"]), Math.max(0, ...times))
    for (const view of [asV2, asV3, ...runs]) assert.strictEqual(view["liveUrl"] ?? null, liveUrl)
  },
  { arbitrary: { seed: 1 } }
)
