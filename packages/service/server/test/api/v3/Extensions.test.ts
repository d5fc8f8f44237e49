import { assert, layer } from "@effect/vitest"
import { MemoryStore } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { poll, send } from "../../http/send.ts"
import { layerOver, layerTest } from "../../http/served.ts"

type Item = Readonly<Record<string, unknown>>

const unknown = "00000000-0000-4000-8000-00000000ffff"

/** A task "wait" runs until it's cancelled; all others take two steps and repeat their text. */
const served = layerOver(MemoryStore.layer, {
  keepsFiles: true,
  perform: ({ task }, { step, stepEnded }) => {
    const started = Stream.make({ _tag: "Started" } as const)
    if (task === "wait") return Stream.concat(started, Stream.fromEffect(Effect.never))
    const one = (summary: string) =>
      Effect.andThen(step({ summary, address: "https://shop.example/", picture: null }), stepEnded(null))
    const completed = { _tag: "Completed", report: { output: { task }, cost: "0.5" } } as const
    return Stream.concat(started, Stream.fromEffect(Effect.as(Effect.andThen(one("Look"), one("Buy")), completed)))
  }
})

const create = (task: string) => Effect.map(send("POST", "/api/v3/sessions", { body: { task } }), ({ body }) => body)

const settled = (id: unknown, status: string) =>
  poll(`/api/v3/sessions/${String(id)}`, (body) => body["status"] === status)

const say = (id: unknown, text: string) =>
  send("POST", `/api/v4/sessions/${String(id)}/queue`, { body: { text, interrupt: false } })

const items = (body: Item, name = "items") => body[name] as ReadonlyArray<Item>

layer(served, { excludeTestServices: true })("v3 sessions", (it) => {
  it.effect("have the fields that published clients read", () =>
    Effect.gen(function* () {
      const { id } = yield* create("mug")
      const { body } = yield* settled(id, "idle")
      assert.deepInclude(body, {
        output: { task: "mug" },
        result: { task: "mug" },
        isTaskSuccessful: true,
        model: "test",
        title: "mug",
        stepCount: 2,
        recordingUrls: [],
        cost: "0.5",
        llmCostUsd: "0.5",
        browserCostUsd: "0",
        totalCostUsd: "0.5",
        totalInputTokens: 0
      })
    })
  )

  it.effect("are listed by page number, newest first", () =>
    Effect.gen(function* () {
      const older = yield* create("one")
      const newer = yield* create("two")
      const list = (query: string) => Effect.map(send("GET", `/api/v3/sessions${query}`), ({ body }) => body)
      const first = yield* list("?page_size=1")
      assert.deepStrictEqual(
        [items(first, "sessions")[0]?.["id"], first["page"], first["pageSize"]],
        [newer["id"], 1, 1]
      )
      assert.deepStrictEqual(items(yield* list("?page=2&page_size=1"), "sessions")[0]?.["id"], older["id"])
      assert.strictEqual(first["total"], items(yield* list(""), "sessions").length)
      assert.strictEqual((yield* send("GET", "/api/v3/sessions?page_size=101")).status, 422)
      const far = yield* send("GET", "/api/v3/sessions?page=1000000")
      assert.deepInclude(items(far.body, "detail")[0], { loc: ["query", "page"] })
    })
  )

  it.effect("can be stopped, and continued if the strategy is task", () =>
    Effect.gen(function* () {
      const { id } = yield* create("wait")
      const path = `/api/v3/sessions/${String(id)}`
      yield* settled(id, "running")
      yield* say(id, "wait")
      const kept = yield* send("POST", `${path}/stop`, { body: { strategy: "task" } })
      assert.strictEqual(kept.status, 200)
      yield* settled(id, "idle")
      yield* say(id, "mug")
      yield* poll(path, (body) => (body["output"] as Item | null)?.["task"] === "mug")
      assert.propertyVal((yield* send("POST", `${path}/stop`)).body, "status", "stopped")
      assert.strictEqual((yield* say(id, "late")).status, 409)
      assert.strictEqual((yield* send("POST", `${path}/stop`, { body: { strategy: "now" } })).status, 422)
      assert.strictEqual((yield* send("POST", `/api/v3/sessions/${unknown}/stop`)).status, 404)
    })
  )

  it.effect("add a task to the session with the given sessionId", () =>
    Effect.gen(function* () {
      const { id } = yield* create("wait")
      const path = `/api/v3/sessions/${String(id)}`
      const next = (body: Item) => send("POST", "/api/v3/sessions", { body: { task: "mug", ...body } })
      const followed = yield* next({ sessionId: String(id).toUpperCase(), maxCostUsd: 2 })
      assert.deepStrictEqual([followed.status, followed.body["id"], followed.body["maxCostUsd"]], [201, id, "2"])
      yield* send("POST", `${path}/stop`, { body: { strategy: "task" } })
      assert.propertyVal((yield* send("GET", `/api/v2/sessions/${String(id)}`)).body, "status", "active")
      yield* send("POST", `${path}/stop`)
      const late = yield* next({ sessionId: id })
      assert.deepStrictEqual([late.status, late.body], [409, { detail: "Session is stopped" }])
      const missing = yield* next({ sessionId: unknown })
      assert.deepStrictEqual([missing.status, missing.body], [404, { detail: "Session not found" }])
      assert.strictEqual((yield* next({ sessionId: 1 })).status, 422)
      assert.strictEqual((yield* next({ sessionId: id, enableRecording: true })).status, 422)
    })
  )

  it.effect("return 422 with the reason for options that can't be honored", () =>
    Effect.gen(function* () {
      for (const [field, value] of [
        ["profileId", unknown],
        ["workspaceId", unknown],
        ["sensitiveData", { password: "x" }],
        ["agentmail", true],
        ["model", "another"],
        ["maxCostUsd", "much"]
      ] as const) {
        const { body, status } = yield* send("POST", "/api/v3/sessions", { body: { task: "t", [field]: value } })
        assert.strictEqual(status, 422, field)
        assert.deepInclude(items(body, "detail")[0], { loc: ["body", field] }, field)
      }
      const harmless = { agentmail: false, model: "test", keepAlive: true, skills: true, autoHeal: true }
      assert.strictEqual((yield* send("POST", "/api/v3/sessions", { body: { task: "t", ...harmless } })).status, 201)
    })
  )

  it.effect("can be deleted while they are running", () =>
    Effect.gen(function* () {
      const { id } = yield* create("wait")
      const path = `/api/v3/sessions/${String(id)}`
      yield* settled(id, "running")
      assert.strictEqual((yield* send("DELETE", path)).status, 204)
      for (const gone of [yield* send("GET", path), yield* send("DELETE", path)]) {
        assert.deepStrictEqual([gone.status, gone.body], [404, { detail: "Session not found" }])
      }
    })
  )

  it.effect("have messages for the task, steps and outcome, in both directions", () =>
    Effect.gen(function* () {
      const { id } = yield* create("one")
      const path = `/api/v3/sessions/${String(id)}/messages`
      yield* settled(id, "idle")
      yield* say(id, "two")
      yield* poll(`/api/v3/sessions/${String(id)}`, (body) => (body["output"] as Item | null)?.["task"] === "two")
      const read = (query: string) => Effect.map(send("GET", `${path}${query}`), ({ body }) => body)
      const all = items(yield* read(""), "messages")
      const said = ["user one", "ai Look", "ai Buy", 'ai {"task":"one"}', "user two", "ai Look", "ai Buy"]
      assert.deepStrictEqual(
        all.map(({ role, summary }) => `${String(role)} ${String(summary)}`),
        [...said, 'ai {"task":"two"}']
      )
      assert.deepStrictEqual(JSON.parse(String(all[0]?.["data"])), { text: "one" })
      assert.deepInclude(JSON.parse(String(all[1]?.["data"])), { url: "https://shop.example/", failure: null })
      assert.deepInclude(JSON.parse(String(all[3]?.["data"])), { status: "completed", output: { task: "one" } })
      const ids = all.map((message) => message["id"])
      assert.strictEqual(new Set(ids).size, 8)
      assert.isTrue(ids.every((each) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u.test(String(each))))
      const page = (query: string) =>
        Effect.map(read(query), (body) => [items(body, "messages").map((message) => message["id"]), body["hasMore"]])
      assert.deepStrictEqual(yield* page("?limit=3"), [ids.slice(0, 3), true])
      assert.deepStrictEqual(yield* page(`?limit=3&after=${String(ids[2])}`), [ids.slice(3, 6), true])
      assert.deepStrictEqual(yield* page(`?limit=3&after=${String(ids[5])}`), [ids.slice(6), false])
      assert.deepStrictEqual(yield* page(`?limit=3&before=${String(ids[6])}`), [ids.slice(3, 6), true])
      assert.deepStrictEqual(yield* page(`?limit=9&before=${String(ids[2])}`), [ids.slice(0, 2), false])
      const other = yield* create("one")
      const foreign = yield* send("GET", `/api/v3/sessions/${String(other["id"])}/messages?after=${String(ids[0])}`)
      assert.deepStrictEqual(
        [foreign.status, foreign.body],
        [400, { detail: "The session has no message with this id" }]
      )
      assert.strictEqual((yield* send("GET", `${path}?limit=101`)).status, 422)
      assert.strictEqual((yield* send("GET", `/api/v3/sessions/${unknown}/messages`)).status, 404)
    })
  )

  it.effect("show no messages for a waiting task before it starts", () =>
    Effect.gen(function* () {
      const { id } = yield* create("wait")
      yield* settled(id, "running")
      yield* say(id, "two")
      const { body } = yield* send("GET", `/api/v3/sessions/${String(id)}/messages`)
      assert.deepStrictEqual(
        items(body, "messages").map(({ summary }) => summary),
        ["wait"]
      )
      yield* send("DELETE", `/api/v3/sessions/${String(id)}`)
    })
  )
})

layer(served, { excludeTestServices: true })("v3 browsers", (it) => {
  it.effect("are created, listed, read and stopped", () =>
    Effect.gen(function* () {
      const made = yield* send("POST", "/api/v3/browsers", { body: { proxyCountryCode: "de" } })
      assert.strictEqual(made.status, 201)
      const path = `/api/v3/browsers/${String(made.body["id"])}`
      assert.match(String(made.body["cdpUrl"]), /^ws:/u)
      assert.deepInclude((yield* send("GET", path)).body, { id: made.body["id"], status: "active" })
      const second = yield* send("POST", "/api/v3/browsers")
      const list = (query: string) => Effect.map(send("GET", `/api/v3/browsers${query}`), ({ body }) => body)
      const first = yield* list("?pageSize=1")
      assert.deepInclude(first, { totalItems: 2, pageNumber: 1, pageSize: 1 })
      assert.propertyVal(items(first)[0], "id", second.body["id"])
      const stopped = yield* send("PATCH", path, { body: { action: "stop" } })
      assert.deepInclude(stopped.body, { status: "stopped", cdpUrl: null })
      const over = yield* list("?filterBy=stopped")
      assert.strictEqual(over["totalItems"], 1)
      assert.deepInclude(items(over)[0], { id: made.body["id"], cdpUrl: null })
      assert.strictEqual((yield* list("?filterBy=active"))["totalItems"], 1)
      assert.strictEqual((yield* list(`?agentSessionId=${unknown}`))["totalItems"], 0)
      const filtered = yield* send("GET", "/api/v3/browsers?metadata=team:travel")
      assert.strictEqual(filtered.status, 422)
      assert.include(JSON.stringify(filtered.body), "doesn't filter browsers by metadata")
      const downloads = yield* send("GET", `${path}/downloads`)
      assert.deepStrictEqual(downloads.body, { files: [], nextCursor: null, hasMore: false })
    })
  )

  it.effect("return 404 for an unknown browser, and 422 for a country without a proxy", () =>
    Effect.gen(function* () {
      for (const [method, path, body] of [
        ["GET", "", undefined],
        ["PATCH", "", { action: "stop" }],
        ["GET", "/downloads", undefined]
      ] as const) {
        const answer = yield* send(method, `/api/v3/browsers/${unknown}${path}`, { body })
        assert.deepStrictEqual([answer.status, answer.body], [404, { detail: "Browser not found" }])
      }
      assert.strictEqual((yield* send("POST", "/api/v3/browsers", { body: { proxyCountryCode: "FR" } })).status, 422)
    })
  )
})

layer(served, { excludeTestServices: true })("v3 profiles", (it) => {
  it.effect("are created, found by name, changed and deleted", () =>
    Effect.gen(function* () {
      const made = yield* send("POST", "/api/v3/profiles", { body: { name: "Work", userId: "u-1" } })
      assert.strictEqual(made.status, 201)
      assert.deepInclude(made.body, { name: "Work", userId: "u-1", lastUsedAt: null, cookieDomains: null })
      yield* send("POST", "/api/v3/profiles")
      const path = `/api/v3/profiles/${String(made.body["id"])}`
      assert.deepStrictEqual((yield* send("GET", path)).body, made.body)
      const found = yield* send("GET", "/api/v3/profiles?query=wor&page=1&page_size=1")
      assert.deepInclude(found.body, { items: [made.body], totalItems: 1, pageNumber: 1, pageSize: 1 })
      assert.propertyVal((yield* send("GET", "/api/v3/profiles")).body, "totalItems", 2)
      const renamed = yield* send("PATCH", path, { body: { name: null } })
      assert.deepInclude(renamed.body, { name: null, userId: "u-1" })
      assert.strictEqual((yield* send("DELETE", path)).status, 204)
      for (const gone of [yield* send("GET", path), yield* send("PATCH", path), yield* send("DELETE", path)]) {
        assert.deepStrictEqual([gone.status, gone.body], [404, { detail: "Profile not found" }])
      }
      assert.strictEqual((yield* send("POST", "/api/v3/profiles", { body: { name: "x".repeat(256) } })).status, 422)
    })
  )

  it.effect("are next to an account that shows the key's usage", () =>
    Effect.gen(function* () {
      const { id } = yield* create("mug")
      yield* settled(id, "idle")
      const { body, status } = yield* send("GET", "/api/v3/billing/account")
      assert.strictEqual(status, 200)
      assert.deepInclude(body, { usedTodayUsd: 0.5, totalCreditsBalanceUsd: null, rateLimit: null, maxRuns: null })
      assert.deepInclude(body["planInfo"], { planName: "none", subscriptionStatus: null })
    })
  )
})

layer(layerTest, { excludeTestServices: true })("a server without profiles and workspaces", (it) => {
  it.effect("returns 404 as for an unknown path", () =>
    Effect.gen(function* () {
      for (const [method, path] of [
        ["GET", "/profiles"],
        ["POST", "/profiles"],
        ["GET", `/profiles/${unknown}`],
        ["POST", "/workspaces"],
        ["GET", `/workspaces/${unknown}/files`],
        ["DELETE", `/workspaces/${unknown}`]
      ] as const) {
        const answer = yield* send(method, `/api/v3${path}`)
        assert.deepStrictEqual([answer.status, answer.body], [404, { detail: "Not Found" }], path)
      }
    })
  )
})
