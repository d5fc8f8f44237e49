import { ApiKeyAuth as ApiKeyAuthService } from "@webagent/contract"
import { assert, describe, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { ApiKeyAuth, LinkTokens, RequestValidation, Server } from "@webagent/server"
import { Engine } from "@webagent/engine"
import { send, poll } from "../send.ts"
import * as SimulatedService from "../../src/SimulatedService.ts"

const createRun = (task: string) =>
  Effect.map(send("POST", "/api/v4/runs", { body: { task } }), ({ body, status }) => {
    assert.strictEqual(status, 201)
    return { id: String(body["id"]), sessionId: String(body["sessionId"]), body }
  })

const isTerminal = (body: Readonly<Record<string, unknown>>) =>
  ["completed", "failed", "cancelled"].includes(String(body["status"]))

const finished = (runId: string) =>
  Effect.andThen(poll(`/api/v4/runs/${runId}/status`, isTerminal), send("GET", `/api/v4/runs/${runId}`))

const session = (version: "v2" | "v3", id: string) =>
  Effect.map(send("GET", `/api/${version}/sessions/${id}`), ({ body }) => body)

layer(SimulatedService.layerTest, { excludeTestServices: true })("Server", (it) => {
  it.effect("v4 creates a run, polls it to its end and reads its result", () =>
    Effect.gen(function* () {
      const { body, id } = yield* createRun("Find a mug [simulate output=found cost=0.0132]")
      assert.deepStrictEqual([body["status"], body["result"], body["cost"]], ["queued", null, null])
      const polled = yield* poll(`/api/v4/runs/${id}/status`, isTerminal)
      assert.deepStrictEqual(polled.body, { status: "completed" })
      const { body: run, status } = yield* send("GET", `/api/v4/runs/${id}`)
      assert.deepStrictEqual([status, run["result"], run["cost"], run["error"]], [200, "found", "0.0132", null])
    })
  )

  it.effect("v4 moves a status from queued through dispatching and running to its end, never back", () =>
    Effect.gen(function* () {
      const { id } = yield* createRun("[simulate duration=60ms]")
      const seen: Array<string> = []
      yield* poll(`/api/v4/runs/${id}/status`, (body) => {
        const status = String(body["status"])
        if (seen.at(-1) !== status) seen.push(status)
        return isTerminal(body)
      })
      const order = ["queued", "dispatching", "running", "completed"]
      assert.deepStrictEqual(
        seen,
        order.filter((status) => seen.includes(status))
      )
      assert.strictEqual(seen.at(-1), "completed")
    })
  )

  for (const outcome of ["completed", "failed", "cancelled"]) {
    it.effect(`v4 ends a run ${outcome}`, () =>
      Effect.gen(function* () {
        const { id } = yield* createRun(`[simulate outcome=${outcome} error="sold out"]`)
        const { body } = yield* finished(id)
        assert.deepStrictEqual([body["status"], body["error"]], [outcome, outcome === "failed" ? "sold out" : null])
      })
    )
  }

  it.effect("v4 makes a message the session's next run, and an interrupting one cancels the running one", () =>
    Effect.gen(function* () {
      const first = yield* createRun("[simulate duration=1m]")
      const queue = (text: string, interrupt: boolean) =>
        send("POST", `/api/v4/sessions/${first.sessionId}/queue`, { body: { text, interrupt } })
      const waiting = yield* queue("after", false)
      assert.strictEqual(waiting.status, 201)
      assert.deepStrictEqual(
        [waiting.body["mode"], waiting.body["status"], waiting.body["sessionId"], waiting.body["text"]],
        ["queue", "pending", first.sessionId, "after"]
      )
      const urgent = yield* queue("now", true)
      assert.strictEqual(urgent.body["mode"], "interrupt")
      assert.strictEqual((yield* finished(first.id)).body["status"], "cancelled")
      const now = (yield* finished(String(urgent.body["runId"]))).body
      const after = (yield* finished(String(waiting.body["runId"]))).body
      assert.deepStrictEqual([now["status"], after["status"]], ["completed", "completed"])
      assert.isTrue(String(now["finishedAt"]) <= String(after["startedAt"]))
    })
  )

  it.effect("v4 returns 409 for a message to a stopped session", () =>
    Effect.gen(function* () {
      const { id, sessionId } = yield* createRun("[simulate keepAlive=false]")
      yield* finished(id)
      const answer = yield* send("POST", `/api/v4/sessions/${sessionId}/queue`, {
        body: { text: "x", interrupt: true }
      })
      assert.deepStrictEqual([answer.status, answer.body], [409, { detail: "Session is stopped" }])
    })
  )

  it.effect("v3 creates a session from a task and reads its result, whatever the JSON", () =>
    Effect.gen(function* () {
      const created = yield* send("POST", "/api/v3/sessions", {
        body: { task: '[simulate output={"price": 9.5}]', thinkingLevel: "high" }
      })
      assert.strictEqual(created.status, 201)
      assert.deepStrictEqual(
        [created.body["status"], created.body["result"], created.body["thinkingLevel"]],
        ["created", null, "high"]
      )
      const path = `/api/v3/sessions/${String(created.body["id"])}`
      const { body } = yield* poll(path, ({ status }) => status === "idle")
      assert.deepStrictEqual(body["result"], { price: 9.5 })
    })
  )

  it.effect("v2 and v3 read the session of a v4 run, v2 with one task per run, with ids in any case", () =>
    Effect.gen(function* () {
      const run = yield* createRun(
        "[simulate output=found judge=true suggestions=2 recording=true proxyMb=12.5 keepAlive=false]"
      )
      yield* finished(run.id)
      const v2 = yield* session("v2", run.sessionId.toUpperCase())
      assert.deepStrictEqual(
        [v2["id"], v2["status"], v2["keepAlive"], v2["proxyUsedMb"], v2["proxyCost"]],
        [run.sessionId, "stopped", false, "12.5", "0.1"]
      )
      assert.isString(v2["finishedAt"])
      const [task] = v2["tasks"] as ReadonlyArray<Record<string, unknown>>
      assert.deepStrictEqual(
        [task?.["id"], task?.["sessionId"], task?.["status"], task?.["output"], task?.["judgeVerdict"]],
        [run.id, run.sessionId, "finished", "found", true]
      )
      assert.match(String(task?.["createdAt"]), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/u)
      assert.lengthOf(task?.["suggestions"] as ReadonlyArray<unknown>, 2)
      const { pathname, searchParams, search } = new URL(String(v2["recordingUrl"]))
      const recording = yield* send("GET", pathname + search, { key: null })
      assert.deepStrictEqual([recording.status, recording.headers.get("content-type")], [200, "image/gif"])
      const token = searchParams.get("token") ?? ""
      for (const wrong of ["", "?token=", `?token=${token}x`, `?token=${token.slice(1)}`, `?token=${"A".repeat(43)}`]) {
        const { body, status } = yield* send("GET", pathname + wrong)
        assert.deepStrictEqual([status, body], [404, { detail: "Recording not found" }])
      }
      const v3 = yield* session("v3", run.sessionId)
      assert.deepStrictEqual([v3["id"], v3["status"], v3["result"]], [run.sessionId, "stopped", "found"])
    })
  )

  it.effect("has no download for a session without a recording", () =>
    Effect.gen(function* () {
      const { sessionId } = yield* createRun("x")
      for (const id of [sessionId, "unknown"]) {
        const answer = yield* send("GET", `/recordings/${id}`, { key: null })
        assert.deepStrictEqual([answer.status, answer.body], [404, { detail: "Recording not found" }])
      }
    })
  )

  it.effect("starts links with the address that the caller used", () =>
    Effect.gen(function* () {
      const { address } = yield* Server
      const named = address.replace("127.0.0.1", "localhost")
      const answer = yield* Effect.promise(() =>
        fetch(`${named}/api/v4/browsers`, { method: "POST", headers: { "x-service-api-key": "wak_test" } }).then(
          (response) => response.json() as Promise<{ cdpUrl: string }>
        )
      )
      assert.isTrue(answer.cdpUrl.startsWith(named.replace("http", "ws")))
    })
  )

  it.effect("completes two hundred simultaneous runs", () =>
    Effect.gen(function* () {
      const runs = yield* Effect.forEach(Array.from({ length: 200 }), (_, index) => createRun(`run ${index}`), {
        concurrency: 20
      })
      const ended = yield* Effect.forEach(runs, ({ id }) => finished(id), { concurrency: 20 })
      assert.isTrue(ended.every(({ body }) => body["status"] === "completed"))
      assert.strictEqual(new Set(runs.map(({ id }) => id)).size, 200)
    })
  )
})

describe("Server layers", () => {
  it.live("produce the same ids, outcomes and costs over HTTP for the same seed, and others for another seed", () =>
    Effect.gen(function* () {
      const history = (seed: number) =>
        Effect.gen(function* () {
          const runs = yield* Effect.forEach(Array.from({ length: 10 }), () => createRun("anything"))
          const ended = yield* Effect.forEach(runs, ({ id }) => finished(id), { concurrency: 10 })
          const { body } = yield* send("POST", "/api/v4/browsers")
          return [
            body["id"],
            new URL(String(body["cdpUrl"])).search,
            ...ended.map(({ body: { id, sessionId, status, cost } }) => ({ id, sessionId, status, cost }))
          ]
        }).pipe(Effect.provide(SimulatedService.layer({ seed, turnDuration: 1, failureRate: 0.5 }), { local: true }))
      const [one, again, other] = yield* Effect.all([history(1), history(1), history(2)])
      assert.deepStrictEqual(one, again)
      assert.notDeepEqual(one, other)
    })
  )

  it.effect("run on the clock of their caller, here a virtual one, on a real socket", () =>
    Effect.gen(function* () {
      const { id } = yield* createRun("[simulate duration=1h]")
      const status = Effect.map(send("GET", `/api/v4/runs/${id}/status`), ({ body }) => body["status"])
      assert.strictEqual(yield* status, "dispatching")
      yield* TestClock.adjust("59 minutes")
      assert.strictEqual(yield* status, "running")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* status, "completed")
    }).pipe(Effect.provide(SimulatedService.layerTest, { local: true }))
  )

  it.live("accept any of several keys, and include their address", () =>
    Effect.gen(function* () {
      const { address, apiKeys, baseUrls } = yield* Server
      assert.deepStrictEqual(apiKeys, ["one", "zwei"])
      assert.match(address, /^http:\/\/127\.0\.0\.1:\d+$/u)
      assert.deepStrictEqual(baseUrls, { v2: `${address}/api/v2`, v3: `${address}/api/v3`, v4: `${address}/api/v4` })
      const statuses = yield* Effect.forEach(["one", "zwei", "wak_test", "one,zwei"], (key) =>
        Effect.map(send("POST", "/api/v4/browsers", { key }), ({ status }) => status)
      )
      assert.deepStrictEqual(statuses, [201, 201, 401, 401])
    }).pipe(Effect.provide(SimulatedService.layer({ apiKeys: ["one", "zwei"] })))
  )

  for (const [what, options, same] of [
    ["draw link tokens from the seed on this machine", { host: "localhost" }, true],
    ["make random link tokens for other machines", { host: "0.0.0.0" }, false],
    ["make random link tokens on request", { linkTokens: LinkTokens.layerRandom }, false]
  ] as const) {
    it.live(`${what}`, () =>
      Effect.gen(function* () {
        const browser = Effect.map(send("POST", "/api/v4/browsers"), ({ body }) => ({
          id: body["id"],
          token: new URL(String(body["cdpUrl"])).searchParams.get("token")
        })).pipe(Effect.provide(SimulatedService.layer(options), { local: true }))
        const [one, other] = [yield* browser, yield* browser]
        assert.strictEqual(one.id, other.id)
        assert.match(one.token ?? "", /^[\w-]{43}$/u)
        assert.strictEqual(one.token === other.token, same)
      })
    )
  }

  it.live("fail with PortInUseError and the port for a taken port, and with ListenError otherwise", () =>
    Effect.gen(function* () {
      const { address } = yield* Server
      const port = Number(new URL(address).port)
      const start = (options: { readonly port: number; readonly host?: string }) =>
        Effect.flip(Effect.scoped(Layer.build(Layer.fresh(SimulatedService.layer(options)))))
      const taken = yield* start({ port })
      assert.deepStrictEqual([taken._tag, taken.port, taken.host], ["PortInUseError", port, "127.0.0.1"])
      assert.strictEqual((yield* start({ port: 0, host: "203.0.113.1" }))._tag, "ListenError")
    }).pipe(Effect.provide(SimulatedService.layerTest))
  )

  it.live("accept replacements of their parts, such as a check that accepts everything", () =>
    Effect.map(send("POST", "/api/v4/runs", { key: null, body: { task: "x" } }), ({ status }) =>
      assert.strictEqual(status, 201)
    ).pipe(
      Effect.provide(
        Server.layerWithAuth({ apiKeys: ["wak_test"] }).pipe(
          Layer.provide([
            SimulatedService.layerEngine(),
            Layer.succeed(ApiKeyAuthService, { apiKey: (httpEffect) => httpEffect }),
            RequestValidation.layer
          ])
        )
      )
    )
  )

  it.live("return 500 without details if a replaced engine has a bug", () =>
    Effect.gen(function* () {
      const answer = yield* send("POST", "/api/v4/browsers")
      assert.deepStrictEqual([answer.status, answer.body], [500, { detail: "Internal Server Error" }])
    }).pipe(
      Effect.provide(
        Server.layerWithAuth({ apiKeys: ["wak_test"] }).pipe(
          Layer.provide([
            Layer.effect(
              Engine,
              Effect.map(Engine, (engine) => ({ ...engine, createBrowser: () => Effect.die(new Error("secret")) }))
            ).pipe(Layer.provide(SimulatedService.layerEngine())),
            ApiKeyAuth.layer(["wak_test"]),
            RequestValidation.layer,
            // what it logs is not the test's business
            Logger.layer([])
          ])
        )
      )
    )
  )
})
