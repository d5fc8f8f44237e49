import { assert, describe, it } from "@effect/vitest"
import { ApiKeys, keyScopes } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { SqlApiKeys, type Reader } from "../src/index.ts"

export const unlimited = { runs: null, browsers: null, requestsPerMinute: null, usdPerDay: null }

/** What the API keys of each database have to do. */
export const apiKeysOver = <E>(name: string, database: Layer.Layer<SqlClient.SqlClient | Reader, E>) => {
  const test = (title: string, body: Effect.Effect<unknown, unknown, ApiKeys | SqlClient.SqlClient>) =>
    it.live(title, () =>
      Effect.asVoid(body).pipe(
        Effect.provide(Layer.fresh(Layer.provideMerge(SqlApiKeys.layer, database)), { local: true })
      )
    )

  describe(`SqlApiKeys over ${name}`, () => {
    test(
      "finds a key by its secret, which isn't stored in the database",
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const sql = yield* SqlClient.SqlClient
        const limits = { ...unlimited, runs: 3, usdPerDay: 1.5 }
        const { key, secret } = yield* keys.create({ name: "ci", scopes: ["read", "runs"], limits })
        const text = Redacted.value(secret)
        assert.match(text, /^wak_[\w-]{43}$/u)
        assert.deepStrictEqual(yield* keys.find(text), Option.some(key))
        assert.deepStrictEqual(yield* keys.named("ci"), Option.some(key))
        assert.deepStrictEqual(yield* keys.named("CI"), Option.none())
        assert.deepStrictEqual(
          (yield* keys.list).map((one) => ({ ...one, lastUsedAt_ms: null })),
          [key]
        )
        assert.deepStrictEqual([key.limits, key.scopes], [limits, ["read", "runs"]])
        assert.deepStrictEqual(yield* keys.find(`${text}x`), Option.none())
        assert.notInclude(JSON.stringify(yield* sql`SELECT * FROM api_keys`), text.slice(key.prefix.length))
        assert.notInclude(String(secret), text)
      })
    )

    test(
      "stores a key's last use at most once a minute, and only that key's",
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const sql = yield* SqlClient.SqlClient
        const { secret } = yield* keys.create({ name: "ci", scopes: keyScopes, limits: unlimited })
        yield* keys.create({ name: "idle", scopes: keyScopes, limits: unlimited })
        const lastUse = Effect.map(keys.list, (all) => all.map(({ lastUsedAt_ms }) => lastUsedAt_ms))
        assert.deepStrictEqual(yield* lastUse, [null, null])
        yield* keys.find(Redacted.value(secret))
        yield* keys.named("idle")
        while ((yield* lastUse)[0] === null) yield* Effect.sleep("5 millis")
        const [first] = yield* lastUse
        yield* Effect.sleep("20 millis")
        yield* keys.find(Redacted.value(secret))
        yield* Effect.sleep("50 millis")
        assert.deepStrictEqual(yield* lastUse, [first ?? 0, null])
        yield* sql`UPDATE api_keys SET last_used_at_ms = 1`
        yield* keys.find(Redacted.value(secret))
        yield* Effect.sleep("50 millis")
        assert.deepStrictEqual(yield* lastUse, [1, 1])
      })
    )

    test(
      "doesn't find a revoked key, and gives its name to the next one",
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const request = { name: "ci", scopes: keyScopes, limits: unlimited }
        const first = yield* keys.create(request)
        assert.strictEqual((yield* Effect.flip(keys.create(request)))._tag, "KeyNameTaken")
        const revoked = yield* keys.revoke("ci")
        assert.isNotNull(revoked.revokedAt_ms)
        assert.deepStrictEqual(yield* keys.find(Redacted.value(first.secret)), Option.none())
        assert.strictEqual((yield* Effect.flip(keys.revoke("ci")))._tag, "KeyNotFound")
        assert.deepStrictEqual(yield* keys.named("ci"), Option.none())
        const names = ["ci", "key:0123456789abcdef"]
        assert.deepStrictEqual([...(yield* keys.revokedOf(names))], ["ci"])
        const second = yield* keys.create(request)
        assert.deepStrictEqual([...(yield* keys.revokedOf(names))], [])
        assert.isTrue(Option.isSome(yield* keys.find(Redacted.value(second.secret))))
        assert.lengthOf(yield* keys.list, 2)
        assert.deepStrictEqual(yield* keys.usage("ci", 1), { runs: 0, browsers: 0, usd: 0 })
      })
    )

    test(
      "rotates a key: keeps its name, scopes and limits, forgets the old secret, and never revokes the name",
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const first = yield* keys.create({ name: "ci", scopes: ["read", "admin"], limits: { ...unlimited, runs: 3 } })
        const second = yield* keys.rotate("ci")
        assert.deepStrictEqual(yield* keys.find(Redacted.value(first.secret)), Option.none())
        assert.deepStrictEqual(yield* keys.find(Redacted.value(second.secret)), Option.some(second.key))
        assert.deepStrictEqual([second.key.scopes, second.key.limits], [first.key.scopes, first.key.limits])
        assert.notStrictEqual(second.key.prefix, first.key.prefix)
        assert.deepStrictEqual([...(yield* keys.revokedOf(["ci"]))], [])
        assert.strictEqual((yield* Effect.flip(keys.rotate("unknown")))._tag, "KeyNotFound")
        assert.lengthOf(yield* keys.list, 2)
      })
    )

    test(
      "sets the limits of a key unless it's revoked",
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const { secret } = yield* keys.create({ name: "ci", scopes: keyScopes, limits: unlimited })
        const limits = { ...unlimited, requestsPerMinute: 5, usdPerDay: 0.5 }
        const changed = yield* keys.setLimits("ci", limits)
        assert.deepStrictEqual(changed.limits, limits)
        assert.deepStrictEqual(yield* keys.find(Redacted.value(secret)), Option.some(changed))
        yield* keys.revoke("ci")
        assert.strictEqual((yield* Effect.flip(keys.setLimits("ci", limits)))._tag, "KeyNotFound")
      })
    )

    test(
      "allows a key its requests per minute, and reports how long to wait for the next one",
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const waits = yield* Effect.replicateEffect(keys.countRequest("ci", 2), 4)
        assert.deepStrictEqual(waits.slice(0, 2), [0, 0])
        for (const wait_ms of waits.slice(2)) {
          assert.isAbove(wait_ms, 0)
          assert.isAtMost(wait_ms, 30_000)
        }
        assert.strictEqual(yield* keys.countRequest("other", 1), 0)
      })
    )
  })
}
