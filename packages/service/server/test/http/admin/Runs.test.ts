import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Server } from "../../../src/Server.ts"
import { ask, layerAdmin, raw, send } from "./served.ts"

/** Repeats its task; the task `Wait` has no end, and `Fail` fails. */
const layerRuns = layerAdmin({
  perform: ({ task }) =>
    Stream.concat(
      Stream.make({ _tag: "Started" } as const),
      task.startsWith("Wait")
        ? Stream.never
        : Stream.make(
            task === "Fail"
              ? ({ _tag: "Failed", error: "No page", failure: "browser_failed" } as const)
              : ({ _tag: "Completed", report: { output: task, cost: "0.25" } } as const)
          )
    )
})

const test = (title: string, body: Effect.Effect<unknown, unknown, Server>) =>
  it.live(title, () => Effect.asVoid(body).pipe(Effect.provide(layerRuns)))

interface Issue {
  readonly loc: ReadonlyArray<string>
  readonly msg: string
}

type Row = Readonly<Record<string, unknown>>

const rowsOf = ({ body }: { readonly body: Row }) => body["rows"] as ReadonlyArray<Row>

const tasksOf = (answer: { readonly body: Row }) => rowsOf(answer).map(({ task }) => task)

/** Starts a run of a key and waits until it has a status. */
const begin = Effect.fnUntraced(function* (key: string, task: string, status = "completed") {
  const created = yield* ask(key, "POST", "/runs", { task })
  assert.strictEqual(created.status, 201)
  const id = String(created.body["id"])
  for (;;) {
    const { body } = yield* ask(key, "GET", `/runs/${id}`)
    if (body["status"] === status) return body as Row & { readonly id: string; readonly sessionId: string }
    yield* Effect.sleep("2 millis")
  }
})

describe("runs in the admin API", () => {
  test(
    "start once if a request with an idempotency key is repeated after its response was lost",
    Effect.gen(function* () {
      const start = (task: string) =>
        send("POST", "/admin/v1/runs", { key: "wak_shop", headers: { "idempotency-key": "one" }, body: { task } })
      const body = JSON.stringify({ task: "Find a mug" })
      yield* raw(
        "POST /admin/v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\n" +
          "X-Service-API-Key: wak_shop\r\nIdempotency-Key: one\r\n" +
          `Content-Length: ${body.length}\r\n\r\n${body}`
      )
      const [started, ...others] = rowsOf(yield* ask("shop", "GET", "/runs"))
      assert.deepStrictEqual([others.length, started?.["task"]], [0, "Find a mug"])
      const repeated = yield* start("Find a mug")
      assert.deepStrictEqual(
        [repeated.status, repeated.body["id"], repeated.headers.get("idempotency-replayed")],
        [201, started?.["id"], "true"]
      )
      assert.strictEqual((yield* start("Find another mug")).status, 422)
      assert.deepStrictEqual(tasksOf(yield* ask("shop", "GET", "/runs")), ["Find a mug"])
    })
  )

  test(
    "are listed for all keys to an admin, and otherwise for the caller's key, newest first",
    Effect.gen(function* () {
      yield* begin("shop", "Find a mug")
      yield* begin("blog", "Read the news")
      yield* begin("root", "Check")
      assert.deepStrictEqual(tasksOf(yield* ask("root", "GET", "/runs")), ["Check", "Read the news", "Find a mug"])
      for (const query of ["", "?key=blog", "?key=shop"]) {
        assert.deepStrictEqual(tasksOf(yield* ask("shop", "GET", `/runs${query}`)), ["Find a mug"])
      }
      assert.deepStrictEqual(tasksOf(yield* ask("root", "GET", "/runs?key=blog")), ["Read the news"])
      const { body } = yield* ask("shop", "GET", "/runs")
      assert.deepNestedPropertyVal(body, "counts.completed", { count: 1, more: false })
      assert.deepInclude(rowsOf({ body })[0], { owner: "shop", totalCostUsd: "0.25", result: "Find a mug", tags: [] })
    })
  )

  test(
    "are paged with cursors that only work for this list, these filters and this key",
    Effect.gen(function* () {
      for (const task of ["a", "b", "c"]) yield* begin("shop", task)
      const first = yield* ask("shop", "GET", "/runs?limit=2")
      assert.deepStrictEqual(tasksOf(first), ["c", "b"])
      assert.isTrue(first.body["complete"])
      const cursor = String(first.body["next"])
      const second = yield* ask("shop", "GET", `/runs?limit=2&cursor=${cursor}`)
      assert.deepStrictEqual([tasksOf(second), second.body["next"], second.body["counts"]], [["a"], null, null])
      const uncounted = yield* ask("shop", "GET", "/runs?limit=2&counts=false")
      assert.deepStrictEqual([tasksOf(uncounted), uncounted.body["counts"]], [["c", "b"], null])
      for (const [key, path] of [
        ["shop", `/sessions?cursor=${cursor}`],
        ["shop", `/runs?status=failed&cursor=${cursor}`],
        ["root", `/runs?cursor=${cursor}`],
        ["shop", "/runs?cursor=AAAA"]
      ] as const) {
        const refused = yield* ask(key, "GET", path)
        assert.strictEqual(refused.status, 400)
        assert.include(refused.body["detail"], "another list")
      }
      for (const query of [
        "limit=0",
        "limit=101",
        "limit=x",
        "limit=1e2",
        "limit=5.0",
        "limit=05",
        "status=done",
        "from=yesterday",
        "from=2026-13-01",
        "minUsd=-1"
      ]) {
        assert.strictEqual((yield* ask("shop", "GET", `/runs?${query}`)).status, 422, query)
      }
    })
  )

  test(
    "are filtered by status, failure, words, cost and time, with any text in a filter",
    Effect.gen(function* () {
      yield* begin("shop", "Find a red mug")
      yield* begin("shop", "Fail", "failed")
      const found = (query: string) => Effect.map(ask("root", "GET", `/runs?${query}`), tasksOf)
      assert.deepStrictEqual(yield* found("status=failed"), ["Fail"])
      assert.deepStrictEqual(yield* found("failure=browser_failed"), ["Fail"])
      assert.deepStrictEqual(yield* found("search=RED%20fin"), ["Find a red mug"])
      assert.deepStrictEqual(yield* found("search=find%20mu"), [])
      assert.deepStrictEqual(yield* found("search=find%20mug"), ["Find a red mug"])
      assert.deepStrictEqual(yield* found("minUsd=0.25"), ["Find a red mug"])
      assert.deepStrictEqual(yield* found("minUsd=0.26"), [])
      assert.deepStrictEqual(yield* found("to=2020-01-01"), [])
      assert.lengthOf(yield* found("from=2020-01-01T00:00:00%2B02:00&model=test"), 2)
      const hostile = encodeURIComponent(`x' OR '1'='1"; DROP TABLE turns; -- %_*?[`)
      for (const field of ["key", "model", "node", "tag", "failure", "session", "search"]) {
        assert.deepStrictEqual(yield* found(`${field}=${hostile}`), [], field)
      }
      assert.strictEqual((yield* ask("root", "GET", "/runs?tag=%00")).status, 422)
      assert.lengthOf(yield* found(""), 2)
    })
  )

  test(
    "return 404 for other keys' runs and invalid ids",
    Effect.gen(function* () {
      const { id } = yield* begin("shop", "Find a mug")
      const paths = (run: string): ReadonlyArray<readonly [string, string, unknown?]> => [
        ["GET", `/runs/${run}`],
        ["GET", `/runs/${run}/steps`],
        ["GET", `/runs/${run}/model-calls`],
        ["GET", `/runs/${run}/steps/1/picture`],
        ["POST", `/runs/${run}/messages`, { text: "x", interrupt: false }]
      ]
      for (const run of [id, "unknown", "a%2Fb", "..%2Fkeys", "%ff", "%00", "x".repeat(3000)]) {
        for (const [method, path, body] of paths(run)) {
          const { status } = yield* ask("blog", method, path, body)
          assert.strictEqual(status, 404, `${method} ${path.slice(0, 60)}`)
        }
      }
      assert.deepStrictEqual((yield* ask("blog", "POST", "/runs/cancel", { ids: [id] })).body["notFound"], [id])
      assert.deepStrictEqual((yield* ask("blog", "POST", "/runs/retry", { ids: [id] })).body["notFound"], [id])
      for (const [method, path] of paths(id).slice(0, 3)) {
        for (const key of ["shop", "root"]) assert.strictEqual((yield* ask(key, method, path)).status, 200)
      }
    })
  )

  test(
    "are cancelled by id, and the response lists finished and unknown ones",
    Effect.gen(function* () {
      const over = yield* begin("shop", "Find a mug")
      const waiting = yield* begin("shop", "Wait", "running")
      const sent = { ids: [waiting.id, over.id, "unknown", waiting.id] }
      const first = yield* ask("root", "POST", "/runs/cancel", sent)
      assert.deepStrictEqual(first.body, {
        cancelled: [waiting.id],
        already: [over.id],
        notFound: ["unknown"],
        next: null
      })
      assert.deepStrictEqual((yield* ask("root", "POST", "/runs/cancel", sent)).body["cancelled"], [])
      for (const body of [
        {},
        { ids: [] },
        { ids: Array.from({ length: 501 }, (_, index) => `${index}`) },
        { ids: [""] }
      ]) {
        assert.strictEqual((yield* ask("root", "POST", "/runs/cancel", body)).status, 422)
      }
    })
  )

  test(
    "are removed from the queue if they are follow-ups, but not once they have started",
    Effect.gen(function* () {
      const run = yield* begin("shop", "Wait", "running")
      const message = { text: "Then this", interrupt: false }
      const { body: queued } = yield* ask("shop", "POST", `/runs/${run.id}/messages`, message)
      const ids = [run.id, String(queued["id"])]
      const { body } = yield* ask("shop", "POST", "/runs/cancel", { ids, onlyQueued: true })
      assert.deepInclude(body, { cancelled: [queued["id"]], already: [run.id] })
      assert.strictEqual((yield* ask("shop", "GET", `/runs/${run.id}`)).body["status"], "running")
      assert.strictEqual((yield* ask("shop", "GET", `/runs/${String(queued["id"])}`)).body["status"], "cancelled")
    })
  )

  test(
    "are cancelled once each, even if there are more than one page",
    Effect.gen(function* () {
      const started = yield* Effect.forEach(
        Array.from({ length: 130 }),
        () => ask("shop", "POST", "/runs", { task: "Wait" }),
        { concurrency: 8 }
      )
      const { body } = yield* ask("shop", "POST", "/runs/cancel", { all: true })
      const cancelled = body["cancelled"] as ReadonlyArray<string>
      assert.sameMembers(
        [...cancelled],
        started.map(({ body: { id } }) => String(id))
      )
      assert.deepInclude(body, { already: [], notFound: [], next: null })
    })
  )

  test(
    "are cancelled by a filter, for all keys only if the caller is an admin",
    Effect.gen(function* () {
      for (const key of ["shop", "blog"]) {
        for (const task of ["Wait a", "Wait b"]) yield* begin(key, task, "running")
      }
      const own = yield* ask("shop", "POST", "/runs/cancel", { filter: { status: "running" } })
      assert.lengthOf(own.body["cancelled"] as Array<string>, 2)
      assert.deepStrictEqual((yield* ask("shop", "POST", "/runs/cancel", { all: true })).body["cancelled"], [])
      assert.deepStrictEqual(
        (yield* ask("root", "POST", "/runs/cancel", { filter: { status: "failed" } })).body["cancelled"],
        []
      )
      const all = yield* ask("root", "POST", "/runs/cancel", { filter: { search: "wait" } })
      assert.lengthOf(all.body["cancelled"] as Array<string>, 2)
    })
  )

  test(
    "aren't cancelled by an empty or unknown filter, which is refused",
    Effect.gen(function* () {
      const run = yield* begin("shop", "Wait", "running")
      const issuesOf = (body: unknown) =>
        Effect.map(ask("root", "POST", "/runs/cancel", body), ({ body: { detail }, status }) => {
          assert.strictEqual(status, 422)
          return (detail as ReadonlyArray<Issue>).map(({ loc, msg }) => `${loc.join(".")}: ${msg}`)
        })
      assert.deepStrictEqual(yield* issuesOf({ filter: {} }), [
        'body.filter: The filter is empty. To cancel all open runs, send {"all": true} instead.'
      ])
      assert.deepStrictEqual(yield* issuesOf({ filter: { statuss: "failed", owner: "shop" } }), [
        'body.filter.statuss: "statuss" isn\'t a filter of this operation. Did you mean "status"?',
        'body.filter.owner: "owner" isn\'t a filter of this operation. Did you mean "key"?'
      ])
      assert.deepStrictEqual(yield* issuesOf({ filter: { status: "running" }, onlyQueued: true }), [
        'body.onlyQueued: "onlyQueued" isn\'t a field of this operation. Use filter, cursor.'
      ])
      assert.deepStrictEqual(yield* issuesOf({ filter: { key: "shop" }, all: true }), [
        'body.all: "all" can\'t be combined with the other fields.',
        'body.filter: "filter" can\'t be combined with the other fields.'
      ])
      assert.deepStrictEqual(yield* issuesOf({}), ["body.ids: Field required", "body.filter: Field required"])
      assert.strictEqual((yield* ask("root", "GET", `/runs/${run.id}`)).body["status"], "running")
    })
  )

  test(
    "refuse unknown query parameters of a list",
    Effect.gen(function* () {
      for (const [path, msg] of [
        ["/runs?statuss=failed", '"statuss" isn\'t a query parameter of this operation. Did you mean "status"?'],
        ["/sessions?limt=1", '"limt" isn\'t a query parameter of this operation. Did you mean "limit"?'],
        ["/browsers?owner=shop", '"owner" isn\'t a query parameter of this operation. Did you mean "key"?'],
        ["/spend?for=day", '"for" isn\'t a query parameter of this operation. Use by, from, to.']
      ] as const) {
        const { body, status } = yield* ask("root", "GET", path)
        assert.deepStrictEqual([status, (body["detail"] as ReadonlyArray<Issue>).map((each) => each.msg)], [422, [msg]])
      }
    })
  )

  test(
    "can be run again on behalf of their owner, and get follow-ups",
    Effect.gen(function* () {
      const run = yield* begin("shop", "Find a mug")
      const again = yield* ask("root", "POST", "/runs/retry", { ids: [run.id, "unknown"] })
      assert.strictEqual(again.status, 201)
      assert.deepNestedPropertyVal(again.body, "started[0].of", run.id)
      assert.deepNestedPropertyVal(again.body, "started[0].run.owner", "shop")
      assert.deepNestedPropertyVal(again.body, "started[0].run.task", "Find a mug")
      assert.deepStrictEqual(again.body["notFound"], ["unknown"])
      const message = yield* ask("shop", "POST", `/runs/${run.id}/messages`, { text: "A red one", interrupt: false })
      assert.deepStrictEqual(
        [message.status, message.body["sessionId"], message.body["task"]],
        [201, run.sessionId, "A red one"]
      )
      const session = yield* ask("shop", "GET", `/sessions/${run.sessionId}`)
      const { rows } = (yield* ask("shop", "GET", "/sessions")).body as { rows: ReadonlyArray<Record<string, unknown>> }
      const lastRun = rows.find(({ id }) => id === run.sessionId)?.["lastRun"]
      assert.deepInclude(lastRun, { id: message.body["id"], task: "A red one" })
      assert.strictEqual(session.body["runs"], 2)
      assert.strictEqual((yield* ask("blog", "GET", `/sessions/${run.sessionId}`)).status, 404)
      assert.strictEqual((yield* ask("shop", "POST", `/sessions/${run.sessionId}/purge`)).status, 409)
      assert.strictEqual((yield* ask("shop", "POST", `/sessions/${run.sessionId}/stop`)).body["status"], "stopped")
      const refused = yield* ask("shop", "POST", `/runs/${run.id}/messages`, { text: "x", interrupt: false })
      assert.strictEqual(refused.status, 409)
      assert.strictEqual((yield* ask("shop", "POST", `/sessions/${run.sessionId}/purge`)).status, 204)
      assert.strictEqual((yield* ask("shop", "GET", `/runs/${run.id}`)).status, 404)
    })
  )

  test(
    "run again once per idempotency key",
    Effect.gen(function* () {
      const runs = [
        yield* begin("shop", "Find a mug"),
        yield* begin("shop", "Find a cup"),
        yield* begin("blog", "Post")
      ]
      const [mug = "", cup = "", post = ""] = runs.map(({ id }) => id)
      const retry = (...ids: ReadonlyArray<string>) =>
        send("POST", "/admin/v1/runs/retry", {
          key: "wak_root",
          headers: { "idempotency-key": "one" },
          body: { ids }
        })
      const startedOf = ({ body }: { readonly body: Row }) =>
        (body["started"] as ReadonlyArray<{ readonly of: string; readonly run: Row }>).map(({ of, run }) => [
          of,
          run["id"]
        ])
      const first = yield* retry(mug, cup)
      assert.isNull(first.headers.get("idempotency-replayed"))
      const repeated = yield* retry(mug, cup)
      assert.deepStrictEqual(
        [repeated.status, startedOf(repeated), repeated.headers.get("idempotency-replayed")],
        [201, startedOf(first), "true"]
      )
      // a response that was lost when only some of the runs had started
      const [, ...more] = startedOf(yield* retry(mug, cup, post))
      assert.deepStrictEqual(more[0], startedOf(first)[1])
      assert.lengthOf(rowsOf(yield* ask("root", "GET", "/runs")), 6)
    })
  )

  test(
    "run again within the same budget",
    Effect.gen(function* () {
      const run = yield* ask("shop", "POST", "/runs", { task: "Find a mug", maxCostUsd: 0.5 })
      const again = yield* ask("root", "POST", "/runs/retry", { ids: [run.body["id"]] })
      const [{ run: second }] = again.body["started"] as [{ readonly run: { readonly id: string } }]
      assert.nestedPropertyVal((yield* ask("root", "GET", `/runs/${second.id}`)).body, "budget.costUsd", "0.5")
    })
  )

  test(
    "are summed up in cost by day, key, model and run",
    Effect.gen(function* () {
      for (const key of ["shop", "shop", "blog"]) yield* begin(key, "Find a mug")
      const byKey = yield* ask("root", "GET", "/spend?by=key")
      assert.strictEqual(byKey.body["totalUsd"], "0.75")
      assert.deepStrictEqual(
        rowsOf(byKey).map(({ key, runs, usd }) => [key, usd, runs]),
        [
          ["blog", "0.25", 1],
          ["shop", "0.5", 2]
        ]
      )
      assert.strictEqual((yield* ask("blog", "GET", "/spend")).body["totalUsd"], "0.25")
      assert.strictEqual(rowsOf(yield* ask("root", "GET", "/spend?by=model"))[0]?.["model"], "test")
      const byRun = yield* ask("root", "GET", "/spend?by=run")
      assert.strictEqual(byRun.body["totalUsd"], "0.75")
      assert.deepStrictEqual(
        rowsOf(byRun).map(({ key, run, runs, usd }) => [key, (run as { readonly title: string }).title, usd, runs]),
        ["blog", "shop", "shop"].map((key) => [key, "Find a mug", "0.25", 1])
      )
      assert.strictEqual(rowsOf(yield* ask("blog", "GET", "/spend?by=run")).length, 1)
      for (const query of ["from=2026-02-30", "from=2026-05-02&to=2026-05-01", "from=2020-01-01", "by=owner"]) {
        assert.strictEqual((yield* ask("root", "GET", `/spend?${query}`)).status, 422, query)
      }
    })
  )
})
