import { assert, describe, it } from "@effect/vitest"
import type { RunStatusView } from "@webagent/contract/v4"
import { PollSchedule } from "@webagent/polling"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as Stream from "effect/Stream"
import { once } from "node:events"
import * as v from "valibot"
import { z } from "zod"
import { Runs, type StandardSchema } from "../src/index.ts"
import { layer } from "./client.ts"
import { type Answer, ScriptedServer } from "@webagent/scripted-server"

/** A service with one run whose status look-ups answer one after the other, the last for ever. */
const service = (...statuses: ReadonlyArray<string | Answer>) =>
  Effect.map(ScriptedServer, (server) => {
    let looks = 0
    server.script = ({ method, url }) => {
      if (method === "POST") return { status: 201, json: { id: "r-1", status: "queued" } }
      if (!url.endsWith("/status")) return { json: { id: "r-1", status: "completed", result: { total: 42 }, later: 1 } }
      const answer = statuses[Math.min(looks++, statuses.length - 1)] ?? "running"
      return typeof answer === "string" ? { json: { status: answer } } : answer
    }
    const sent = () => server.requests.map(({ method, url }) => `${method} ${url.replace("/api/v4", "")}`)
    return { server, sent, looks: () => looks }
  })

const use = <A, E>(f: (runs: Runs["Service"]) => Effect.Effect<A, E>) => Effect.flatMap(Runs, f)

describe("Runs.create", () => {
  it.live.each([200, 201, 202])("accepts %i and sends its input", (status) =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({ status, json: { id: "r-1", later: [1] } })
      const input = { task: "Buy the red mug", modelParams: { effort: "high" } }
      const created = yield* use((runs) => runs.create(input, { extraBody: { beta: 1, task: "another" } }))
      assert.deepStrictEqual(created, { id: "r-1", raw: { later: [1] } })
      const [request] = server.requests
      assert.deepStrictEqual([request?.method, request?.url], ["POST", "/api/v4/runs"])
      assert.deepStrictEqual(JSON.parse(request?.body ?? ""), { ...input, beta: 1 })
    }).pipe(Effect.provide(layer()))
  )

  it.live("has an unknown outcome if the response is empty", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({ status: 204 })
      const error = yield* Effect.flip(use((runs) => runs.create({ task: "t" })))
      assert.strictEqual(error._tag === "CreateOutcomeUnknown" && error.reason._tag, "UndecodableAnswer")
    }).pipe(Effect.provide(layer()))
  )

  it.live("is sent once, whatever fails", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = (_, count) => (count === 1 ? { status: 503 } : (response) => response.destroy())
      for (const sent of [1, 2]) {
        yield* Effect.flip(use((runs) => runs.create({ task: "t" })))
        assert.strictEqual(server.requests.length, sent)
      }
    }).pipe(Effect.provide(layer()))
  )
})

describe("Runs with an idempotency key of the caller", () => {
  it.live("send it, and repeat a create with it if the service honors keys", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = ({ method }, count) =>
        method === "GET"
          ? { json: { id: "r-1", status: "completed" } }
          : count === 1
            ? (response) => response.destroy()
            : { status: 201, json: { id: "r-1" } }
      const runs = yield* Runs
      assert.strictEqual((yield* runs.create({ task: "t" }, { idempotencyKey: "order-7" })).id, "r-1")
      yield* runs.createAndWait({ task: "t" }, { idempotencyKey: "order-8" })
      assert.deepStrictEqual(
        server.requests.map(({ headers }) => headers["idempotency-key"]).filter((key) => key !== undefined),
        ["order-7", "order-7", "order-8"]
      )
    }).pipe(Effect.provide(layer({ target: { idempotency: "honoured" } })))
  )

  it.live("name it in the error of a create whose response was lost", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => (response) => response.destroy()
      const runs = yield* Runs
      const error = yield* Effect.flip(runs.createAndWait({ task: "t" }, { idempotencyKey: "order-7" }))
      if (error._tag !== "CreateOutcomeUnknown") return assert.fail(error.message)
      assert.deepStrictEqual([error.kind, error.key, error.attempts], ["run", "order-7", 1])
      assert.lengthOf(server.requests, 1)
    }).pipe(Effect.provide(layer()))
  )
})

interface Total {
  readonly total: number
}

describe("Runs with a result schema", () => {
  const result = Schema.Struct({ total: Schema.Number })

  it.live("return the run with its result, or fail with the reason", () =>
    Effect.gen(function* () {
      yield* service("completed")
      const runs = yield* Runs
      assert.strictEqual((yield* runs.createAndWait({ task: "t" }, { result })).result.total, 42)
      assert.strictEqual((yield* runs.untilTerminal("r-1", { result })).result.total, 42)
      const mismatch = yield* Effect.flip(runs.createAndWait({ task: "t" }, { result: Schema.String }))
      if (mismatch._tag !== "ResultMismatchError") return assert.fail(mismatch.message)
      assert.deepStrictEqual(mismatch.run.result, { total: 42 })
    }).pipe(Effect.provide(layer()))
  )

  it.live.each([
    ["zod", z.object({ total: z.number() }), z.object({ total: z.string() })],
    ["valibot", v.object({ total: v.number() }), v.object({ total: v.string() })],
    [
      "Effect",
      Schema.toStandardSchemaV1(Schema.Struct({ total: Schema.Number })),
      Schema.toStandardSchemaV1(Schema.Struct({ total: Schema.String }))
    ]
  ] as const)("take a Standard Schema: %s", ([, result, other]) =>
    Effect.gen(function* () {
      yield* service("completed")
      const runs = yield* Runs
      assert.strictEqual((yield* runs.createAndWait<Total>({ task: "t" }, { result })).result.total, 42)
      const mismatch = yield* Effect.flip(runs.untilTerminal<unknown>("r-1", { result: other }))
      if (mismatch._tag !== "ResultMismatchError") return assert.fail(mismatch.message)
      assert.match(mismatch.issue, /total.*string|string[^]*total/iu)
    }).pipe(Effect.provide(layer()))
  )

  it.live("refuse an invalid schema before a run is created", () =>
    Effect.gen(function* () {
      const { sent } = yield* service("completed")
      const runs = yield* Runs
      const result = { total: Number } as object as StandardSchema<unknown>
      assert.throws(() => runs.createAndWait({ task: "t" }, { result }), TypeError, "result must be a schema")
      assert.throws(() => runs.runAll([{ task: "t" }], { result }), TypeError, "result must be a schema")
      assert.isEmpty(sent())
    }).pipe(Effect.provide(layer()))
  )

  it.live("require the services of the schema", () =>
    Effect.gen(function* () {
      yield* service("completed")
      const runs = yield* Runs
      class Rate extends Context.Service<Rate, number>()("Rate") {}
      const inKroner = Schema.Struct({ total: Schema.Number }).pipe(
        Schema.decodeTo(Schema.Number, {
          decode: SchemaGetter.transformEffect(({ total }) => Effect.map(Rate, (rate) => total * rate)),
          encode: SchemaGetter.forbiddenEncoding
        })
      )
      const run = runs.createAndWait({ task: "t" }, { result: inKroner }).pipe(Effect.provideService(Rate, 10))
      assert.strictEqual((yield* run).result, 420)
    }).pipe(Effect.provide(layer()))
  )
})

describe("Runs.status and Runs.get", () => {
  it.live.each([200, 201, 202])("accept %i and keep unknown fields", (status) =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      const json = { id: "r-1", status: "pondering", later: { kept: true } }
      server.script = () => ({ status, json })
      const raw = { later: { kept: true } }
      const view = { status: "pondering", raw: { id: "r-1", ...raw } }
      assert.deepStrictEqual<unknown>(yield* use((runs) => runs.status("r-1")), view)
      assert.deepStrictEqual<unknown>(yield* use((runs) => runs.get("a/b")), { id: "r-1", status: "pondering", raw })
      assert.deepStrictEqual(
        server.requests.map(({ url }) => url),
        ["/api/v4/runs/r-1/status", "/api/v4/runs/a%2Fb"]
      )
    }).pipe(Effect.provide(layer()))
  )

  it.live("fail with RunNotFoundError at once after a 404", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({ status: 404, json: { detail: "No run r-2" } })
      for (const read of ["status", "get"] as const) {
        const error = yield* Effect.flip(Effect.asVoid(Effect.flatMap(Runs, (runs) => runs[read]("r-2"))))
        assert.deepStrictEqual([error._tag, "detail" in error && error.detail], ["RunNotFoundError", "No run r-2"])
      }
      assert.strictEqual(server.requests.length, 2)
    }).pipe(Effect.provide(layer()))
  )

  it.live("retry a 404 right after the create", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = ({ method }, count) =>
        method === "POST" || count > 2 ? { json: { id: "r-1", status: "queued" } } : { status: 404, json: {} }
      const runs = yield* Runs
      const { id } = yield* runs.create({ task: "t" })
      assert.strictEqual((yield* runs.status(id)).status, "queued")
      assert.strictEqual(server.requests.length, 3)
    }).pipe(Effect.provide(layer()))
  )
})

describe("Runs.createAndWait", () => {
  it.live("creates, polls the status until it is terminal and fetches the full run once", () =>
    Effect.gen(function* () {
      const { sent } = yield* service("queued", "pondering", "running", "completed")
      const run = yield* use((runs) => runs.createAndWait({ task: "t" }))
      assert.deepStrictEqual(run, { id: "r-1", status: "completed", result: { total: 42 }, raw: { later: 1 } })
      const look = "GET /runs/r-1/status"
      assert.deepStrictEqual(sent(), ["POST /runs", look, look, look, look, "GET /runs/r-1"])
    }).pipe(Effect.provide(layer()))
  )

  it.live.each(["completed", "failed", "cancelled"])("returns a run that is %s", (status) =>
    Effect.gen(function* () {
      const { looks } = yield* service("running", status)
      yield* use((runs) => runs.createAndWait({ task: "t" }))
      assert.strictEqual(looks(), 2)
    }).pipe(Effect.provide(layer()))
  )

  it.live("survives 5xx, 429, cut connections and an outage longer than a call's retries", () =>
    Effect.gen(function* () {
      const outage = Array.from({ length: 12 }, () => ({ status: 502, text: "<html>" }))
      const cut: Answer = (response) => response.destroy()
      const { looks } = yield* service("running", { status: 429 }, cut, ...outage, "completed")
      assert.strictEqual((yield* use((runs) => runs.createAndWait({ task: "t" }))).status, "completed")
      assert.strictEqual(looks(), 16)
    }).pipe(Effect.provide(layer()))
  )

  it.live("fails at once if the API key is refused", () =>
    Effect.gen(function* () {
      const { looks } = yield* service("running", { status: 401, json: { detail: "Revoked" } })
      const error = yield* Effect.flip(use((runs) => runs.createAndWait({ task: "t" })))
      assert.deepStrictEqual(
        [error._tag, "detail" in error && error.detail, looks()],
        ["UnauthorizedError", "Revoked", 2]
      )
    }).pipe(Effect.provide(layer()))
  )

  it.live("fails at its deadline with the run's id and last status", () =>
    Effect.gen(function* () {
      yield* service("running")
      const error = yield* Effect.flip(use((runs) => runs.createAndWait({ task: "t" }, { timeout: "30 millis" })))
      if (error._tag !== "WaitTimeoutError") return assert.fail(error.message)
      assert.deepStrictEqual([error.kind, error.id, error.lastStatus], ["run", "r-1", "running"])
      assert.isAtLeast(error.waited_ms, 30)
    }).pipe(Effect.provide(layer()))
  )

  it.live("is interrupted at once, and closes the poll in flight", () =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<Promise<unknown>>()
      const { looks } = yield* service("running", (response) => {
        Deferred.doneUnsafe(arrived, Exit.succeed(once(response, "close")))
      })
      const fiber = yield* Effect.forkChild(use((runs) => runs.createAndWait({ task: "t" })))
      const closed = yield* Deferred.await(arrived)
      yield* Fiber.interrupt(fiber)
      yield* Effect.promise(() => closed)
      assert.strictEqual(looks(), 2)
    }).pipe(Effect.provide(layer()))
  )
})

describe("Runs.untilTerminal and Runs.watch", () => {
  it.live("poll another process's run first without a delay, unless the options have one", () =>
    Effect.gen(function* () {
      yield* service("completed")
      const runs = yield* Runs
      // the first poll of the schedule alone would come after an hour
      const schedule = PollSchedule.every("1 hour")
      const run = yield* Effect.provideService(runs.untilTerminal("r-1"), PollSchedule.Current, schedule)
      assert.deepStrictEqual(run.result, { total: 42 })
      yield* runs.untilTerminal("r-1", { schedule, first: undefined })
      yield* runs.watch("r-1", { schedule }).pipe(Stream.runDrain)
      const told = runs.untilTerminal("r-1", { schedule, first: "1 hour" })
      assert.isTrue(Option.isNone(yield* Effect.timeoutOption(told, "50 millis")))
    }).pipe(Effect.provide(layer()))
  )

  it.live("share one poll loop and one read of the finished run between a hundred waits", () =>
    Effect.gen(function* () {
      const { looks, sent } = yield* service("running", "running", "completed")
      const runs = yield* Runs
      const all = Array.from({ length: 100 }, () => runs.untilTerminal("r-1"))
      const results = yield* Effect.all(all, { concurrency: "unbounded" })
      assert.strictEqual(results.length, 100)
      assert.strictEqual(looks(), 3)
      assert.strictEqual(sent().filter((request) => request === "GET /runs/r-1").length, 1)
    }).pipe(Effect.provide(layer()))
  )

  it.live("watch emits each status as it changes", () =>
    Effect.gen(function* () {
      yield* service("queued", "queued", "running", "pondering", "running", "running", "failed")
      const runs = yield* Runs
      const seen: ReadonlyArray<RunStatusView> = yield* Stream.runCollect(runs.watch("r-1"))
      assert.deepStrictEqual(
        seen.map((view) => view.status),
        ["queued", "running", "pondering", "running", "failed"]
      )
    }).pipe(Effect.provide(layer()))
  )

  it.live("fail with the error of the read", () =>
    Effect.gen(function* () {
      yield* service({ status: 404, json: {} })
      const runs = yield* Runs
      assert.strictEqual((yield* Effect.flip(runs.untilTerminal("r-1")))._tag, "RunNotFoundError")
      assert.strictEqual((yield* Effect.flip(Stream.runDrain(runs.watch("r-1"))))._tag, "RunNotFoundError")
      const refused = yield* Effect.flip(runs.untilTerminal(".."))
      assert.strictEqual(refused._tag === "TransportError" && refused.reason._tag, "InvalidRequest")
    }).pipe(Effect.provide(layer()))
  )
})
