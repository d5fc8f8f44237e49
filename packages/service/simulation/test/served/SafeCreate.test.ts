import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Answer, send, poll, type Question } from "../send.ts"
import * as SimulatedService from "../../src/SimulatedService.ts"

const keyed = (key: string, body: unknown, more: Question = {}): Question => ({
  ...more,
  body,
  headers: { "idempotency-key": key, ...more.headers }
})

const schedule = { cron: "0 6 1 1 *", run: { task: "x" } }
const hook = { url: "https://app.example", events: ["spend.alert"] }

/** Every create, with two bodies that ask for different things. */
const creates = Effect.gen(function* () {
  const { body } = yield* send("POST", "/api/v4/runs", { body: { task: "first" } })
  return [
    ["/api/v3/sessions", { task: "x" }, { task: "y" }],
    ["/api/v4/runs", { task: "x", modelParams: { a: 1, b: [1, { c: null }] } }, { task: "x" }],
    [
      `/api/v4/sessions/${String(body["sessionId"])}/queue`,
      { text: "x", interrupt: false },
      { text: "x", interrupt: true }
    ],
    ["/api/v4/browsers", { proxyCountryCode: "no" }, {}],
    ["/admin/v1/schedules", { ...schedule, name: "x" }, { ...schedule, name: "y" }],
    // no alert is sent, because no key has a limit
    ["/admin/v1/webhooks", { ...hook, description: "x" }, hook]
  ] as const
})

/** Waits until what was created has changed as far as it does by itself. */
const terminal = (made: Answer["body"]) =>
  "task" in made && "sessionId" in made
    ? poll(`/api/v4/runs/${String(made["id"])}/status`, ({ status }) => status === "completed")
    : Effect.void

const served = Layer.orDie(SimulatedService.layer({ turnDuration: "5 millis", apiKeys: ["wak_test", "wak_other"] }))

layer(served, { excludeTestServices: true })("SafeCreate", (it) => {
  describe("on every create", () => {
    it.effect("returns the same bytes for the same key and body, with a header that marks the replay", () =>
      Effect.gen(function* () {
        for (const [path, body] of yield* creates) {
          const first = yield* send("POST", path, keyed("same", body))
          assert.deepStrictEqual([first.status, first.headers.get("idempotency-replayed")], [201, null])
          yield* terminal(first.body)
          const again = yield* send("POST", path, keyed("same", body))
          assert.deepStrictEqual([again.status, again.text], [201, first.text])
          assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
          assert.strictEqual(again.headers.get("content-type"), first.headers.get("content-type"))
        }
      })
    )

    it.effect("returns 422 that names the header for another body", () =>
      Effect.gen(function* () {
        for (const [path, body, other] of yield* creates) {
          yield* send("POST", path, keyed("twice", body))
          const refused = yield* send("POST", path, keyed("twice", other))
          assert.strictEqual(refused.status, 422)
          assert.nestedPropertyVal(refused.body, "detail[0].loc[0]", "header")
          assert.nestedPropertyVal(refused.body, "detail[0].loc[1]", "Idempotency-Key")
        }
      })
    )

    it.effect("returns 422 for an empty key, a key that is too long, and one with control characters", () =>
      Effect.gen(function* () {
        for (const [path, body] of yield* creates) {
          for (const key of ["", "x".repeat(256), "a\tb", "a\u0085b"]) {
            const refused = yield* send("POST", path, keyed(key, body))
            assert.strictEqual(refused.status, 422, key)
            assert.nestedPropertyVal(refused.body, "detail[0].loc[1]", "Idempotency-Key")
          }
          assert.strictEqual((yield* send("POST", path, keyed("x".repeat(255), body))).status, 201)
        }
      })
    )

    it.effect("makes one resource for simultaneous duplicates", () =>
      Effect.gen(function* () {
        for (const [path, body] of yield* creates) {
          const answers = yield* Effect.all(
            Array.from({ length: 8 }, () => send("POST", path, keyed("at once", body))),
            { concurrency: "unbounded" }
          )
          assert.deepStrictEqual(new Set(answers.map(({ text }) => text)).size, 1)
          assert.lengthOf(
            answers.filter(({ headers }) => headers.get("idempotency-replayed") === null),
            1
          )
        }
      })
    )
  })

  it.effect("ignores spaces and key order when it compares bodies", () =>
    Effect.gen(function* () {
      const create = (text: string) => send("POST", "/api/v4/runs", { text, headers: { "idempotency-key": "json" } })
      const first = yield* create('{"task":"x","modelParams":{"a":1,"b":[1,2]}}')
      const again = yield* create(' { "modelParams": { "b": [1.0, 2], "a": 1e0 }, "task": "\\u0078" } ')
      assert.deepStrictEqual([again.status, again.text], [201, first.text])
      assert.strictEqual((yield* create('{"task":"x","modelParams":{"a":1,"b":[2,1]}}')).status, 422)
      assert.strictEqual((yield* create('{"task":"x","modelParams":{"a":1,"b":[1,2]},"further":0}')).status, 422)
    })
  )

  it.effect("limits a key to one API key, one route and one session", () =>
    Effect.gen(function* () {
      const ids = new Set<unknown>()
      const take = Effect.fnUntraced(function* (path: string, question: Question) {
        const { body, headers, status } = yield* send("POST", path, keyed("mine", question.body, question))
        assert.deepStrictEqual([status, headers.get("idempotency-replayed")], [201, null])
        // the number of a message is one of its session
        const id = body["runId"] ?? body["id"]
        assert.isFalse(ids.has(id))
        ids.add(id)
        return body
      })
      const { sessionId } = yield* take("/api/v4/runs", { body: { task: "x" } })
      const other = yield* take("/api/v4/runs", { body: { task: "x" }, key: "wak_other" })
      yield* take("/api/v3/sessions", { body: { task: "x" } })
      yield* take("/api/v4/browsers", { body: {} })
      const message = { body: { text: "x", interrupt: false } }
      yield* take(`/api/v4/sessions/${String(sessionId)}/queue`, message)
      yield* take(`/api/v4/sessions/${String(other["sessionId"])}/queue`, message)
      const upper = String(sessionId).toUpperCase()
      const same = yield* send("POST", `/api/v4/sessions/${upper}/queue`, keyed("mine", message.body))
      assert.strictEqual(same.headers.get("idempotency-replayed"), "true")
    })
  )

  it.effect("doesn't use up the key of a refused request", () =>
    Effect.gen(function* () {
      const path = "/api/v4/sessions/unknown/queue"
      const message = { text: "x", interrupt: false }
      assert.strictEqual((yield* send("POST", path, keyed("refused", message))).status, 404)
      assert.strictEqual((yield* send("POST", path, keyed("refused", { ...message, text: "y" }))).status, 404)
      assert.strictEqual((yield* send("POST", "/api/v4/runs", keyed("refused", { task: 1 }))).status, 422)
      assert.strictEqual((yield* send("POST", "/api/v4/runs", keyed("refused", { task: "x" }))).status, 201)
      const { body } = yield* send("POST", "/api/v4/runs", {
        body: { task: "x [simulate keepAlive=false duration=0ms]" }
      })
      const queue = `/api/v4/sessions/${String(body["sessionId"])}/queue`
      yield* terminal(body)
      assert.strictEqual((yield* send("POST", queue, keyed("refused", message))).status, 409)
      assert.strictEqual((yield* send("POST", queue, keyed("refused", { ...message, text: "y" }))).status, 409)
    })
  )

  it.effect("makes a resource that reads the same through the other versions", () =>
    Effect.gen(function* () {
      const first = yield* send("POST", "/api/v3/sessions", keyed("versions", { task: "x" }))
      yield* send("POST", "/api/v3/sessions", keyed("versions", { task: "x" }))
      const { body } = yield* send("GET", `/api/v2/sessions/${String(first.body["id"])}`)
      assert.nestedPropertyVal(body, "tasks.length", 1)
      const queue = `/api/v4/sessions/${String(first.body["id"])}/queue`
      yield* send("POST", queue, keyed("versions", { text: "y", interrupt: false }))
      yield* send("POST", queue, keyed("versions", { text: "y", interrupt: false }))
      const after = yield* send("GET", `/api/v2/sessions/${String(first.body["id"])}`)
      assert.nestedPropertyVal(after.body, "tasks.length", 2)
    })
  )

  it.effect("ignores the header on reads and stops", () =>
    Effect.gen(function* () {
      const { body } = yield* send("POST", "/api/v4/browsers", { body: {} })
      const path = `/api/v4/browsers/${String(body["id"])}`
      for (const key of ["stop", "stop", ""]) {
        const { headers, status } = yield* send("PATCH", path, keyed(key, { action: "stop" }))
        assert.deepStrictEqual([status, headers.get("idempotency-replayed")], [200, null])
      }
    })
  )
})
