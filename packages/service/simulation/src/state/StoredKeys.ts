import { type ApiKey, ApiKeys, Engine, KeyNameTaken, KeyNotFound } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

const day_ms = 86_400_000

/** The window of a limit of requests. */
const window_ms = 60_000

/** Runs and browsers of a key are counted up to this number. */
const most = 100_000

const make = Effect.gen(function* () {
  const { lists } = yield* Engine
  const random = yield* SecureRandom.SecureRandom
  /** All keys by their secrets, oldest first. */
  const keys = new Map<string, ApiKey>()
  /** The time at which the requests of a key are all available again. */
  const fullAt_ms = new Map<string, number>()

  const entryOf = (name: string) => [...keys].find(([, key]) => key.name === name && key.revokedAt_ms === null)

  const create = Effect.fnUntraced(function* (request: Pick<ApiKey, "name" | "scopes" | "limits">) {
    if (entryOf(request.name) !== undefined) return yield* new KeyNameTaken({ name: request.name })
    const secret = `wak_${Buffer.from(yield* Effect.orDie(random.randomBytes(32))).toString("base64url")}`
    const createdAt_ms = yield* Clock.currentTimeMillis
    const key = { ...request, prefix: secret.slice(0, 8), createdAt_ms, revokedAt_ms: null, lastUsedAt_ms: null }
    keys.set(secret, key)
    return { key, secret: Redacted.make(secret) }
  })

  const change = (name: string, change: Partial<ApiKey>) =>
    Effect.suspend(() => {
      const entry = entryOf(name)
      if (entry === undefined) return Effect.fail(new KeyNotFound({ name }))
      const key = { ...entry[1], ...change }
      keys.set(entry[0], key)
      return Effect.succeed(key)
    })

  const revoke = (name: string) =>
    Effect.flatMap(Clock.currentTimeMillis, (revokedAt_ms) => change(name, { revokedAt_ms }))

  return ApiKeys.of({
    create,
    revoke,
    rotate: (name) =>
      Effect.flatMap(revoke(name), (key) => Effect.catchTag(create(key), "KeyNameTaken", (error) => Effect.die(error))),
    setLimits: (name, limits) => change(name, { limits }),
    list: Effect.sync(() => [...keys.values()]),
    revokedOf: (names) =>
      Effect.sync(() => {
        const had = new Set([...keys.values()].map(({ name }) => name))
        return new Set(names.filter((name) => had.has(name) && entryOf(name) === undefined))
      }),
    find: (secret) =>
      Effect.map(Clock.currentTimeMillis, (lastUsedAt_ms) => {
        const key = keys.get(secret)
        if (key === undefined || key.revokedAt_ms !== null) return Option.none()
        keys.set(secret, { ...key, lastUsedAt_ms })
        return Option.some(key)
      }),
    named: (name) => Effect.sync(() => Option.fromUndefinedOr(entryOf(name)?.[1])),
    // the cost of a run counts once it's finished
    usage: Effect.fnUntraced(function* (owner, from_ms) {
      const runs = yield* lists.turnCounts({ owner }, most)
      const browsers = yield* lists.browserCounts({ owner }, most)
      const spend = yield* lists.spend({ from_ms, to_ms: from_ms + day_ms, owner })
      return {
        runs: runs.queued.count + runs.dispatching.count + runs.running.count,
        browsers: browsers.active.count,
        usd: spend.reduce((sum, { cost }) => sum + Number(cost), 0)
      }
    }),
    countRequest: (name, perMinute) =>
      Effect.map(Clock.currentTimeMillis, (now_ms) => {
        const next_ms = Math.max(fullAt_ms.get(name) ?? 0, now_ms) + Math.ceil(window_ms / perMinute)
        if (next_ms - now_ms > window_ms) return next_ms - now_ms - window_ms
        fullAt_ms.set(name, next_ms)
        return 0
      })
  })
})

/** The keys that a person creates in the console or the admin API. They are kept until the service ends. */
export const layer: Layer.Layer<ApiKeys, never, Engine> = Layer.effect(ApiKeys, make).pipe(
  Layer.provide(SecureRandom.layerWebCrypto)
)

/** The same keys for the check of a create: a store in memory runs it before it writes what is created. */
export const layerBeforeWrites: Layer.Layer<ApiKeys, never, ApiKeys> = Layer.effect(
  ApiKeys,
  Effect.map(ApiKeys, (keys) => ({
    ...keys,
    usage: (name: string, since_ms: number) =>
      Effect.map(keys.usage(name, since_ms), (usage) => ({
        ...usage,
        runs: usage.runs + 1,
        browsers: usage.browsers + 1
      }))
  }))
)
