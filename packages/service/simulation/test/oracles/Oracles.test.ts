import { assert, describe, it } from "@effect/vitest"
import type { FaultPlan, Oracle, Profile, OracleVerdict } from "@webagent/control"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Server } from "@webagent/server"
import { Control } from "../../src/control/Control.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { send, poll } from "../send.ts"
import type { SimulatedOptions, SimulationParts } from "../../src/Parts.ts"
import * as SimulatedService from "../../src/SimulatedService.ts"
import { request } from "./rows.ts"

type Question = Effect.Effect<unknown, unknown, Server | SimulationParts>

const verdictOf = (oracle: Oracle) =>
  Effect.map(
    Control.use((control) => control.verdicts),
    ({ verdicts }): OracleVerdict => verdicts.find((verdict) => verdict.oracle === oracle) ?? assert.fail(oracle)
  )

const create = (headers: Readonly<Record<string, string>> = {}, task = "x") =>
  Effect.map(send("POST", "/api/v4/runs", { body: { task }, headers }), ({ body }) => String(body["id"]))

const lost = Effect.ignore(Effect.catchDefect(create(), () => Effect.fail("lost")))

const terminal = ({ status }: Readonly<Record<string, unknown>>) =>
  ["completed", "failed", "cancelled"].includes(String(status))

const finished = (id: string) => poll(`/api/v4/runs/${id}/status`, terminal)

const polled = (id: string) => send("GET", `/api/v4/runs/${id}/status`)

/** Manual time goes on. */
const later = (by: Duration.Input) => Control.use((control) => control.advance(by))

/** Waits until no run is running. */
const over = Effect.gen(function* () {
  const control = yield* Control
  while ((yield* control.open).turns.length > 0) yield* Effect.sleep("1 millis")
})

const browser = Effect.map(send("POST", "/api/v4/browsers"), ({ body }) => `/api/v4/browsers/${String(body["id"])}`)

/** FaultMatcher the first create of each intent after it was carried out. */
const answerLost: FaultPlan = [
  {
    name: "lost",
    fault: { kind: "reset", placement: "after-apply" },
    when: { operations: ["v4.createRun"], attempts: [1] }
  }
]

const busy: FaultPlan = [
  {
    name: "busy",
    fault: { kind: "status", status: 429, retryAfter: Duration.seconds(1) },
    when: { operations: ["v4.createRun"], nth: [1] }
  }
]

const unhurried: Profile = { duration: Duration.millis(5), pollInterval: Duration.millis(200) }

interface Case {
  readonly options?: SimulatedOptions
  readonly wrong: Question
  readonly right: Question
  readonly says: RegExp
}

const cases: Readonly<Record<Oracle, Case>> = {
  "browsers-left-open": {
    options: { time: { mode: "manual" } },
    wrong: browser,
    right: Effect.flatMap(browser, (path) => send("PATCH", path, { body: { action: "stop" } })),
    says: /^Browser \S+ has been open for [\d.]+ (?:ms|s|min)\.$/u
  },
  "runs-left-running": {
    options: {},
    wrong: create({}, "[simulate duration=1h]"),
    right: Effect.flatMap(create(), finished),
    says: /^Run \S+ of session \S+ is (?:queued|dispatching|running), \d+ ms after its creation\.$/u
  },
  "created-twice": {
    options: { faults: answerLost },
    wrong: Effect.andThen(lost, create()),
    right: Effect.gen(function* () {
      const key = { "idempotency-key": "order-17" }
      yield* Effect.ignore(Effect.catchDefect(create(key), () => Effect.fail("lost")))
      yield* create(key)
    }),
    says: /^v4\.createRun created \S+ and \S+ for one request: the first response was lost/u
  },
  "results-never-fetched": {
    wrong: Effect.flatMap(create(), finished),
    right: Effect.flatMap(create(), (id) => Effect.andThen(finished(id), send("GET", `/api/v4/runs/${id}`))),
    says: /^Run \S+ of session \S+ completed, and no request has read its result since\. Read the run or its session\.$/u
  },
  "polls-after-terminal": {
    wrong: Effect.flatMap(create(), (id) => Effect.andThen(finished(id), finished(id))),
    right: Effect.flatMap(create(), (id) => Effect.andThen(finished(id), send("GET", `/api/v4/runs/${id}`))),
    says: /^v4\.getRunStatus polled \S+ after its caller had read a terminal status\.$/u
  },
  "polled-too-fast": {
    options: { profile: unhurried, time: { mode: "manual" } },
    wrong: Effect.flatMap(create(), (id) =>
      Effect.andThen(polled(id), Effect.andThen(later("150 millis"), polled(id)))
    ),
    right: Effect.flatMap(create(), (id) =>
      Effect.andThen(polled(id), Effect.andThen(later("200 millis"), polled(id)))
    ),
    says: /^v4\.getRunStatus polled \S+ after \d+ ms; the profile asks for 200 ms/u
  },
  "retry-after-ignored": {
    options: { faults: busy, time: { mode: "manual" } },
    wrong: Effect.andThen(create(), create()),
    right: Effect.gen(function* () {
      yield* create()
      yield* later("1 second")
      yield* create()
    }),
    says: /^v4\.createRun came [\d.]+ (?:ms|s) before the Retry-After of a 429 ended\.$/u
  },
  "key-in-url": {
    wrong: send("GET", "/api/v4/runs/x?api_key=wak_test"),
    right: send("GET", "/api/v4/runs/x"),
    says: /^GET \/api\/v4\/runs\/x\?api_key=\[key\] had an API key in its URL\.$/u
  },
  "key-sent-elsewhere": {
    options: {
      faults: [{ fault: { kind: "redirect" }, when: { operations: ["v4.getRun"], attempts: [1] } }],
      control: { key: "control_secret" }
    },
    wrong: send("GET", "/api/v4/runs/x"),
    right: Effect.gen(function* () {
      const { address } = yield* Server
      const headers = { "x-service-api-key": "wak_test" }
      yield* Effect.promise(() => fetch(`${address}/api/v4/runs/x`, { headers, redirect: "manual" }))
    }),
    says: /^GET \/trap\/api\/v4\/runs\/x sent an API key to another origin\.$/u
  }
}

describe("oracles over real requests", () => {
  for (const [oracle, { options, right, says, wrong }] of Object.entries(cases)) {
    const judged = (question: Question) =>
      Effect.andThen(question, verdictOf(oracle as Oracle)).pipe(
        Effect.provide(Layer.fresh(SimulatedService.layer({ turnDuration: "5 millis", ...options })), { local: true }),
        Effect.scoped
      )

    it.live(`${oracle} fails with a sentence about the problem and the rows that show it`, () =>
      Effect.gen(function* () {
        const { findings, holds, count } = yield* judged(wrong)
        assert.isFalse(holds)
        assert.isAtLeast(count, 1)
        assert.match(findings[0]?.sentence ?? "", says)
        assert.isNotEmpty(findings[0]?.seqs ?? [])
      })
    )

    it.live(`${oracle} passes if there is no problem`, () =>
      Effect.gen(function* () {
        const { findings, holds } = yield* judged(right)
        assert.isTrue(holds, JSON.stringify(findings))
      })
    )
  }

  it.live("results-never-fetched ignores a run that a person starts in the console", () =>
    Effect.gen(function* () {
      const { status } = yield* send("POST", "/console/api/runs", { key: null, body: { task: "x" } })
      assert.strictEqual(status, 201)
      yield* over
      assert.isTrue((yield* verdictOf("results-never-fetched")).holds)
      yield* Effect.flatMap(create(), finished)
      assert.strictEqual((yield* verdictOf("results-never-fetched")).count, 1)
    }).pipe(
      Effect.provide(Layer.fresh(SimulatedService.layer({ turnDuration: "5 millis" })), { local: true }),
      Effect.scoped
    )
  )

  it.live("pass without a journal only if they need just the current state", () =>
    Effect.gen(function* () {
      yield* create()
      const { holds, verdicts } = yield* Control.use((control) => control.verdicts)
      assert.isFalse(holds)
      assert.deepStrictEqual(
        verdicts.flatMap((verdict) => (verdict.holds ? [verdict.oracle] : [])),
        ["browsers-left-open"]
      )
      assert.match(verdicts[2]?.sentence ?? "", /^The journal is off/u)
    }).pipe(
      Effect.provide(Layer.fresh(SimulatedService.layer({ journal: { capacity: 0 } })), { local: true }),
      Effect.scoped
    )
  )

  it.live("ignore a response that a fault damaged, but not one that was only slow", () => {
    const onStatus = (fault: FaultPlan[number]["fault"]): FaultPlan => [
      { fault, when: { operations: ["v4.getRunStatus"] } }
    ]
    const polls = Effect.gen(function* () {
      const id = yield* create()
      yield* over
      for (let index = 0; index < 3; index++) yield* Effect.exit(send("GET", `/api/v4/runs/${id}/status`))
      return yield* verdictOf("polls-after-terminal")
    })
    const under = (fault: FaultPlan[number]["fault"]) =>
      polls.pipe(
        Effect.provide(Layer.fresh(SimulatedService.layer({ turnDuration: "2 millis", faults: onStatus(fault) })), {
          local: true
        }),
        Effect.scoped
      )
    return Effect.gen(function* () {
      assert.isTrue((yield* under({ kind: "wrong-content-type" })).holds)
      assert.strictEqual((yield* under({ kind: "slow-headers", for: Duration.millis(5) })).count, 2)
    })
  })

  it.live("ignore a damaged response however many other faults there were", () =>
    Effect.gen(function* () {
      const journal = yield* Journal
      const at = { seq: 0, at_ms: 0, realAt_ms: 0, create: null, attempt: 1 }
      const hit = (resource: string) =>
        journal.recordUnsafe({
          ...at,
          type: "fault",
          operation: "v4.getRunStatus",
          resource,
          rule: "f",
          kind: "malformed-json",
          placement: "after-apply"
        })
      const end = (resource: string, answered: "whole" | "none", fault: string | null) =>
        journal.recordUnsafe({
          ...request,
          ...at,
          operation: "v4.getRunStatus",
          resource,
          after: journal.lastUnsafe(),
          answered,
          fault
        })
      journal.recordUnsafe({ ...at, type: "move", of: "turn", id: "run", sessionId: "s", from: null, to: "completed" })
      hit("run")
      for (let index = 0; index < 30_000; index++) {
        hit(`other-${index}`)
        end(`other-${index}`, "none", "f")
      }
      end("run", "whole", "f")
      end("run", "whole", null)
      assert.isTrue((yield* verdictOf("polls-after-terminal")).holds)
      end("run", "whole", null)
      assert.isFalse((yield* verdictOf("polls-after-terminal")).holds)
    }).pipe(Effect.provide(Layer.fresh(SimulatedService.layer()), { local: true }), Effect.scoped)
  )
})
