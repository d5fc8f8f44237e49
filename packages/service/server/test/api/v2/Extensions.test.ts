import { assert, layer } from "@effect/vitest"
import { MemoryStore } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { poll, send } from "../../http/send.ts"
import { layerOver } from "../../http/served.ts"

const unknown = "00000000-0000-4000-8000-00000000ffff"

/** A task "wait" runs until it's cancelled, "step" takes a step, "fail" fails; all others repeat their text. */
const served = layerOver(MemoryStore.layer, {
  perform: ({ task }, { step, stepEnded }) => {
    const started = Stream.make({ _tag: "Started" } as const)
    if (task === "wait") return Stream.concat(started, Stream.fromEffect(Effect.never))
    if (task === "fail") return Stream.concat(started, Stream.make({ _tag: "Failed", error: "no mug" } as const))
    const click = {
      summary: "Click Buy",
      address: "https://shop.example/",
      picture: null,
      tool: "click",
      role: "button"
    }
    const work = task === "step" ? Effect.andThen(step(click), stepEnded(null)) : Effect.void
    const completed = { _tag: "Completed", report: { output: task, isSuccess: true } } as const
    return Stream.concat(started, Stream.fromEffect(Effect.as(work, completed)))
  }
})

const create = (body: object) => send("POST", "/api/v2/tasks", { body })

const settled = (id: unknown, status: string) =>
  poll(`/api/v2/tasks/${String(id)}/status`, (body) => body["status"] === status)

/** A session whose task is running. */
const busy = Effect.gen(function* () {
  const { body } = yield* create({ task: "wait" })
  yield* settled(body["id"], "started")
  return { task: String(body["id"]), session: String(body["sessionId"]) }
})

layer(served, { excludeTestServices: true })("v2 extensions", (it) => {
  it.effect("creates, polls and reads a task with its steps", () =>
    Effect.gen(function* () {
      const created = yield* create({ task: "step" })
      const { id, sessionId } = created.body
      assert.deepStrictEqual([created.status, created.body], [201, { id, sessionId }])
      const status = yield* settled(String(id).toUpperCase(), "finished")
      assert.deepInclude(status.body, { id, status: "finished", output: "step", isSuccess: true })
      const { body } = yield* send("GET", `/api/v2/tasks/${String(id)}`)
      assert.deepInclude(body, { id, sessionId, task: "step", outputFiles: [] })
      const [first, ...others] = body["steps"] as ReadonlyArray<Record<string, unknown>>
      assert.deepStrictEqual(others, [])
      assert.deepInclude(first, {
        number: 1,
        nextGoal: "Click Buy",
        url: "https://shop.example/",
        screenshotUrl: null,
        actions: ['{"click":{"role":"button","name":null,"value":null}}']
      })
    })
  )

  it.effect("runs a task in the session that it names, unless the session is unknown or stopped", () =>
    Effect.gen(function* () {
      const { session, task } = yield* busy
      const second = yield* create({ task: "next", sessionId: session.toUpperCase() })
      assert.deepInclude(second.body, { sessionId: session })
      assert.propertyVal((yield* settled(second.body["id"], "created")).body, "status", "created")
      const stopped = yield* send("PATCH", `/api/v2/tasks/${task}`, { body: { action: "stop" } })
      assert.deepInclude(stopped.body, { id: task, status: "stopped" })
      yield* settled(second.body["id"], "finished")
      yield* send("PATCH", `/api/v2/sessions/${session}`, { body: { action: "stop" } })
      const refused = yield* create({ task: "late", sessionId: session })
      assert.deepStrictEqual([refused.status, refused.body], [409, { detail: "Session is stopped" }])
      const missing = yield* create({ task: "late", sessionId: unknown })
      assert.deepStrictEqual([missing.status, missing.body], [404, { detail: "Session not found" }])
    })
  )

  it.effect("returns the same session when a create is repeated with its Idempotency-Key", () =>
    Effect.gen(function* () {
      const open = (key: string, body: object = {}) =>
        send("POST", "/api/v2/sessions", { body, headers: { "idempotency-key": key } })
      const first = yield* open("once")
      const repeat = yield* open("once")
      assert.deepStrictEqual([first.status, repeat.status, repeat.body], [201, 201, first.body])
      assert.strictEqual(repeat.headers.get("idempotency-replayed"), "true")
      assert.notStrictEqual((yield* open("another")).body["id"], first.body["id"])
      assert.strictEqual((yield* open("once", { keepAlive: false })).status, 422)
      assert.strictEqual((yield* open("")).status, 422)
    })
  )

  it.effect("returns 422 for metadata of a task, because the server doesn't store it", () =>
    Effect.gen(function* () {
      const refused = yield* create({ task: "t", metadata: { order: "7" } })
      assert.strictEqual(refused.status, 422)
      assert.nestedPropertyVal(refused.body, "detail[0].loc[1]", "metadata")
      assert.strictEqual((yield* create({ task: "t", metadata: {} })).status, 201)
    })
  )

  it.effect("returns 422 with the reason for options that can't be honored, and accepts harmless values", () =>
    Effect.gen(function* () {
      for (const [field, value] of [
        ["startUrl", "https://shop.example"],
        ["llm", "another"],
        ["secrets", { password: "x" }],
        ["judge", true],
        ["maxSteps", 5],
        ["structuredOutput", "no JSON"],
        ["structuredOutput", '{"type":"strng"}'],
        ["sessionSettings", "none"]
      ] as const) {
        const { body, status } = yield* create({ task: "t", [field]: value })
        assert.strictEqual(status, 422, field)
        assert.deepInclude((body["detail"] as ReadonlyArray<object>)[0], { loc: ["body", field] }, field)
      }
      const nested = yield* create({ task: "t", sessionSettings: { proxyCountryCode: "de" } })
      assert.deepInclude((nested.body["detail"] as ReadonlyArray<object>)[0], {
        loc: ["body", "sessionSettings", "proxyCountryCode"]
      })
      const harmless = {
        llm: "test",
        judge: false,
        vision: true,
        secrets: null,
        allowedDomains: [],
        structuredOutput: '{"type":"object"}'
      }
      assert.strictEqual((yield* create({ task: "t", ...harmless })).status, 201)
    })
  )

  it.effect("stop_task_and_session also stops the session", () =>
    Effect.gen(function* () {
      const { session, task } = yield* busy
      const { body } = yield* send("PATCH", `/api/v2/tasks/${task}`, { body: { action: "stop_task_and_session" } })
      assert.deepInclude(body, { id: task, status: "stopped" })
      assert.propertyVal((yield* send("GET", `/api/v2/sessions/${session}`)).body, "status", "stopped")
      const wrong = yield* send("PATCH", `/api/v2/tasks/${task}`, { body: { action: "pause" } })
      assert.strictEqual(wrong.status, 422)
    })
  )

  it.effect("returns 404 for an unknown task, and 422 for an id that isn't a UUID", () =>
    Effect.gen(function* () {
      for (const [method, path, body] of [
        ["GET", "", undefined],
        ["GET", "/status", undefined],
        ["PATCH", "", { action: "stop" }]
      ] as const) {
        const answer = yield* send(method, `/api/v2/tasks/${unknown}${path}`, { body })
        assert.deepStrictEqual([answer.status, answer.body], [404, { detail: "Task not found" }])
        assert.strictEqual((yield* send(method, `/api/v2/tasks/x${path}`, { body })).status, 422)
      }
    })
  )

  it.effect("creates a session without a task, stops it, and deletes it with its open tasks", () =>
    Effect.gen(function* () {
      const { body, status } = yield* send("POST", "/api/v2/sessions", { body: { persistMemory: false } })
      assert.strictEqual(status, 201)
      assert.deepInclude(body, { status: "active", persistMemory: false, keepAlive: true, finishedAt: null })
      assert.notProperty(body, "tasks")
      const path = `/api/v2/sessions/${String(body["id"])}`
      assert.deepInclude((yield* send("GET", path)).body, { tasks: [], status: "active" })
      const { body: task } = yield* create({ task: "wait", sessionId: body["id"] })
      yield* settled(task["id"], "started")
      const deleted = yield* send("DELETE", path)
      assert.deepStrictEqual([deleted.status, deleted.text], [204, ""])
      for (const gone of [
        yield* send("GET", path),
        yield* send("DELETE", path),
        yield* send("POST", `${path}/purge`),
        yield* send("PATCH", path, { body: { action: "stop" } })
      ]) {
        assert.deepStrictEqual([gone.status, gone.body], [404, { detail: "Session not found" }])
      }
      assert.strictEqual((yield* send("GET", `/api/v2/tasks/${String(task["id"])}`)).status, 404)
      assert.strictEqual((yield* send("POST", "/api/v2/sessions")).status, 201)
      const refused = yield* send("POST", "/api/v2/sessions", { body: { profileId: unknown } })
      assert.strictEqual(refused.status, 422)
    })
  )

  it.effect("opens a shared session without a key until the share is deleted", () =>
    Effect.gen(function* () {
      const { body: task } = yield* create({ task: "t" })
      const path = `/api/v2/sessions/${String(task["sessionId"])}`
      const none = yield* send("GET", `${path}/public-share`)
      assert.deepStrictEqual([none.status, none.body], [404, { detail: "Public share not found" }])
      const shared = yield* send("POST", `${path}/public-share`)
      assert.strictEqual(shared.status, 201)
      assert.deepStrictEqual((yield* send("GET", `${path}/public-share`)).body, shared.body)
      const shareUrl = String(shared.body["shareUrl"])
      assert.include(shareUrl, String(shared.body["shareToken"]))
      assert.propertyVal((yield* send("GET", path)).body, "publicShareUrl", shareUrl)
      const link = new URL(shareUrl)
      const open = () => send("GET", `${link.pathname}${link.search}`, { key: null })
      assert.propertyVal((yield* open()).body, "id", task["sessionId"])
      assert.strictEqual((yield* send("DELETE", `${path}/public-share`)).status, 204)
      assert.strictEqual((yield* open()).status, 404)
      const missing = yield* send("POST", `/api/v2/sessions/${unknown}/public-share`)
      assert.deepStrictEqual([missing.status, missing.body], [404, { detail: "Session not found" }])
    })
  )
})

layer(served, { excludeTestServices: true })("v2 lists", (it) => {
  it.effect("are paged by number, newest first, with filters and totals", () =>
    Effect.gen(function* () {
      const ids: Array<unknown> = []
      for (let count = 0; count < 5; count++)
        ids.unshift((yield* create({ task: count === 2 ? "fail" : `t${count}` })).body["id"])
      for (const [index, id] of ids.entries()) yield* settled(id, index === 2 ? "failed" : "finished")
      const list = (query: string) => Effect.map(send("GET", `/api/v2/tasks${query}`), ({ body }) => body)
      const idsOf = (body: Readonly<Record<string, unknown>>) =>
        (body["items"] as ReadonlyArray<{ id: string }>).map(({ id }) => id)
      const first = yield* list("?pageSize=2")
      assert.deepStrictEqual(
        [idsOf(first), first["totalItems"], first["pageNumber"], first["pageSize"]],
        [ids.slice(0, 2), 5, 1, 2]
      )
      assert.deepStrictEqual(idsOf(yield* list("?pageSize=2&pageNumber=3")), ids.slice(4))
      assert.deepStrictEqual(idsOf(yield* list("?pageNumber=2")), [])
      const failed = yield* list("?filterBy=failed")
      assert.deepStrictEqual([idsOf(failed), failed["totalItems"]], [[ids[2]], 1])
      assert.deepStrictEqual(idsOf(yield* list("?after=2100-01-01T00:00:00Z")), [])
      assert.strictEqual(idsOf(yield* list("?before=2100-01-01T00:00:00Z")).length, 5)
      const { sessionId } = (yield* send("GET", `/api/v2/tasks/${String(ids[0])}`)).body
      assert.deepStrictEqual(idsOf(yield* list(`?sessionId=${String(sessionId)}`)), [ids[0]])
      const sessions = yield* send("GET", "/api/v2/sessions?pageSize=3&filterBy=active")
      assert.deepInclude(sessions.body, { totalItems: 5, pageNumber: 1, pageSize: 3 })
      assert.deepInclude((sessions.body["items"] as ReadonlyArray<object>)[0], { id: sessionId, status: "active" })
      assert.propertyVal((yield* send("GET", "/api/v2/sessions?filterBy=stopped")).body, "totalItems", 0)
      for (const wrong of [
        "?pageSize=0",
        "?pageSize=101",
        "?pageNumber=0",
        "?pageNumber=1e3x",
        "?pageNumber=1000000",
        "?filterBy=paused"
      ]) {
        assert.strictEqual((yield* send("GET", `/api/v2/tasks${wrong}`)).status, 422, wrong)
      }
    })
  )
})
