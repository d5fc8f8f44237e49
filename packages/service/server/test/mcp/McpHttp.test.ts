import { assert, describe, it } from "@effect/vitest"
import { type ApiKey, ApiKeys, MemoryStore } from "@webagent/engine"
import { callTool, connectHttp } from "@webagent/test-fixtures/Mcp"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as ApiKeyAuth from "../../src/http/policy/ApiKeyAuth.ts"
import { Server } from "../../src/Server.ts"
import { layerOver, layerTest } from "../http/served.ts"

const withKey = (apiKey: string) =>
  Effect.flatMap(Server, ({ address }) => connectHttp(address, { "X-Service-API-Key": apiKey }))

const client = withKey("wak_test")

const key = (name: string, limits: Partial<ApiKey["limits"]> = { runs: 1 }): ApiKey => ({
  name,
  prefix: "wak_",
  scopes: ["read", "runs"],
  limits: { runs: null, browsers: null, requestsPerMinute: null, usdPerDay: null, ...limits },
  createdAt_ms: 0,
  revokedAt_ms: null,
  lastUsedAt_ms: null
})

/** Keys of two owners, each with one run at once; the second create finds one at work. */
const keys = Layer.sync(ApiKeys, () => {
  let runs = 0
  let requests = 0
  const all = new Map([
    ["wak_mine", key("mine")],
    ["wak_other", key("other")],
    // to connect is one request, and to start a run the second
    ["wak_slow", key("slow", { requestsPerMinute: 2 })]
  ])
  return {
    create: () => Effect.die("not used"),
    rotate: () => Effect.die("not used"),
    setLimits: () => Effect.die("not used"),
    revoke: () => Effect.die("not used"),
    list: Effect.succeed([...all.values()]),
    find: (secret) => Effect.succeed(Option.fromUndefinedOr(all.get(secret))),
    named: () => Effect.succeed(Option.none()),
    revokedOf: () => Effect.succeed(new Set<string>()),
    usage: () => Effect.sync(() => ({ runs: ++runs, browsers: 0, usd: 0 })),
    countRequest: (_, perMinute) => Effect.sync(() => (++requests > perMinute ? 60_000 : 0))
  }
})

describe("the operations as MCP tools", () => {
  it.live("are nine, with annotations about their effects", () =>
    Effect.gen(function* () {
      const { tools } = yield* Effect.flatMap(client, (one) => Effect.promise(() => one.listTools()))
      assert.deepStrictEqual(
        tools.map(({ annotations, name }) => [name, annotations?.readOnlyHint, annotations?.destructiveHint]),
        [
          ["run_task", false, true],
          ["follow_up", false, true],
          ["get_run", true, false],
          ["list_runs", true, false],
          ["cancel_run", false, true],
          ["stop_session", false, true],
          ["create_browser", false, false],
          ["list_browsers", true, false],
          ["stop_browser", false, true]
        ]
      )
    }).pipe(Effect.scoped, Effect.provide(layerTest))
  )

  it.live("run a task to its end, and follow up in its session", () =>
    Effect.gen(function* () {
      const one = yield* client
      const first = yield* callTool(one, "run_task", { task: "Find a red mug" })
      assert.deepInclude(first.answer, { isFinished: true })
      assert.deepInclude(first.answer.run, { status: "completed", result: "Find a red mug" })
      const { id, sessionId } = first.answer.run
      const next = yield* callTool(one, "follow_up", { sessionId, text: "And a blue one" })
      assert.deepInclude(next.answer.run, { status: "completed", result: "And a blue one", sessionId })
      assert.deepInclude((yield* callTool(one, "get_run", { runId: id })).answer.run, { id, status: "completed" })
    }).pipe(Effect.scoped, Effect.provide(layerTest))
  )

  it.live("refuse an unknown argument, and suggest the likely one", () =>
    Effect.gen(function* () {
      const one = yield* client
      const refused = (name: string, args: Record<string, unknown>) =>
        Effect.map(callTool(one, name, args), ({ isError, text }) => `${isError} ${text}`)
      const misspelt = yield* refused("run_task", { task: "Find a red mug", waitSecond: 1 })
      assert.include(misspelt, `"waitSecond" isn't an argument of this tool. Did you mean "waitSeconds"?`)
      const unknown = yield* refused("list_browsers", { colour: "red" })
      assert.include(unknown, `"colour" isn't an argument of this tool. Use limit, page.`)
      const names = Array.from({ length: 200 }, (_, index) => `colour${index}`)
      const many = yield* refused("list_browsers", Object.fromEntries(names.map((name) => [name, 1])))
      assert.lengthOf(many.match(/isn't an argument/gu) ?? [], 100)
      const several = yield* refused("get_run", { id: "r", waitSeconds: "soon" })
      assert.include(several, "runId is missing.")
      assert.include(several, "waitSeconds: ")
      const { tools } = yield* Effect.promise(() => one.listTools())
      assert.isTrue(tools.every(({ inputSchema }) => inputSchema["additionalProperties"] === false))
    }).pipe(Effect.scoped, Effect.provide(layerTest))
  )

  it.live("start and stop a browser, with links at the caller's origin", () =>
    Effect.gen(function* () {
      const one = yield* client
      const { address } = yield* Server
      const { browser } = (yield* callTool(one, "create_browser", { proxyCountryCode: "de" })).answer
      assert.strictEqual(new URL(browser.cdpUrl).host, new URL(address).host)
      const stopped = yield* callTool(one, "stop_browser", { browserId: browser.id })
      assert.deepInclude(stopped.answer.browser, { id: browser.id, status: "stopped" })
    }).pipe(Effect.scoped, Effect.provide(layerTest))
  )

  it.live("list runs page by page, and browsers", () =>
    Effect.gen(function* () {
      const one = yield* client
      const tasks = ["one", "two", "three"]
      const ids: Array<string> = []
      for (const task of tasks) ids.push((yield* callTool(one, "run_task", { task })).answer.run.id)
      const first = (yield* callTool(one, "list_runs", { limit: 2 })).answer
      const second = (yield* callTool(one, "list_runs", { limit: 2, cursor: first.nextCursor })).answer
      const listed = [...first.runs, ...second.runs]
      assert.deepStrictEqual(
        listed.map(({ id, result, status }) => [id, status, result]),
        ids.map((id, index) => [id, "completed", tasks[index]]).toReversed()
      )
      assert.isNull(second.nextCursor)
      const { sessionId } = listed[0]
      assert.lengthOf((yield* callTool(one, "list_runs", { sessionId })).answer.runs, 1)

      const { browser } = (yield* callTool(one, "create_browser", {})).answer
      const { browsers, totalItems } = (yield* callTool(one, "list_browsers", {})).answer
      assert.deepStrictEqual([browsers.map(({ id }: { id: string }) => id), totalItems], [[browser.id], 1])
    }).pipe(Effect.scoped, Effect.provide(layerTest))
  )

  it.live("cancel a run, and stop a session with its run", () =>
    Effect.gen(function* () {
      const one = yield* client
      const start = Effect.map(callTool(one, "run_task", { task: "Wait", waitSeconds: 0 }), ({ answer }) => answer.run)
      const first = yield* start
      const cancelled = yield* callTool(one, "cancel_run", { runId: first.id })
      assert.strictEqual(cancelled.answer.run.id, first.id)
      const after = yield* callTool(one, "get_run", { runId: first.id, waitSeconds: 10 })
      assert.strictEqual(after.answer.run.status, "cancelled")
      const second = yield* start
      const stopped = yield* callTool(one, "stop_session", { sessionId: second.sessionId })
      assert.deepInclude(stopped.answer.session, { id: second.sessionId, status: "stopped" })
      const ended = yield* callTool(one, "get_run", { runId: second.id, waitSeconds: 10 })
      assert.strictEqual(ended.answer.run.status, "cancelled")
    }).pipe(Effect.scoped, Effect.provide(layerOver(MemoryStore.layer, { perform: () => Stream.never })))
  )

  it.live("return a run that takes longer than the wait in its current state, with advice", () =>
    Effect.gen(function* () {
      const one = yield* client
      const first = yield* callTool(one, "run_task", { task: "Wait", waitSeconds: 0 })
      const { id } = first.answer.run
      assert.isFalse(first.answer.isFinished)
      assert.strictEqual(first.answer.next, `The run continues. Call get_run with runId ${id}.`)
      const still = yield* callTool(one, "get_run", { runId: id })
      assert.include(["queued", "dispatching", "running"], still.answer.run.status)
    }).pipe(Effect.scoped, Effect.provide(layerOver(MemoryStore.layer, { perform: () => Stream.never })))
  )

  it.live("report progress of a run to a client that asks for it", () =>
    Effect.gen(function* () {
      const one = yield* client
      const told = yield* Effect.promise(async () => {
        const told: Array<{ readonly progress: number; readonly message?: string | undefined }> = []
        await one.callTool({ name: "run_task", arguments: { task: "Wait", waitSeconds: 1 } }, undefined, {
          onprogress: (progress) => void told.push(progress)
        })
        return told
      })
      assert.isNotEmpty(told)
      const seconds = told.map(({ progress }) => progress)
      assert.deepStrictEqual(
        seconds,
        seconds.toSorted((a, b) => a - b)
      )
      for (const { message } of told) assert.match(message ?? "", /^The run is (queued|dispatching|running)\.$/u)
    }).pipe(Effect.scoped, Effect.provide(layerOver(MemoryStore.layer, { perform: () => Stream.never })))
  )

  it.live("pass on the model's settings, and an interrupt", () =>
    Effect.gen(function* () {
      const one = yield* client
      const modelParams = { effort: "low" }
      const { run } = (yield* callTool(one, "run_task", { task: "Wait", modelParams, waitSeconds: 0 })).answer
      assert.deepInclude(run, { modelParams })
      const next = yield* callTool(one, "follow_up", { sessionId: run.sessionId, text: "Never mind", interrupt: true })
      assert.deepInclude(next.answer.run, { status: "completed", result: "Never mind" })
      assert.strictEqual((yield* callTool(one, "get_run", { runId: run.id })).answer.run.status, "cancelled")
    }).pipe(
      Effect.scoped,
      Effect.provide(
        layerOver(MemoryStore.layer, {
          perform: ({ task }) =>
            Stream.concat(
              Stream.make({ _tag: "Started" } as const),
              task === "Wait" ? Stream.never : Stream.make({ _tag: "Completed", report: { output: task } } as const)
            )
        })
      )
    )
  )

  it.live("return the id of a run whose status the server refuses", () =>
    Effect.gen(function* () {
      const { answer, isError } = yield* callTool(yield* withKey("wak_slow"), "run_task", { task: "Find a red mug" })
      assert.isFalse(isError)
      assert.isFalse(answer.isFinished)
      assert.match(
        answer.next,
        /^The run was started, but not read: The server answered 429: .* Do not start it again\.$/u
      )
      assert.include(answer.next, `Call get_run with runId ${answer.run.id}.`)
    }).pipe(
      Effect.scoped,
      Effect.provide(layerOver(MemoryStore.layer, { auth: Layer.provide(ApiKeyAuth.layerManaged(), keys) }))
    )
  )

  it.live("fail with the server's error message", () =>
    Effect.gen(function* () {
      const one = yield* client
      const failures = [
        ["get_run", { runId: "00000000-0000-4000-8000-00000000000f" }, "The server answered 404: Run not found."],
        ["get_run", { runId: "../../../metrics" }, "The server answered 404: Run not found."],
        ["follow_up", { sessionId: "none", text: "x" }, "The server answered 404: Session not found."],
        ["stop_browser", { browserId: "none" }, "The server answered 404: Browser not found."],
        ["cancel_run", { runId: "none" }, "The server answered 404: Run not found."],
        ["stop_session", { sessionId: "none" }, "The server answered 404: Session not found."],
        [
          "create_browser",
          { proxyCountryCode: "xx" },
          'The server answered 422: [{"loc":["body","proxyCountryCode"],"msg":"This server has no proxy in country \\"xx\\"","type":"value_error"}].'
        ]
      ] as const
      for (const [name, input, sentence] of failures) {
        const { isError, text } = yield* callTool(one, name, input)
        assert.deepStrictEqual({ isError, text }, { isError: true, text: sentence })
      }
    }).pipe(Effect.scoped, Effect.provide(layerTest))
  )

  it.live("refuse invalid input before they send a request", () =>
    Effect.gen(function* () {
      const one = yield* client
      for (const input of [{}, { task: "" }, { task: "x", waitSeconds: 301 }, { task: "x", waitSeconds: -1 }]) {
        const { isError } = yield* Effect.promise(async () =>
          one.callTool({ name: "run_task", arguments: input }).catch(() => ({ isError: true }))
        )
        assert.isTrue(isError, JSON.stringify(input))
      }
      // a limit that was misspelled would list everything
      const refusal = yield* Effect.promise(() =>
        one.callTool({ name: "list_runs", arguments: { limt: 1 } }).then((result) => JSON.stringify(result))
      )
      assert.match(refusal, /Invalid parameters .*limt/u)
    }).pipe(Effect.scoped, Effect.provide(layerTest))
  )
})

describe("an MCP client's key", () => {
  it.live("is required to connect, and may be a bearer token", () =>
    Effect.gen(function* () {
      const { address } = yield* Server
      const refused: ReadonlyArray<Record<string, string>> = [
        {},
        { "X-Service-API-Key": "wak_other" },
        { authorization: "Bearer wak_other" }
      ]
      for (const headers of refused) {
        const exit = yield* Effect.exit(
          Effect.tryPromise(() =>
            fetch(`${address}/mcp`, {
              method: "POST",
              headers: {
                "content-type": "application/json",
                accept: "application/json, text/event-stream",
                ...headers
              },
              body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: {} })
            }).then(async (response) => ({ status: response.status, body: await response.json() }))
          )
        )
        assert.deepStrictEqual(exit, Exit.succeed({ status: 401, body: { detail: "Invalid API key" } }))
      }
      const one = yield* connectHttp(address, { authorization: "Bearer wak_test" })
      assert.isFalse((yield* callTool(one, "run_task", { task: "x" })).isError)
    }).pipe(Effect.scoped, Effect.provide(layerTest))
  )

  it.live("has its own scopes and limits, and only sees its own runs", () =>
    Effect.gen(function* () {
      const mine = yield* withKey("wak_mine")
      const other = yield* withKey("wak_other")
      const { answer } = yield* callTool(mine, "run_task", { task: "Wait", waitSeconds: 0 })
      const again = yield* callTool(mine, "run_task", { task: "Wait", waitSeconds: 0 })
      assert.strictEqual(
        again.text,
        "The server answered 429: This API key has reached its limit of 1 open run. Cancel one, wait until one finishes, or raise the limit. Try again in 2 seconds."
      )
      assert.strictEqual(
        (yield* callTool(mine, "create_browser")).text,
        "The server answered 403: This API key lacks the scope browsers."
      )
      assert.strictEqual(
        (yield* callTool(other, "get_run", { runId: answer.run.id })).text,
        "The server answered 404: Run not found."
      )
      assert.isFalse((yield* callTool(mine, "get_run", { runId: answer.run.id })).isError)
    }).pipe(
      Effect.scoped,
      Effect.provide(
        layerOver(MemoryStore.layer, {
          perform: () => Stream.never,
          auth: Layer.provide(ApiKeyAuth.layerManaged(), keys)
        })
      )
    )
  )

  it.live("is the only one that can use or end its session", () =>
    Effect.gen(function* () {
      const { address } = yield* Server
      const request = (method: string, headers: Readonly<Record<string, string>>, message?: object) =>
        Effect.promise(async (signal) => {
          const response = await fetch(`${address}/mcp`, {
            method,
            signal,
            headers: {
              "content-type": "application/json",
              accept: "application/json, text/event-stream",
              ...headers
            },
            ...(message === undefined ? {} : { body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }) })
          })
          const session = response.headers.get("mcp-session-id") ?? ""
          return { status: response.status, session, text: await response.text() }
        })
      const initialize = {
        method: "initialize",
        params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "a test", version: "1" } }
      }
      const { session } = yield* request("POST", { "x-service-api-key": "wak_mine" }, initialize)
      const other = { "x-service-api-key": "wak_other", "mcp-session-id": session }
      const list = { method: "tools/list" }
      const unknown = yield* request("POST", { ...other, "mcp-session-id": "unknown" }, list)
      assert.strictEqual(unknown.status, 404)
      assert.deepStrictEqual(yield* request("POST", other, list), unknown)
      assert.deepStrictEqual(yield* request("DELETE", other), unknown)
      const mine = { "x-service-api-key": "wak_mine", "mcp-session-id": session }
      assert.strictEqual((yield* request("POST", mine, list)).status, 200)
      assert.strictEqual((yield* request("DELETE", mine)).status, 204)
      assert.deepStrictEqual(yield* request("POST", mine, list), unknown)
    }).pipe(
      Effect.scoped,
      Effect.provide(layerOver(MemoryStore.layer, { auth: Layer.provide(ApiKeyAuth.layerManaged(), keys) }))
    )
  )
})
