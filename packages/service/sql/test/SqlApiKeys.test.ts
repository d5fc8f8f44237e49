import { assert, describe, it } from "@effect/vitest"
import { ApiKeys, keyScopes } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { readFileSync } from "node:fs"
import { Database, SqlApiKeys } from "../src/index.ts"
import { file } from "./files.ts"
import { plansOf } from "./plans.ts"

const unlimited = { runs: null, browsers: null, requestsPerMinute: null, usdPerDay: null }

const withKeys = <A, E>(use: (keys: ApiKeys["Service"], path: string) => Effect.Effect<A, E>) =>
  Effect.flatMap(file, (path) =>
    Effect.provide(
      ApiKeys.use((keys) => use(keys, path)),
      Layer.provide(SqlApiKeys.layer, Database.layer({ file: path }))
    )
  )

describe("SqlApiKeys", () => {
  it.live("finds a key by its secret, which is nowhere in the file", () =>
    withKeys((keys, path) =>
      Effect.gen(function* () {
        const limits = { ...unlimited, runs: 3, usdPerDay: 1.5 }
        const { key, secret } = yield* keys.create({ name: "ci", scopes: ["read", "runs"], limits })
        const text = Redacted.value(secret)
        assert.match(text, /^wak_[\w-]{43}$/u)
        assert.deepStrictEqual(yield* keys.find(text), Option.some(key))
        assert.deepStrictEqual(yield* keys.list, [key])
        assert.deepStrictEqual([key.limits, key.scopes], [limits, ["read", "runs"]])
        assert.deepStrictEqual(yield* keys.find(`${text}x`), Option.none())
        for (const part of [path, `${path}-wal`]) {
          assert.isFalse(readFileSync(part).includes(text.slice(key.prefix.length)), part)
        }
        assert.notInclude(String(secret), text)
      })
    )
  )

  it.live("does not find a revoked key, and gives its name to the next", () =>
    withKeys((keys) =>
      Effect.gen(function* () {
        const request = { name: "ci", scopes: keyScopes, limits: unlimited }
        const first = yield* keys.create(request)
        assert.strictEqual((yield* Effect.flip(keys.create(request)))._tag, "KeyNameTaken")
        const revoked = yield* keys.revoke("ci")
        assert.isNotNull(revoked.revokedAt_ms)
        assert.deepStrictEqual(yield* keys.find(Redacted.value(first.secret)), Option.none())
        assert.strictEqual((yield* Effect.flip(keys.revoke("ci")))._tag, "KeyNotFound")
        const second = yield* keys.create(request)
        assert.isTrue(Option.isSome(yield* keys.find(Redacted.value(second.secret))))
        assert.lengthOf(yield* keys.list, 2)
      })
    )
  )

  it.live("lets a key make its requests a minute, and says how long the next one has to wait", () =>
    withKeys((keys) =>
      Effect.gen(function* () {
        const waits = yield* Effect.replicateEffect(keys.countRequest("ci", 2), 4)
        assert.deepStrictEqual(waits.slice(0, 2), [0, 0])
        for (const wait_ms of waits.slice(2)) {
          assert.isAbove(wait_ms, 0)
          assert.isAtMost(wait_ms, 30_000)
        }
        assert.strictEqual(yield* keys.countRequest("other", 1), 0)
      })
    )
  )

  it.live("finds what a key uses by indexes, and reads no run that ended before", () =>
    withKeys((keys, path) =>
      Effect.gen(function* () {
        const plans = yield* plansOf(path, keys.usage("ci", 1))
        const steps = plans.flatMap((plan) => plan.steps).filter((step) => /turns|browsers/u.test(step))
        assert.deepStrictEqual(steps, [
          "SEARCH turns USING COVERING INDEX turns_owned (owner=? AND ended_at_ms=?)",
          "SEARCH browsers USING INDEX browsers_open (owner=?)",
          "SEARCH turns USING COVERING INDEX turns_owned (owner=? AND ended_at_ms=?)",
          "SEARCH turns USING COVERING INDEX turns_owned (owner=? AND ended_at_ms>?)"
        ])
      })
    )
  )
})
