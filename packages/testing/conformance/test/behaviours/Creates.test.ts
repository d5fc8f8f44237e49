import { assert, describe, it } from "@effect/vitest"
import type { Fault } from "@webagent/control"
import type { ClientOptions } from "@webagent/core"
import { hastened } from "@webagent/scripted-server/Haste"
import { Control } from "@webagent/simulation"
import { Browsers, Runs } from "@webagent/v4"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { eventually, findings, layer, made, on, requests, type Stage } from "./stage.ts"

/** A create whose answer is lost after the service has acted, in every way in which it can be. */
const lost: ReadonlyArray<readonly [string, Fault]> = [
  ["W5: that gets no response in time", { kind: "hang", placement: "after-apply" }],
  ["W6b: that gets a 502", { kind: "html-error", status: 502, placement: "after-apply" }],
  ["W6c: whose connection is reset", { kind: "reset", placement: "after-apply" }],
  ["W6c: whose response is truncated", { kind: "cut-body", end: "reset" }]
]

const stage = (fault: Fault, client: Partial<ClientOptions>): Stage => ({
  faults: [on("v4.createRun", fault), on("v4.createBrowser", fault)],
  client
})

/** Shortens the wait for a response that a fault holds back; other waits are unchanged. */
const hasten = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Control, (control) => {
    const hits = Effect.map(control.journal({ limit: 1 }), ({ counts }) => counts.fault)
    const another = Effect.flatMap(hits, (before) => eventually(hits, (now) => now > before))
    return hastened(Effect.asVoid(another))(effect)
  })

describe("a create", () => {
  for (const [name, fault] of lost) {
    it.live(`${name} is not sent again: its outcome is unknown, and its key is in the error`, () =>
      Effect.gen(function* () {
        const runs = yield* Runs
        const error = yield* Effect.flip(hasten(runs.create({ task: "Buy the red mug" })))
        if (error._tag !== "CreateOutcomeUnknown") return assert.fail(error.message)
        const [sent, ...more] = yield* eventually(requests("v4.createRun"), ({ length }) => length > 0)
        assert.deepStrictEqual([more, sent?.idempotencyKey], [[], error.key])
        assert.strictEqual(yield* made("turn"), 1)
        // who knows the service can go on with the key, in another process too: it is the same run
        const run = yield* runs.create({ task: "Buy the red mug" }, { idempotencyKey: error.key })
        assert.strictEqual(yield* made("turn"), 1)
        assert.strictEqual((yield* runs.get(run.id)).id, run.id)
      }).pipe(Effect.provide(layer(stage(fault, {}))))
    )

    it.live(`${name} is sent again with its key if the service honors keys, and makes one run`, () =>
      Effect.gen(function* () {
        const runs = yield* Runs
        const browsers = yield* Browsers
        const run = yield* hasten(runs.create({ task: "Buy the red mug" }))
        yield* hasten(browsers.use({}, () => Effect.void))
        assert.deepStrictEqual([yield* made("turn"), yield* made("browser")], [1, 1])
        const [first, second] = yield* eventually(requests("v4.createRun"), ({ length }) => length === 2)
        assert.strictEqual(first?.idempotencyKey, second?.idempotencyKey)
        assert.strictEqual(second?.made ?? first?.made, run.id)
        assert.deepStrictEqual(yield* findings("created-twice"), [])
        assert.deepStrictEqual(yield* findings("browsers-left-open"), [])
      }).pipe(Effect.provide(layer(stage(fault, { target: { idempotency: "honoured" } }))))
    )
  }

  it.live("W6: that gets 429 after the service has acted is not sent again", () =>
    Effect.gen(function* () {
      const browsers = yield* Browsers
      const error = yield* Effect.flip(browsers.create())
      assert.strictEqual(error._tag === "CreateOutcomeUnknown" && error.phase, "answered")
      assert.deepStrictEqual([yield* made("browser"), (yield* requests("v4.createBrowser")).length], [1, 1])
    }).pipe(
      Effect.provide(
        layer(
          stage({ kind: "status", status: 429, placement: "after-apply" }, { target: { refusals: "after-acting" } })
        )
      )
    )
  )

  it.live("W6: that gets 429 is sent again if the service is known to refuse before it acts", () =>
    Effect.gen(function* () {
      const browsers = yield* Browsers
      yield* browsers.create()
      assert.deepStrictEqual([yield* made("browser"), (yield* requests("v4.createBrowser")).length], [1, 2])
      assert.deepStrictEqual(yield* findings("retry-after-ignored"), [])
    }).pipe(
      Effect.provide(
        layer(
          stage(
            { kind: "status", status: 429, retryAfter: Duration.millis(200) },
            { target: { refusals: "before-acting" } }
          )
        )
      )
    )
  )
})
