import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { MemoryStore } from "@webagent/engine"
import { poll, send } from "../../http/send.ts"
import { layerOver } from "../../http/served.ts"

/** A run whose task is "wait" runs until it's cancelled. */
const waits = layerOver(MemoryStore.layer, {
  perform: ({ task }) =>
    task === "wait"
      ? Stream.concat(Stream.make({ _tag: "Started" } as const), Stream.fromEffect(Effect.never))
      : Stream.make({ _tag: "Started" } as const, { _tag: "Completed", report: { output: task } } as const)
})

const create = (body: object, headers: Record<string, string> = {}) => send("POST", "/api/v4/runs", { body, headers })

const queue = (session: unknown, text: string, headers: Record<string, string> = {}) =>
  send("POST", `/api/v4/sessions/${String(session)}/queue`, { body: { text, interrupt: false }, headers })

const untilStatus = (id: unknown, status: string) =>
  poll(`/api/v4/runs/${String(id)}/status`, (body) => body["status"] === status)

/** A session whose first run is running. */
const busy = Effect.gen(function* () {
  const { body } = yield* create({ task: "wait" })
  yield* untilStatus(body["id"], "running")
  return { run: String(body["id"]), session: String(body["sessionId"]) }
})

layer(waits, { excludeTestServices: true })("v4 extensions", (it) => {
  it.effect("cancel returns the run, and doesn't change a finished one", () =>
    Effect.gen(function* () {
      const { run } = yield* busy
      const { body, status } = yield* send("POST", `/api/v4/runs/${run}/cancel`)
      assert.deepStrictEqual([status, body["id"], body["status"]], [200, run, "cancelled"])
      const again = yield* send("POST", `/api/v4/runs/${run.toUpperCase()}/cancel`)
      assert.deepStrictEqual([again.status, again.body["finishedAt"]], [200, body["finishedAt"]])
      const done = (yield* create({ task: "quick" })).body["id"]
      yield* untilStatus(done, "completed")
      assert.propertyVal((yield* send("POST", `/api/v4/runs/${String(done)}/cancel`)).body, "status", "completed")
    })
  )

  it.effect("returns an empty list of attachments for a run", () =>
    Effect.gen(function* () {
      const { body } = yield* create({ task: "quick" })
      const attached = yield* send("GET", `/api/v4/runs/${String(body["id"])}/attachments`)
      assert.deepStrictEqual([attached.status, attached.body], [200, { attachments: [] }])
    })
  )

  it.effect("adds a run to the session with the given sessionId", () =>
    Effect.gen(function* () {
      const { run, session } = yield* busy
      const next = yield* create({ task: "next", sessionId: session.toUpperCase() })
      assert.strictEqual(next.status, 201)
      assert.deepInclude(next.body, { sessionId: session, task: "next", status: "queued" })
      const info = yield* send("GET", `/api/v4/sessions/${session}`)
      assert.deepInclude(info.body, {
        sessionId: session,
        latestRunId: next.body["id"],
        task: "next",
        status: "queued"
      })
      yield* send("POST", `/api/v4/runs/${run}/cancel`)
      yield* untilStatus(next.body["id"], "completed")
    })
  )

  it.effect("returns 404 for an unknown sessionId, and 422 for one that isn't a string", () =>
    Effect.gen(function* () {
      const missing = yield* create({ task: "next", sessionId: "00000000-0000-4000-8000-00000000ffff" })
      assert.deepStrictEqual([missing.status, missing.body], [404, { detail: "Session not found" }])
      for (const sessionId of [1, "", {}]) assert.strictEqual((yield* create({ task: "next", sessionId })).status, 422)
    })
  )

  it.effect("runs messages in the order of the list, and can remove a pending one", () =>
    Effect.gen(function* () {
      const { run, session } = yield* busy
      const path = `/api/v4/sessions/${session}/queue`
      assert.deepStrictEqual((yield* send("GET", path)).body, { queue: [], steeringCutoffs: [] })
      const first = yield* queue(session, "first")
      const second = yield* queue(session, "second")
      assert.deepInclude(first.body, { id: 2, status: "pending", mode: "queue", text: "first" })
      const { body } = yield* send("GET", path)
      assert.deepStrictEqual(body["queue"], [first.body, second.body])
      assert.deepStrictEqual((yield* send("GET", `${path}/3`)).body, second.body)

      const removed = yield* send("DELETE", `${path}/2`)
      assert.deepStrictEqual([removed.status, removed.body["status"]], [200, "cancelled"])
      assert.strictEqual((yield* send("DELETE", `${path}/2`)).status, 200)
      yield* send("POST", `/api/v4/runs/${run}/cancel`)
      yield* untilStatus(second.body["runId"], "completed")
      assert.propertyVal((yield* send("GET", `${path}/3`)).body, "status", "consumed")
      const late = yield* send("DELETE", `${path}/3`)
      assert.deepStrictEqual(
        [late.status, late.body],
        [409, { detail: "The message is consumed: only a pending one can be removed" }]
      )
      // the first run of the session is no message, and neither is another spelling of a number
      for (const id of ["1", "4", "02", "2.0", "x"])
        assert.strictEqual((yield* send("GET", `${path}/${id}`)).status, 404)
    })
  )

  it.effect("doesn't remove a message whose run is running", () =>
    Effect.gen(function* () {
      const { run, session } = yield* busy
      const { body } = yield* queue(session, "wait")
      yield* send("POST", `/api/v4/runs/${run}/cancel`)
      yield* untilStatus(body["runId"], "running")
      assert.strictEqual((yield* send("DELETE", `/api/v4/sessions/${session}/queue/2`)).status, 409)
      const read = yield* send("GET", `/api/v4/runs/${String(body["runId"])}/status`)
      assert.deepStrictEqual(read.body, { status: "running" })
    })
  )

  it.effect("merges equal pending messages if the header asks for it", () =>
    Effect.gen(function* () {
      const { session } = yield* busy
      const header = { "x-v4-queue-deduplicate": "exact-text-v1" }
      const first = yield* queue(session, "same", header)
      assert.deepStrictEqual((yield* queue(session, "same", header)).body, first.body)
      assert.notStrictEqual((yield* queue(session, "other", header)).body["id"], first.body["id"])
      assert.notStrictEqual((yield* queue(session, "same")).body["id"], first.body["id"])
      const unknown = yield* queue(session, "same", { "x-v4-queue-deduplicate": "by-meaning" })
      assert.strictEqual(unknown.status, 422)
      assert.nestedPropertyVal(unknown.body, "detail[0].loc[1]", "X-V4-Queue-Deduplicate")
    })
  )

  it.effect("returns the same message for a repeat of a deduplicated message, even after it was consumed", () =>
    Effect.gen(function* () {
      const { run, session } = yield* busy
      const headers = { "x-v4-queue-deduplicate": "exact-text-v1" }
      const first = yield* queue(session, "same", headers)
      const keyed = { ...headers, "idempotency-key": "k" }
      yield* queue(session, "same", keyed)
      yield* send("POST", `/api/v4/runs/${run}/cancel`)
      yield* untilStatus(first.body["runId"], "completed")
      const repeat = yield* queue(session, "same", keyed)
      assert.deepStrictEqual(
        [repeat.body["id"], repeat.headers.get("idempotency-replayed")],
        [first.body["id"], "true"]
      )
    })
  )

  it.effect("creates a browser with metadata and a time limit", () =>
    Effect.gen(function* () {
      const { body } = yield* send("POST", "/api/v4/browsers", { body: { timeout: 5, metadata: { order: "7" } } })
      const read = (yield* send("GET", `/api/v4/browsers/${String(body["id"])}`)).body
      assert.deepStrictEqual(read, body)
      assert.deepStrictEqual(read["metadata"], { order: "7" })
      assert.strictEqual(Date.parse(String(read["timeoutAt"])) - Date.parse(String(read["startedAt"])), 300_000)
    })
  )

  it.effect("returns a browser while it's running and after it's stopped", () =>
    Effect.gen(function* () {
      const { body } = yield* send("POST", "/api/v4/browsers", { body: {} })
      const path = `/api/v4/browsers/${String(body["id"])}`
      assert.deepStrictEqual((yield* send("GET", path)).body, body)
      const stopped = yield* send("PATCH", path, { body: { action: "stop" } })
      const read = yield* send("GET", path)
      assert.deepStrictEqual([read.status, read.body], [200, stopped.body])
      assert.deepInclude(read.body, { status: "stopped", cdpUrl: null, proxyUsedMb: "0", metadata: {} })
    })
  )

  it.effect.each([
    ["/runs", { workspaceId: "w" }, "workspaceId"],
    ["/runs", { attachedFileIds: ["f"] }, "attachedFileIds"],
    ["/runs", { secretBindings: [{ alias: "a" }] }, "secretBindings"],
    ["/runs", { agentmail: true }, "agentmail"],
    ["/runs", { judge: "strict" }, "judge"],
    ["/runs", { model: "another" }, "model"],
    ["/runs", { maxCostUsd: 0 }, "maxCostUsd"],
    ["/runs", { maxCostUsd: "free" }, "maxCostUsd"],
    ["/runs", { browserSettings: { profileId: "p" } }, "browserSettings.profileId"],
    ["/runs", { browserSettings: { customProxy: { host: "h", port: 1 } } }, "browserSettings.customProxy"],
    ["/runs", { browserSettings: { proxyCountryCode: "fr" } }, "browserSettings.proxyCountryCode"],
    ["/runs", { browserSettings: { screenWidth: 80 } }, "browserSettings.screenWidth"],
    ["/browsers", { customProxy: { host: "h", port: 1 } }, "customProxy"],
    ["/browsers", { solveCaptchas: true }, "solveCaptchas"],
    ["/browsers", { pdfRendererEnabled: false }, "pdfRendererEnabled"],
    ["/browsers", { browserScreenHeight: 60 }, "browserScreenHeight"],
    ["/browsers", { profileId: "p" }, "profileId"],
    ["/browsers", { allowResizing: true }, "allowResizing"],
    ["/browsers", { timeout: 0 }, "timeout"],
    ["/browsers", { timeout: "5" }, "timeout"],
    ["/browsers", { metadata: { a: 1 } }, "metadata"],
    ["/browsers", { metadata: Object.fromEntries([..."abcdefghijk"].map((key) => [key, key])) }, "metadata"]
  ] as const)("%s with %j returns 422 with the reason", ([path, options, at]) =>
    Effect.gen(function* () {
      const { body, status } = yield* send("POST", `/api/v4${path}`, { body: { task: "t", ...options } })
      assert.strictEqual(status, 422)
      const [issue] = body["detail"] as ReadonlyArray<{ readonly loc: ReadonlyArray<string>; readonly msg: string }>
      assert.strictEqual(issue?.loc.slice(1).join("."), at)
      assert.match(issue?.msg ?? "", /leave|Expected/u)
    })
  )

  it.effect("accepts options that match the server's behavior", () =>
    Effect.gen(function* () {
      const run = {
        task: "t",
        model: "test",
        workspaceId: null,
        attachedFileIds: [],
        secretBindings: null,
        agentmail: false,
        maxCostUsd: "0.50",
        browserSettings: { proxyCountryCode: null, profileId: null, record: false }
      }
      assert.strictEqual((yield* create(run)).status, 201)
      const browser = { proxyCountryCode: null, solveCaptchas: false, pdfRendererEnabled: true, customProxy: null }
      assert.strictEqual((yield* send("POST", "/api/v4/browsers", { body: browser })).status, 201)
    })
  )

  const listed = (body: Readonly<Record<string, unknown>>, name: string) =>
    body[name] as ReadonlyArray<Readonly<Record<string, unknown>>>

  it.effect("lists each run once over all pages, newest first", () =>
    Effect.gen(function* () {
      const made: Array<unknown> = []
      for (let count = 0; count < 5; count++) made.unshift((yield* create({ task: `quick ${count}` })).body["id"])
      const walked: Array<unknown> = []
      let cursor = ""
      do {
        const { body, status } = yield* send("GET", `/api/v4/runs?limit=2${cursor}`)
        assert.strictEqual(status, 200)
        assert.strictEqual(body["hasMore"], body["nextCursor"] !== null)
        walked.push(...listed(body, "runs").map(({ id }) => id))
        cursor = body["nextCursor"] === null ? "" : `&cursor=${String(body["nextCursor"])}`
      } while (cursor !== "")
      assert.deepStrictEqual(walked.slice(0, 5), made)
      assert.lengthOf(walked, new Set(walked).size)
    })
  )

  it.effect("lists the full runs of a session", () =>
    Effect.gen(function* () {
      const { run, session } = yield* busy
      const next = (yield* create({ task: "next", sessionId: session })).body["id"]
      const { body } = yield* send("GET", `/api/v4/runs?sessionId=${session.toUpperCase()}`)
      assert.deepStrictEqual(
        listed(body, "runs").map(({ id }) => id),
        [next, run]
      )
      assert.deepStrictEqual(listed(body, "runs")[1], (yield* send("GET", `/api/v4/runs/${run}`)).body)
      assert.deepInclude(body, { nextCursor: null, hasMore: false })
      const none = yield* send("GET", "/api/v4/runs?sessionId=unknown")
      assert.deepStrictEqual(none.body, { runs: [], nextCursor: null, hasMore: false })
    })
  )

  it.effect("returns 400 for another list's cursor, and 422 for a limit outside 1 to 100", () =>
    Effect.gen(function* () {
      yield* busy
      yield* busy
      const { body } = yield* send("GET", "/api/v4/runs?limit=1")
      const cursor = String(body["nextCursor"])
      for (const path of [`/runs?sessionId=x&cursor=${cursor}`, `/sessions?cursor=${cursor}`, "/runs?cursor=x"]) {
        const refused = yield* send("GET", `/api/v4${path}`)
        assert.strictEqual(refused.status, 400, path)
        assert.match(String(refused.body["detail"]), /from its start/u)
      }
      for (const query of ["limit=0", "limit=101", "limit=x", "limit="]) {
        for (const path of ["runs", "sessions"]) {
          const refused = yield* send("GET", `/api/v4/${path}?${query}`)
          assert.strictEqual(refused.status, 422, query)
          assert.nestedPropertyVal(refused.body, "detail[0].loc[0]", "query")
        }
      }
    })
  )

  it.effect("lists sessions with their latest run", () =>
    Effect.gen(function* () {
      const { session } = yield* busy
      const next = (yield* create({ task: "next", sessionId: session })).body["id"]
      const { body } = yield* send("GET", "/api/v4/sessions?limit=1")
      assert.deepStrictEqual(listed(body, "sessions"), [(yield* send("GET", `/api/v4/sessions/${session}`)).body])
      assert.nestedPropertyVal(body, "sessions[0].latestRunId", next)
      assert.strictEqual(body["hasMore"], true)
    })
  )

  it.effect("deletes the runs of a purged session", () =>
    Effect.gen(function* () {
      const { run, session } = yield* busy
      const purged = yield* send("POST", `/api/v4/sessions/${session}/purge`)
      assert.deepStrictEqual([purged.status, purged.text], [204, ""])
      for (const path of [`sessions/${session}`, `runs/${run}`]) {
        assert.strictEqual((yield* send("GET", `/api/v4/${path}`)).status, 404, path)
      }
      const { body } = yield* send("GET", `/api/v4/runs?sessionId=${session}`)
      assert.deepStrictEqual(body["runs"], [])
      assert.strictEqual((yield* send("POST", `/api/v4/sessions/${session}/purge`)).status, 404)
    })
  )

  it.effect("lists browsers by page number", () =>
    Effect.gen(function* () {
      const made: Array<unknown> = []
      for (let count = 0; count < 3; count++) made.unshift((yield* send("POST", "/api/v4/browsers", { body: {} })).body)
      const page = (query: string) => send("GET", `/api/v4/browsers?${query}`)
      const first = (yield* page("pageSize=2")).body
      assert.deepStrictEqual([first["items"], first["pageNumber"], first["pageSize"]], [made.slice(0, 2), 1, 2])
      const second = (yield* page("pageSize=2&pageNumber=2&filterBy=active")).body
      assert.deepStrictEqual(listed(second, "items")[0], made[2])
      const total = Number(first["totalItems"])
      assert.isAtLeast(total, 3)
      const id = String(listed(first, "items")[0]?.["id"])
      yield* send("PATCH", `/api/v4/browsers/${id}`, { body: { action: "stop" } })
      const stopped = (yield* page("filterBy=stopped")).body
      assert.include(
        listed(stopped, "items").map((browser) => browser["id"]),
        id
      )
      assert.deepInclude((yield* page(`pageNumber=99`)).body, { items: [], totalItems: total, pageNumber: 99 })
      for (const query of ["pageSize=101", "pageNumber=0", "pageNumber=1000000", "filterBy=busy"]) {
        assert.strictEqual((yield* page(query)).status, 422, query)
      }
      assert.deepInclude((yield* page("agentSessionId=unknown")).body, { items: [], totalItems: 0 })
    })
  )
})
