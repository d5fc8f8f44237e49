import { assert, describe, it } from "@effect/vitest"
import { V4Operations } from "@webagent/contract/v4"
import { ScriptedServer } from "@webagent/scripted-server"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"
import { ContractClient, IdempotencyKey, RetryPolicy } from "../src/index.ts"
import { layer } from "./client.ts"

const Attempt = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2000 }))
const Draw = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const Asked_ms = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e9 }))

describe("RetryPolicy.pause_ms", () => {
  it.prop(
    "is within its bound, and at least as long as the response asks",
    [Attempt, Draw, Schema.Boolean, Schema.UndefinedOr(Asked_ms)],
    ([attempt, draw, throttled, asked_ms]) => {
      const retryAfter = asked_ms === undefined ? undefined : Duration.millis(asked_ms)
      const pause_ms = RetryPolicy.pause_ms(RetryPolicy.standard, attempt, { throttled, retryAfter }, draw)
      const bound_ms = Math.min(20_000, (throttled ? 1000 : 100) * 2 ** (attempt - 1))
      assert.isAtLeast(pause_ms, asked_ms ?? 0)
      assert.isAtMost(pause_ms, Math.max(Math.ceil(bound_ms), asked_ms ?? 0))
      assert.isTrue(Number.isFinite(pause_ms))
    },
    { arbitrary: { seed: 1 } }
  )
})

describe("an id", () => {
  it.live("of any text survives encoding into a path", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({ json: { status: "running" } })
      const api = yield* ContractClient.make("v4", V4Operations)
      const segmentOf = (url = "") => {
        const [, , , , segment = "", status, ...more] = url.split("/")
        assert.deepStrictEqual([status, more], ["status", []], url)
        return decodeURIComponent(segment)
      }
      // surrogates, separators, dots, controls and what a path or a query is made of, in any order
      const signs = [
        "/",
        "\\",
        "?",
        "#",
        "%",
        "%2e",
        ".",
        "..",
        ";",
        ":",
        "@",
        "&",
        "=",
        "+",
        " ",
        "\n",
        "\u0000",
        "é",
        "€",
        "😀",
        "a",
        "İ",
        "\u202e"
      ]
      for (let round = 0; round < 200; round++) {
        const length = yield* Random.nextIntBetween(1, 12)
        const id = (yield* Effect.forEach(Array.from({ length }), () => Random.choice(signs))).join("")
        if (id === "." || id === "..") continue
        yield* api.runs.status({ params: { run_id: id } })
        assert.strictEqual(segmentOf(server.requests.at(-1)?.url), id)
      }
    }).pipe(Random.withSeed("ids"), Effect.provide(layer()))
  )
})

describe("an idempotency key", () => {
  it.effect("is a UUID, and repeats with the same seed", () =>
    Effect.gen(function* () {
      const draw = Effect.all([IdempotencyKey.seeded, IdempotencyKey.seeded]).pipe(Random.withSeed("keys"))
      const keys = yield* draw
      assert.deepStrictEqual(yield* draw, keys)
      const random = yield* Effect.all([IdempotencyKey.random, IdempotencyKey.random])
      assert.strictEqual(new Set([...keys, ...random]).size, 4)
      for (const key of [...keys, ...random]) {
        assert.match(key, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u)
      }
    })
  )
})
