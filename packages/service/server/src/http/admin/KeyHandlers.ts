import { type CreatedKey, type Key, NotFoundError } from "@webagent/admin"
import { ConflictError, fromMillis } from "@webagent/contract"
import { type ApiKey, ApiKeys, defaultKeyScopes, type KeyUsage } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Audit from "../../api/Audit.ts"
import { Caller } from "../../api/Caller.ts"
import { group } from "./Operations.ts"

const day_ms = 86_400_000

/** Number of keys whose usage is read at the same time. */
const atOnce = 4

const unlimited = { runs: null, browsers: null, requestsPerMinute: null, usdPerDay: null }

const viewOf = (
  { createdAt_ms, lastUsedAt_ms, limits, name, prefix, revokedAt_ms, scopes }: ApiKey,
  usage: KeyUsage
): Key => ({
  name,
  prefix,
  scopes,
  limits,
  createdAt: fromMillis(createdAt_ms),
  revokedAt: revokedAt_ms === null ? null : fromMillis(revokedAt_ms),
  lastUsedAt: lastUsedAt_ms === null ? null : fromMillis(lastUsedAt_ms),
  // sums of the database are binary fractions
  usage: { runs: Number(usage.runs), browsers: Number(usage.browsers), usdToday: String(Number(usage.usd.toFixed(9))) }
})

const unknown = (name: string) => new NotFoundError({ detail: `No key is named ${name}` })

const none = new NotFoundError({ detail: "This server has no stored keys, only those that it was started with" })

/** The keys of the server's store. */
export const layer = group("keys", function* (handlers) {
  const stored = Option.getOrUndefined(yield* Effect.serviceOption(ApiKeys))
  const keys = stored === undefined ? Effect.fail(none) : Effect.succeed(stored)

  const withUsage = Effect.fnUntraced(function* (key: ApiKey) {
    const { usage } = yield* Effect.orDie(keys)
    const now_ms = yield* Clock.currentTimeMillis
    return viewOf(key, yield* usage(key.name, now_ms - (now_ms % day_ms)))
  })
  // no other caller can leave a server without an admin: it has the scope itself
  const keepAdmin = Effect.fnUntraced(function* (name: string) {
    const { key } = yield* Caller
    if (key?.name !== name) return
    const { list } = yield* keys
    const others = (yield* list).filter((other) => other.name !== name && other.revokedAt_ms === null)
    if (others.some(({ scopes }) => scopes.includes("admin"))) return
    return yield* new ConflictError({
      detail: `${name} is the last key with the scope admin. Create another one with it first, or rotate ${name}`
    })
  })
  const created = ({ key, secret }: { readonly key: ApiKey; readonly secret: CreatedKey["secret"] }) =>
    Effect.map(withUsage(key), (view): CreatedKey => ({ key: view, secret }))

  return handlers.handleAll({
    list: Effect.fnUntraced(function* () {
      if (stored === undefined) return []
      const { isAdmin, name } = yield* Caller
      const all = yield* stored.list
      const seen = isAdmin ? all : all.filter((key) => key.name === name)
      return yield* Effect.forEach(seen, withUsage, { concurrency: atOnce })
    }),
    create: ({ payload: { limits = unlimited, name, scopes = defaultKeyScopes } }) =>
      Effect.flatMap(Effect.andThen(Audit.note([name]), keys), ({ create }) =>
        create({ name, limits, scopes: [...new Set(scopes)] })
      ).pipe(
        Effect.flatMap(created),
        Effect.catchTag("KeyNameTaken", () =>
          Effect.fail(
            new ConflictError({ detail: `A key named ${name} exists. Revoke or rotate it, or choose another name` })
          )
        )
      ),
    rotate: ({ params: { name } }) =>
      Effect.flatMap(keys, ({ rotate }) => rotate(name)).pipe(
        Effect.flatMap(created),
        Effect.catchTag("KeyNotFound", () => Effect.fail(unknown(name)))
      ),
    revoke: ({ params: { name } }) =>
      Effect.andThen(
        keepAdmin(name),
        Effect.flatMap(keys, ({ revoke }) => revoke(name))
      ).pipe(
        Effect.flatMap(withUsage),
        Effect.catchTag("KeyNotFound", () => Effect.fail(unknown(name)))
      ),
    setLimits: ({ params: { name }, payload }) =>
      Effect.flatMap(keys, ({ setLimits }) => setLimits(name, payload)).pipe(
        Effect.flatMap(withUsage),
        Effect.catchTag("KeyNotFound", () => Effect.fail(unknown(name)))
      )
  })
})
