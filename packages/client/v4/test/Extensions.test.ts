import { assert, describe, it } from "@effect/vitest"
import { type Answer, ScriptedServer } from "@webagent/scripted-server"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Browsers, Runs, Sessions } from "../src/index.ts"
import { layer } from "./client.ts"
import { warned } from "./virtual.ts"

const answering = (...answers: ReadonlyArray<Answer>) =>
  Effect.map(ScriptedServer, (server) => {
    server.script = (_, count) => answers[Math.min(count, answers.length) - 1] ?? {}
    return server
  })

const requests = Effect.map(ScriptedServer, (server) =>
  server.requests.map(({ method, url }) => `${method} ${url.replace("/api/v4", "")}`)
)

const run = (id: string, more: object = {}) => ({ id, status: "completed", ...more })

describe("Runs.list", () => {
  it.live("reads page after page, through an empty one, until hasMore is false", () =>
    Effect.gen(function* () {
      yield* answering(
        { json: { runs: [run("r-3"), run("r-2")], nextCursor: "c/1", hasMore: true } },
        { json: { runs: [], nextCursor: "c/2", hasMore: true } },
        { json: { runs: [run("r-1", { totalCostUsd: 0.42, more: 1 })], nextCursor: "c/3", hasMore: false } }
      )
      const runs = yield* Runs
      const all = yield* Stream.runCollect(runs.list({ sessionId: "s 1", limit: 2 }))
      assert.deepStrictEqual(
        all.map(({ id }) => id),
        ["r-3", "r-2", "r-1"]
      )
      assert.deepStrictEqual([all[2]?.cost, all[2]?.raw], ["0.42", { more: 1 }])
      const query = "GET /runs?sessionId=s+1&limit=2"
      assert.deepStrictEqual(yield* requests, [query, `${query}&cursor=c%2F1`, `${query}&cursor=c%2F2`])
    }).pipe(Effect.provide(layer()))
  )

  it.live("reads only the pages that it needs", () =>
    Effect.gen(function* () {
      yield* answering({ json: { runs: [run("r-3"), run("r-2")], nextCursor: "c", hasMore: true } })
      const runs = yield* Runs
      assert.lengthOf(yield* runs.list().pipe(Stream.take(2), Stream.runCollect), 2)
      assert.deepStrictEqual(yield* requests, ["GET /runs"])
    }).pipe(Effect.provide(layer()))
  )

  it.live("ends when a page leads to itself, so that a wrong cursor doesn't loop forever", () =>
    Effect.gen(function* () {
      yield* answering({ json: { runs: [run("r-1")], nextCursor: "c" } })
      const runs = yield* Runs
      assert.lengthOf(yield* Stream.runCollect(runs.list()), 2)
    }).pipe(Effect.provide(layer()))
  )

  it.live("survives a failed page, as every read does", () =>
    Effect.gen(function* () {
      yield* answering({ status: 503 }, { json: { runs: [run("r-1")] } })
      const runs = yield* Runs
      assert.lengthOf(yield* Stream.runCollect(runs.list()), 1)
    }).pipe(Effect.provide(layer()))
  )

  it.live("listPage returns a page with its cursor, and fails for another list's cursor", () =>
    Effect.gen(function* () {
      yield* answering(
        { json: { runs: [run("r-1")], nextCursor: "c", hasMore: true } },
        { status: 400, json: { detail: "The cursor belongs to another list" } }
      )
      const runs = yield* Runs
      const page = yield* runs.listPage({ limit: 1 })
      assert.deepStrictEqual([page.runs.length, page.nextCursor, page.hasMore], [1, "c", true])
      assert.strictEqual((yield* Effect.flip(runs.listPage({ cursor: "x" })))._tag, "BadCursorError")
    }).pipe(Effect.provide(layer()))
  )
})

describe("Browsers.list and Sessions.list", () => {
  it.live("list browsers by page numbers until all were read", () =>
    Effect.gen(function* () {
      const items = [{ id: "b-1", proxyCost: 0.1 }, { id: "b-2" }]
      yield* answering(
        { json: { items, totalItems: 3, pageNumber: 1, pageSize: 2 } },
        { json: { items: [{ id: "b-3" }], totalItems: 3, pageNumber: 2, pageSize: 2 } }
      )
      const browsers = yield* Browsers
      const all = yield* Stream.runCollect(browsers.list({ filterBy: "active", pageSize: 2 }))
      assert.deepStrictEqual(
        all.map(({ id, proxyCost }) => [id, proxyCost]),
        [
          ["b-1", "0.1"],
          ["b-2", undefined],
          ["b-3", undefined]
        ]
      )
      const query = "GET /browsers?filterBy=active&pageSize=2"
      assert.deepStrictEqual(yield* requests, [query, `${query}&pageNumber=2`])
    }).pipe(Effect.provide(layer()))
  )

  it.live("read sessions, messages and attachments at their paths", () =>
    Effect.gen(function* () {
      yield* answering(
        { json: { sessions: [{ sessionId: "s-1", status: "running" }], hasMore: false } },
        { json: { sessionId: "s-1" } },
        { json: { queue: [{ id: 3, runId: null, status: "pending" }] } },
        { json: { id: 3, status: "cancelled" } },
        { status: 204 },
        { json: { attachments: [{ id: "f-1", status: "uploaded", sizeBytes: 5 }] } }
      )
      const [runs, sessions] = [yield* Runs, yield* Sessions]
      assert.strictEqual((yield* Stream.runCollect(sessions.list()))[0]?.status, "running")
      assert.strictEqual((yield* sessions.get("s/1")).sessionId, "s-1")
      assert.deepStrictEqual((yield* sessions.messages("s-1")).queue[0]?.id, 3)
      assert.strictEqual((yield* sessions.removeMessage("s-1", 3)).status, "cancelled")
      assert.isUndefined(yield* sessions.purge("s-1"))
      assert.strictEqual((yield* runs.attachments("r-1"))[0]?.sizeBytes, 5)
      assert.deepStrictEqual(yield* requests, [
        "GET /sessions",
        "GET /sessions/s%2F1",
        "GET /sessions/s-1/queue",
        "DELETE /sessions/s-1/queue/3",
        "POST /sessions/s-1/purge",
        "GET /runs/r-1/attachments"
      ])
    }).pipe(Effect.provide(layer()))
  )
})

describe("Sessions.purge", () => {
  const lost: Answer = (response) => response.destroy()
  const gone = { status: 404, json: { detail: "Session not found" } }

  it.live("succeeds if the first request has purged the session, and its response was lost", () =>
    Effect.gen(function* () {
      yield* answering(lost, gone)
      assert.isUndefined(yield* Sessions.use((sessions) => sessions.purge("s-1")))
      assert.deepStrictEqual(yield* requests, Array(2).fill("POST /sessions/s-1/purge"))
    }).pipe(Effect.provide(layer()))
  )

  it.live.each([
    ["429", { status: 429, headers: { "retry-after": "0" }, json: { detail: "Slow down" } }],
    ["503", { status: 503, json: { detail: "Unavailable" } }]
  ] as ReadonlyArray<[string, Answer]>)(
    "fails for an unknown session after a %s, which purged nothing",
    ([, refused]) =>
      Effect.gen(function* () {
        yield* answering(refused, gone)
        const error = yield* Effect.flip(Sessions.use((sessions) => sessions.purge("s-1")))
        assert.strictEqual(error._tag, "SessionNotFoundError")
        assert.lengthOf(yield* requests, 2)
      }).pipe(Effect.provide(layer()))
  )

  it.live("succeeds if a response was lost before a refusal", () =>
    Effect.gen(function* () {
      yield* answering(lost, { status: 503 }, gone)
      assert.isUndefined(yield* Sessions.use((sessions) => sessions.purge("s-1")))
    }).pipe(Effect.provide(layer()))
  )

  it.live("fails if the service doesn't find the session at first", () =>
    Effect.gen(function* () {
      yield* answering(gone)
      const error = yield* Effect.flip(Sessions.use((sessions) => sessions.purge("s-1")))
      assert.strictEqual(error._tag, "SessionNotFoundError")
      assert.lengthOf(yield* requests, 1)
    }).pipe(Effect.provide(layer()))
  )

  it.live("makes a 404 of its runs final at once, and not one of other runs", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      let created = 0
      server.script = ({ method, url }) => {
        if (url.endsWith("/purge")) return { status: 204 }
        if (method === "POST") return { json: { id: `r-${++created}`, sessionId: `s-${created}`, status: "queued" } }
        return { status: 404, json: { detail: "Run not found" } }
      }
      const [runs, sessions] = [yield* Runs, yield* Sessions]
      yield* runs.create({ task: "t" })
      yield* runs.create({ task: "t" })
      yield* sessions.purge("s-1")
      assert.strictEqual((yield* Effect.flip(runs.status("r-1")))._tag, "RunNotFoundError")
      assert.strictEqual((yield* Effect.flip(runs.untilTerminal("r-1")))._tag, "RunNotFoundError")
      assert.lengthOf(
        (yield* requests).filter((request) => request === "GET /runs/r-1/status"),
        2
      )
      yield* Effect.timeoutOption(runs.status("r-2"), "800 millis")
      assert.lengthOf(
        (yield* requests).filter((request) => request === "GET /runs/r-2/status"),
        2
      )
    }).pipe(Effect.provide(layer()))
  )
})

describe("Sessions.removeMessage", () => {
  const lost: Answer = (response) => response.destroy()
  const gone = { status: 404, json: { detail: "Message not found" } }
  const refused = { status: 409, json: { detail: "The message is cancelled" } }
  const remove = Effect.flatMap(Sessions, (sessions) => sessions.removeMessage("s-1", 3))

  it.live("succeeds if the first request has removed the message, and its response was lost", () =>
    Effect.gen(function* () {
      yield* answering(lost, gone)
      assert.deepStrictEqual(yield* remove, {})
      assert.deepStrictEqual(yield* requests, Array(2).fill("DELETE /sessions/s-1/queue/3"))
    }).pipe(Effect.provide(layer()))
  )

  it.live("reads the message if a repeated request is refused", () =>
    Effect.gen(function* () {
      yield* answering(lost, refused, { json: { id: 3, status: "cancelled" } })
      assert.strictEqual((yield* remove).status, "cancelled")
    }).pipe(Effect.provide(layer()))
  )

  it.live.each([
    ["an unknown message", [gone], "MessageNotFoundError"],
    ["an unknown message after a refusal", [{ status: 503 }, gone], "MessageNotFoundError"],
    ["a message that isn't pending", [refused], "ConflictError"],
    ["a running message, even repeated", [lost, refused, { json: { id: 3, status: "consumed" } }], "ConflictError"],
    ["a refused repetition whose message is gone", [lost, refused, gone], "ConflictError"],
    ["a refused repetition whose message can't be read", [lost, refused, { status: 401 }], "ConflictError"],
    ["a missing operation, even repeated", [lost, { status: 404, text: "<html>404" }], "OperationUnavailableError"],
    ["another path, even repeated", [lost, { status: 404, json: { detail: "Not Found" } }], "OperationUnavailableError"]
  ] as ReadonlyArray<[string, ReadonlyArray<Answer>, string]>)("fails for %s", ([, answers, tag]) =>
    Effect.gen(function* () {
      yield* answering(...answers)
      assert.strictEqual((yield* Effect.flip(remove))._tag, tag)
    }).pipe(Effect.provide(layer()))
  )
})

describe("Runs.create with a sessionId", () => {
  it.live("sends the session and the options, and fails for a session that is unknown or stopped", () =>
    Effect.gen(function* () {
      const server = yield* answering(
        { status: 201, json: { id: "r-1" } },
        { status: 404, json: { detail: "Session not found" } },
        { status: 409, json: { detail: "The session is stopped" } }
      )
      const runs = yield* Runs
      const input = { task: "t", sessionId: "s-1", model: "m", maxCostUsd: 0.5, browserSettings: { record: true } }
      assert.strictEqual((yield* runs.create(input)).id, "r-1")
      assert.deepStrictEqual(JSON.parse(server.requests[0]?.body ?? ""), input)
      assert.strictEqual((yield* Effect.flip(runs.create(input)))._tag, "SessionNotFoundError")
      const more = { extraBody: { sessionId: "s-1" } }
      assert.strictEqual((yield* Effect.flip(runs.create({ task: "t" }, more)))._tag, "ConflictError")
    }).pipe(Effect.provide(layer()))
  )

  it.live("doesn't treat a 404 as a missing session without one", () =>
    Effect.gen(function* () {
      yield* answering({ status: 404, json: { detail: "Session not found" } })
      const runs = yield* Runs
      assert.strictEqual((yield* Effect.flip(runs.create({ task: "t" })))._tag, "TransportError")
    }).pipe(Effect.provide(layer()))
  )
})

describe("Runs.cancel", () => {
  it.live("is repeated after a lost response, and carries no idempotency key", () =>
    Effect.gen(function* () {
      const server = yield* answering((response) => response.destroy(), { status: 503 }, { json: run("r-1") })
      const runs = yield* Runs
      assert.strictEqual((yield* runs.cancel("r-1")).id, "r-1")
      assert.deepStrictEqual(
        server.requests.map(({ headers, method, url }) => [method, url, headers["idempotency-key"]]),
        Array.from({ length: 3 }, () => ["POST", "/api/v4/runs/r-1/cancel", undefined])
      )
    }).pipe(Effect.provide(layer()))
  )

  it.live("reads the run if the response to the cancel isn't one", () =>
    Effect.gen(function* () {
      yield* answering({ json: { ok: true } }, { json: run("r-1", { status: "cancelled" }) })
      const runs = yield* Runs
      assert.strictEqual((yield* runs.cancel("r-1")).status, "cancelled")
      assert.deepStrictEqual(yield* requests, ["POST /runs/r-1/cancel", "GET /runs/r-1"])
    }).pipe(Effect.provide(layer()))
  )

  it.live.each([
    [404, { detail: "Run not found" }, "RunNotFoundError"],
    [404, { detail: "Not Found" }, "OperationUnavailableError"],
    [404, undefined, "OperationUnavailableError"],
    [405, { detail: "Method Not Allowed" }, "OperationUnavailableError"],
    [401, { detail: "Not found" }, "UnauthorizedError"]
  ] as const)("distinguishes an unknown run from a missing operation: %i %j is %s", ([status, json, tag]) =>
    Effect.gen(function* () {
      yield* answering(json === undefined ? { status, text: "<html>404" } : { status, json })
      const runs = yield* Runs
      const error = yield* Effect.flip(runs.cancel("r-1"))
      assert.strictEqual(error._tag, tag)
      if (error._tag !== "OperationUnavailableError") return
      assert.deepStrictEqual([error.operation, error.status], ["POST /runs/{run_id}/cancel", status])
      assert.match(error.message, /\/runs\/r-1\/cancel: this service doesn't offer POST \/runs\/\{run_id\}\/cancel \(/u)
    }).pipe(Effect.provide(layer()))
  )
})

/** A service whose run runs until it's cancelled. */
const endless = Effect.map(ScriptedServer, (server) => {
  let status = "running"
  server.script = ({ method, url }) => {
    if (url.endsWith("/cancel")) status = "cancelled"
    return method === "POST" && !url.endsWith("/cancel")
      ? { status: 201, json: { id: "r-1" } }
      : { json: run("r-1", { status }) }
  }
  return server
})

const cancels = Effect.map(requests, (all) => all.filter((request) => request.endsWith("/cancel")))

describe("a wait that ends first", () => {
  it.live("cancels its run with onEnd, and returns it instead of failing", () =>
    Effect.gen(function* () {
      yield* endless
      const runs = yield* Runs
      const wait = runs.createAndWait({ task: "t" }, { timeout: "20 millis", onEnd: "cancel" })
      assert.strictEqual((yield* wait).status, "cancelled")
      assert.lengthOf(yield* cancels, 1)
    }).pipe(Effect.provide(layer()))
  )

  it.live("cancels its run with onEnd, even one that another process has created", () =>
    Effect.gen(function* () {
      yield* endless
      const runs = yield* Runs
      assert.strictEqual(
        (yield* runs.untilTerminal("r-1", { timeout: "20 millis", onEnd: "cancel" })).status,
        "cancelled"
      )
    }).pipe(Effect.provide(layer()))
  )

  it.live("fails with its timeout if it cancels a run that needs a result", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      const options = { timeout: "20 millis", onEnd: "cancel", result: Schema.String } as const
      for (const wait of [runs.createAndWait({ task: "t" }, options), runs.untilTerminal("r-1", options)]) {
        yield* endless
        const error = yield* Effect.flip(wait)
        assert.deepInclude(error, { _tag: "WaitTimeoutError", id: "r-1", isCancelled: true })
        assert.match(error.message, / after \d+ms and \d+ polls?\. It was cancelled\./u)
      }
      // cancelled by someone else, within the timeout
      const server = yield* ScriptedServer
      server.script = () => ({ json: run("r-1", { status: "cancelled" }) })
      const { _tag } = yield* Effect.flip(runs.untilTerminal("r-1", { ...options, timeout: "1 minute" }))
      assert.strictEqual(_tag, "RunCancelledError")
    }).pipe(Effect.provide(layer()))
  )

  it.live("leaves its run with onAbort at a timeout, and cancels it when it's interrupted", () =>
    Effect.gen(function* () {
      const server = yield* endless
      const runs = yield* Runs
      const create = runs.createAndWait({ task: "t" }, { timeout: "20 millis", onAbort: "cancel" })
      assert.strictEqual((yield* Effect.flip(create))._tag, "WaitTimeoutError")
      assert.lengthOf(yield* cancels, 0)
      const fiber = yield* Effect.forkChild(runs.createAndWait({ task: "t" }, { onAbort: "cancel" }))
      const before = server.requests.length
      while (server.requests.length < before + 3) yield* Effect.sleep("2 millis")
      yield* Fiber.interrupt(fiber)
      assert.lengthOf(yield* cancels, 1)
    }).pipe(Effect.provide(layer()))
  )

  it.live("warns if its run can't be cancelled, and keeps its own error", () => {
    const { layerLogger, warnings } = warned()
    return Effect.gen(function* () {
      const server = yield* endless
      const { script } = server
      server.script = (received, count) =>
        received.url.endsWith("/cancel") ? { status: 405 } : script(received, count)
      const runs = yield* Runs
      const wait = runs.createAndWait({ task: "t" }, { timeout: "20 millis", onEnd: "cancel" })
      assert.strictEqual((yield* Effect.flip(wait))._tag, "WaitTimeoutError")
      assert.deepStrictEqual(warnings, ["Warn The run r-1 could not be cancelled: it may continue and cost money"])
    }).pipe(Effect.provide(layer()), Effect.provide(layerLogger))
  })

  it.live("refuses a misspelled action before anything is sent", () =>
    Effect.gen(function* () {
      const server = yield* endless
      const runs = yield* Runs
      const onEnd = "cancle" as "cancel"
      for (const wait of [runs.createAndWait({ task: "t" }, { onEnd }), runs.untilTerminal("r-1", { onEnd })]) {
        const exit = yield* Effect.exit<unknown, unknown, never>(wait)
        assert.include(String(exit), 'onEnd must be "cancel" or "continue"; got "cancle".')
      }
      assert.lengthOf(server.requests, 0)
    }).pipe(Effect.provide(layer()))
  )

  it.live("reports each new status to onStatus", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      const statuses = ["queued", "running", "running", "completed"]
      let polls = 0
      server.script = ({ method, url }) =>
        method === "POST"
          ? { status: 201, json: { id: "r-1" } }
          : { json: run("r-1", { status: url.endsWith("/status") ? statuses[Math.min(polls++, 3)] : "completed" }) }
      const runs = yield* Runs
      const seen: Array<string> = []
      yield* runs.createAndWait({ task: "t" }, { onStatus: ({ status }) => Effect.sync(() => seen.push(status)) })
      assert.deepStrictEqual(seen, ["queued", "running", "completed"])
    }).pipe(Effect.provide(layer()))
  )
})
