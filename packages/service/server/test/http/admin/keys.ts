import { type ApiKey, ApiKeys, defaultKeyScopes, KeyNameTaken, KeyNotFound, type KeyScope } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

const unlimited = { runs: null, browsers: null, requestsPerMinute: null, usdPerDay: null }

/** API keys in memory: the secret of a key is its name after `wak_`, and a number after a rotation. */
export const layerKeys = (scopes: Readonly<Record<string, ReadonlyArray<KeyScope>>>) =>
  Layer.sync(ApiKeys, () => {
    const all = new Map<string, ApiKey>()
    let count = 0
    const add = (request: Pick<ApiKey, "name" | "scopes" | "limits">, secret: string) => {
      const key: ApiKey = {
        ...request,
        prefix: secret.slice(0, 8),
        createdAt_ms: ++count,
        revokedAt_ms: null,
        lastUsedAt_ms: null
      }
      all.set(secret, key)
      return { key, secret: Redacted.make(secret) }
    }
    for (const [name, own] of Object.entries(scopes)) add({ name, scopes: own, limits: unlimited }, `wak_${name}`)
    const change = (name: string, to: (key: ApiKey) => ApiKey) => {
      for (const [secret, key] of all) {
        if (key.name !== name || key.revokedAt_ms !== null) continue
        all.set(secret, to(key))
        return Effect.succeed(to(key))
      }
      return Effect.fail(new KeyNotFound({ name }))
    }
    const isTaken = (name: string) => [...all.values()].some((key) => key.name === name && key.revokedAt_ms === null)
    const revoke = (name: string) => change(name, (key) => ({ ...key, revokedAt_ms: 1 }))
    return {
      create: (request) =>
        Effect.suspend(() =>
          isTaken(request.name)
            ? Effect.fail(new KeyNameTaken({ name: request.name }))
            : Effect.succeed(add(request, `wak_${request.name}`))
        ),
      rotate: (name) =>
        Effect.suspend(() => Effect.map(revoke(name), (key) => add({ ...key }, `wak_${name}_${count}`))),
      setLimits: (name, limits) => Effect.suspend(() => change(name, (key) => ({ ...key, limits }))),
      list: Effect.sync(() => [...all.values()]),
      revoke: (name) => Effect.suspend(() => revoke(name)),
      revokedOf: (names) => Effect.sync(() => new Set(names.filter((name) => !isTaken(name)))),
      find: (secret) =>
        Effect.sync(() =>
          Option.filter(Option.fromUndefinedOr(all.get(secret)), ({ revokedAt_ms }) => revokedAt_ms === null)
        ),
      named: (name) =>
        Effect.sync(() =>
          Option.fromUndefinedOr([...all.values()].find((key) => key.name === name && key.revokedAt_ms === null))
        ),
      usage: () => Effect.succeed({ runs: 1, browsers: 2, usd: 0.1 + 0.2 }),
      countRequest: () => Effect.succeed(0)
    }
  })

/** A key with the scope `admin`, two keys without it, and one that may only read. */
export const layerOfTest = layerKeys({
  root: ["admin"],
  shop: defaultKeyScopes,
  blog: defaultKeyScopes,
  reader: ["read"]
})
