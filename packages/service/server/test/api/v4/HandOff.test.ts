import { assert, layer } from "@effect/vitest"
import { MemoryStore } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { poll, send } from "../../http/send.ts"
import { layerOver } from "../../http/served.ts"

/** A run whose agent asks a person, if it may, and repeats the answer. */
const asks = layerOver(MemoryStore.layer, {
  perform: (turn, attempt) =>
    Stream.concat(
      Stream.make({ _tag: "Started" } as const),
      Stream.fromEffect(
        Effect.map(
          turn.handOff === undefined
            ? Effect.never
            : attempt.ask({ reason: "question", question: "Which mug?", choices: ["Red", "Blue"], askedBy: "agent" }),
          (over) => ({ _tag: "Completed", report: { output: over?.outcome.answer ?? null } }) as const
        )
      )
    )
})

const create = (fields: object = {}) => send("POST", "/api/v4/runs", { body: { task: "Buy a mug", ...fields } })

const until = (id: unknown, fits: (body: Readonly<Record<string, unknown>>) => boolean) =>
  poll(`/api/v4/runs/${String(id)}`, fits)

const answer = (id: unknown, body: object) => send("POST", `/api/v4/runs/${String(id)}/answer`, { body })

layer(asks, { excludeTestServices: true })("v4 hand-off", (it) => {
  it.effect("shows why a run waits, accepts one answer, and lets the run continue with it", () =>
    Effect.gen(function* () {
      const { body: made } = yield* create({ handOff: { timeout: 60, whenUnanswered: "skip", pausesTimeLimit: true } })
      const { body: run } = yield* until(made["id"], (body) => "waitingFor" in body)
      assert.strictEqual(run["status"], "running")
      const { askedAt, deadline, ...waitingFor } = run["waitingFor"] as Readonly<Record<string, string>>
      assert.strictEqual(Date.parse(deadline ?? "") - Date.parse(askedAt ?? ""), 60_000)
      assert.deepStrictEqual(waitingFor as object, {
        id: "1",
        reason: "question",
        askedBy: "agent",
        question: "Which mug?",
        choices: ["Red", "Blue"],
        whenUnanswered: "skip",
        pausesTimeLimit: true
      })
      for (const body of [{ answer: "Red" }, { questionId: "1" }, { questionId: "1", answer: "Green" }]) {
        assert.strictEqual((yield* answer(made["id"], body)).status, 422)
      }
      assert.strictEqual((yield* answer(made["id"], { questionId: "2", answer: "Red" })).status, 409)
      const first = yield* answer(made["id"], { questionId: "1", answer: "Blue" })
      assert.strictEqual(first.status, 200)
      assert.notProperty(first.body, "waitingFor")
      const second = yield* answer(made["id"], { questionId: "1", answer: "Red" })
      assert.deepStrictEqual(
        [second.status, second.body],
        [409, { detail: "The run doesn't wait for this answer: it was given, or its time is over" }]
      )
      const { body: done } = yield* until(made["id"], ({ status }) => status === "completed")
      assert.strictEqual(done["result"], "Blue")
      const { body: page } = yield* send("GET", `/api/v4/runs/${String(made["id"])}/events`)
      const events = page["events"] as ReadonlyArray<{ readonly type: string; readonly data: object }>
      assert.deepStrictEqual(
        events
          .filter(({ type }) => ["run.waiting", "run.answered"].includes(type))
          .map(({ data, type }) => [type, data]),
        [
          ["run.waiting", { status: "running", questionId: "1" }],
          ["run.answered", { status: "running", questionId: "1" }]
        ]
      )
    })
  )

  it.effect("accepts a request that makes a running run ask a person", () =>
    Effect.gen(function* () {
      const { body: made } = yield* create()
      yield* until(made["id"], ({ status }) => status === "running")
      const ask = (body: object) => send("POST", `/api/v4/runs/${String(made["id"])}/ask`, { body })
      for (const body of [{}, { question: "" }, { question: "x", choices: ["one"] }, { question: "x", timeout: 0 }]) {
        assert.strictEqual((yield* ask(body)).status, 422, JSON.stringify(body))
      }
      const asked = yield* ask({ question: "Is this the right shop?", reason: "sign_in", timeout: 30 })
      assert.strictEqual(asked.status, 200)
      assert.deepInclude(asked.body["waitingFor"], { askedBy: "api", reason: "sign_in", choices: null })
      assert.strictEqual((yield* ask({ question: "Another one?" })).status, 409)
      yield* send("POST", `/api/v4/runs/${String(made["id"])}/cancel`)
      assert.strictEqual((yield* ask({ question: "Too late?" })).status, 409)
      const unknown = "00000000-0000-4000-8000-00000000ffff"
      assert.strictEqual((yield* answer(unknown, { questionId: "1", answer: "x" })).status, 404)
    })
  )

  it.effect("refuses a hand-off and a queueTimeout out of bounds", () =>
    Effect.gen(function* () {
      for (const handOff of [
        1,
        { timeout: 0 },
        { timeout: 86_401 },
        { whenUnanswered: "retry" },
        { pausesTimeLimit: 1 }
      ]) {
        assert.strictEqual((yield* create({ handOff })).status, 422, JSON.stringify(handOff))
      }
      for (const queueTimeout of [-1, 3601, "60"]) {
        const refused = yield* create({ queueTimeout })
        assert.strictEqual(refused.status, 422)
        assert.nestedPropertyVal(refused.body, "detail[0].msg", "Expected a number of seconds from 0 to 3600")
      }
      assert.strictEqual((yield* create({ queueTimeout: 0, handOff: null })).status, 201)
    })
  )
})
