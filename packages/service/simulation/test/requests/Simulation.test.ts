import { assert, describe, it } from "@effect/vitest"
import type { FaultPlan, JournalEntry } from "@webagent/control"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { draw, uuid } from "../../src/behavior/Seed.ts"
import { Faults } from "../../src/faults/Faults.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { Simulation } from "../../src/requests/Simulation.ts"
import { Ask, layer } from "../inProcess.ts"

/** Every kind of fault, drawn; nothing here depends on the order of arrival or on time. */
const hostile: FaultPlan = [
  { fault: { kind: "reset" }, when: { rate: 0.05 } },
  { fault: { kind: "reset", placement: "after-apply" }, when: { rate: 0.05 } },
  { fault: { kind: "reset", placement: "mid-body" }, when: { rate: 0.05 } },
  { fault: { kind: "hang", for: Duration.seconds(20) }, when: { rate: 0.05 } },
  { fault: { kind: "slow-headers", for: Duration.seconds(2) }, when: { rate: 0.05 } },
  { fault: { kind: "slow-body", for: Duration.seconds(4) }, when: { rate: 0.05 } },
  { fault: { kind: "cut-body" }, when: { rate: 0.05 } },
  { fault: { kind: "malformed-json" }, when: { rate: 0.05 } },
  { fault: { kind: "wrong-content-type" }, when: { rate: 0.05 } },
  { fault: { kind: "html-error" }, when: { rate: 0.05 } },
  { fault: { kind: "status", status: 429, retryAfter: Duration.seconds(3) }, when: { rate: 0.05 } },
  { fault: { kind: "duplicate-delivery" }, when: { rate: 0.1 } },
  { fault: { kind: "stale-read", lag: Duration.seconds(1) }, when: { rate: 0.1 } },
  { fault: { kind: "clock-skew", by: Duration.minutes(1) }, when: { rate: 0.05 } },
  { fault: { kind: "redirect" }, when: { rate: 0.05 } }
]

const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 }))

/** What a caller may ask, in a few variants, so that some requests are each other's like. */
const Question = Schema.Union([
  Schema.Struct({ ask: Schema.Literal("run"), of: Count }),
  Schema.Struct({ ask: Schema.Literal("keyed run"), of: Count }),
  Schema.Struct({ ask: Schema.Literal("session"), of: Count }),
  Schema.Struct({ ask: Schema.Literal("browser"), of: Count }),
  Schema.Struct({ ask: Schema.Literal("status"), of: Count }),
  Schema.Struct({ ask: Schema.Literal("read"), of: Count })
])

const Questions = Schema.Array(Question).check(Schema.isMinLength(8), Schema.isMaxLength(30))
const Seed = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))

const id = (of: number) => `00000000-0000-4000-8000-00000000000${of}`

const put = ({ ask: what, of }: typeof Question.Type) =>
  Ask.use((ask) => {
    switch (what) {
      case "run":
        return ask("POST", "/api/v4/runs", { task: `mug ${of}` })
      case "keyed run":
        return ask("POST", "/api/v4/runs", { task: "mug" }, { "idempotency-key": `k${of}` })
      case "session":
        return ask("POST", "/api/v3/sessions", { task: `mug ${of}` })
      case "browser":
        return ask("POST", "/api/v4/browsers", {})
      case "status":
        return ask("GET", `/api/v4/runs/${id(of)}/status`)
      case "read":
        return ask("GET", `/api/v2/sessions/${id(of)}`)
    }
  })

/** All at once on a server of its own, everything brought to its end; the journal without real times. */
const journalOf = (questions: ReadonlyArray<typeof Question.Type>, seed: number) =>
  Effect.gen(function* () {
    const asked = yield* Effect.forEach(questions, (one) => Effect.forkChild(Effect.exit(put(one))))
    yield* TestClock.adjust("1 hour")
    yield* Fiber.joinAll(asked)
    const journal = yield* Journal
    const { entries } = yield* journal.read({ limit: 100_000 })
    return entries.map((entry): JournalEntry => ({ ...entry, realAt_ms: 0 }))
  }).pipe(Effect.provide(layer({ seed, faults: hostile, turnDuration: "5 seconds" }), { local: true }))

/** What hit what, and what each create made: everything that another order is not to change. */
const fates = (entries: ReadonlyArray<JournalEntry>) =>
  entries
    .flatMap((entry) => {
      if (entry.type !== "request" && entry.type !== "fault") return []
      const { attempt, create, operation, resource } = entry
      const made = entry.type === "request" ? [entry.fault, entry.create === null ? null : entry.made] : [entry.rule]
      return [JSON.stringify([entry.type, operation, resource, create, attempt, ...made])]
    })
    .toSorted()

describe("Simulation", () => {
  it.effect.prop(
    "produces the same journal for the same plan, seed and requests",
    [Questions, Seed],
    ([questions, seed]) =>
      Effect.gen(function* () {
        const first = yield* journalOf(questions, seed)
        yield* TestClock.setTime(0)
        assert.deepStrictEqual(yield* journalOf(questions, seed), first)
      }),
    { arbitrary: { seed: 1, runs: 25 } }
  )

  it.effect.prop(
    "hits the same requests with the same faults in another order, with the same results",
    [Questions, Seed],
    ([questions, seed]) =>
      Effect.gen(function* () {
        const shuffled = questions
          .map((question, index) => [draw(seed, "shuffle", index), question] as const)
          .toSorted(([left], [right]) => left - right)
          .map(([, question]) => question)
        const first = yield* journalOf(questions, seed)
        assert.deepStrictEqual(fates(yield* journalOf(shuffled, seed)), fates(first))
      }),
    { arbitrary: { seed: 1, runs: 25 } }
  )

  it.effect("hits requests with the plan of these properties", () =>
    Effect.gen(function* () {
      const questions = Array.from({ length: 200 }, (_, of) => ({ ask: "run" as const, of }))
      const entries = yield* journalOf(questions, 1)
      const kinds = new Set(entries.flatMap((entry) => (entry.type === "fault" ? [entry.kind] : [])))
      // all but the one that hits reads only
      assert.strictEqual(kinds.size, new Set(hostile.map(({ fault }) => fault.kind)).size - 1)
    })
  )

  it.effect("keeps only the counts of requests after a plan is removed", () =>
    Effect.gen(function* () {
      const faults = yield* Faults
      yield* faults.set([{ fault: { kind: "stale-read", lag: Duration.seconds(5) } }])
      const ask = yield* Ask
      const { body } = yield* ask("POST", "/api/v4/runs", { task: "mug" })
      const { id } = JSON.parse(body) as { readonly id: string }
      const status = Effect.map(ask("GET", `/api/v4/runs/${id}/status`), ({ status }) => status)
      assert.strictEqual(yield* status, 404)
      // what was is forgotten with the plan, at the next change
      yield* faults.set([])
      yield* ask("POST", "/api/v4/runs", { task: "another" })
      yield* faults.set([{ fault: { kind: "stale-read", lag: Duration.seconds(5) } }])
      assert.strictEqual(yield* status, 200)
    }).pipe(Effect.provide(layer({}), { local: true }))
  )

  it.effect("redirects into the trap by default if there is one", () =>
    Effect.gen(function* () {
      yield* Simulation.use((simulation) => simulation.setTrap("http://127.0.0.1:9/trap"))
      const { headers } = yield* Ask.use((ask) => ask("GET", "/api/v4/runs/a?b=c"))
      assert.strictEqual(headers["location"], "http://127.0.0.1:9/trap/api/v4/runs/a?b=c")
      assert.strictEqual(headers["date"], "Thu, 01 Jan 1970 00:00:00 GMT")
    }).pipe(Effect.provide(layer({ faults: [{ fault: { kind: "redirect" } }] }), { local: true }))
  )

  it.effect("restarts request counts and ids at a reset", () =>
    Effect.gen(function* () {
      const ask = yield* Ask
      const run = Effect.map(ask("POST", "/api/v4/runs", { task: "mug" }), ({ body }) => JSON.parse(body).id as string)
      const first = yield* run
      assert.notStrictEqual(yield* run, first)
      yield* Simulation.use((simulation) => simulation.reset)
      const journal = yield* Journal
      yield* journal.clear
      yield* ask("GET", `/api/v4/runs/${first}`)
      yield* run
      const { entries } = yield* journal.read({ type: "request" })
      assert.deepStrictEqual(
        entries.map((entry) => entry.type === "request" && [entry.seq > 0, entry.operation, entry.attempt]),
        [
          [true, "v4.getRun", 1],
          [true, "v4.createRun", 1]
        ]
      )
    }).pipe(Effect.provide(layer({}), { local: true }))
  )

  it.effect("derives ids from the seed and the number of the create", () =>
    Effect.gen(function* () {
      const run = Ask.use((ask) => ask("POST", "/api/v4/runs", { task: "mug" }))
      yield* run
      yield* run
      const { entries } = yield* Journal.use((journal) => journal.read({ type: "request" }))
      for (const [ordinal, entry] of entries.entries()) {
        assert.isTrue(entry.type === "request" && entry.made === uuid(7, "turn", entry.create ?? "", ordinal))
      }
    }).pipe(Effect.provide(layer({ seed: 7 }), { local: true }))
  )

  it.effect("records who sent a request, its contents and its outcome", () =>
    Effect.gen(function* () {
      const ask = yield* Ask
      yield* TestClock.adjust("1 minute")
      const { body } = yield* ask(
        "POST",
        "/api/v4/runs?api_key=wak_test",
        { task: "mug" },
        { "idempotency-key": "k", "user-agent": "me" }
      )
      yield* ask("GET", "/nowhere")
      const journal = yield* Journal
      const [create, nowhere] = (yield* journal.read({ type: "request" })).entries
      assert.deepInclude(create, {
        at_ms: 60_000,
        operation: "v4.createRun",
        resource: null,
        attempt: 1,
        after: 0,
        method: "POST",
        path: "/api/v4/runs?api_key=[key]",
        idempotencyKey: "k",
        userAgent: "me",
        status: 201,
        retryAfter_ms: null,
        answered: "whole",
        made: JSON.parse(body).id,
        fault: null,
        duration_ms: 0
      })
      assert.deepInclude(nowhere, { operation: "unrouted", status: 404, made: null, after: create?.seq })
    }).pipe(Effect.provide(layer({}), { local: true }))
  )
})
