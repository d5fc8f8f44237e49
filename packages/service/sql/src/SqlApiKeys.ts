import { type ApiKey, ApiKeys, KeyNameTaken, KeyNotFound, type KeyUsage } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { Reader } from "./Reader.ts"
import { storeTime } from "./storeTime.ts"
import { read, transaction, unavailable } from "./unavailable.ts"
import { hash } from "node:crypto"

/** The prefix of every secret, by which scanners for leaked secrets know it. */
const start = "wak_"

/** Number of characters of a secret that are shown, to distinguish keys. */
const shown = start.length + 4

// a secret has 256 random bits: a slow hash would add nothing
const hashOf = (secret: string) => hash("sha256", secret, "buffer")

/** The counts of a key's requests. */
const window_ms = 60_000

type Row = Readonly<Record<string, unknown>>

/** A use of a key is stored if the stored one is this old, because a busy key sends many requests. */
const useEvery_ms = 60_000

const timeOf = (value: unknown) => (value === null ? null : Number(value))

/** A row is written by this module alone, so it is not checked again: every request reads one. */
const keyOf = (row: Row): ApiKey => ({
  name: String(row["name"]),
  prefix: String(row["prefix"]),
  scopes: JSON.parse(String(row["scopes"])),
  limits: JSON.parse(String(row["limits"])),
  createdAt_ms: Number(row["created_at_ms"]),
  revokedAt_ms: timeOf(row["revoked_at_ms"]),
  lastUsedAt_ms: timeOf(row["last_used_at_ms"])
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const reader = yield* Reader
  const random = yield* SecureRandom.SecureRandom
  const now = storeTime(sql, yield* Clock.Clock)
  /** Locks the key's row, so that other counts of the key wait. SQLite runs one commit at a time anyway. */
  const alone = (name: string) =>
    sql.onDialectOrElse({
      pg: () => sql`SELECT 1 FROM api_keys WHERE name = ${name} AND revoked_at_ms IS NULL FOR UPDATE`,
      orElse: () => Effect.void
    })
  const insert = Effect.fnUntraced(function* ({ limits, name, scopes }: Pick<ApiKey, "name" | "scopes" | "limits">) {
    const secret = start + Buffer.from(yield* random.randomBytes(32)).toString("base64url")
    const key = { name, prefix: secret.slice(0, shown), scopes, limits, createdAt_ms: yield* Clock.currentTimeMillis }
    yield* sql`INSERT INTO api_keys ${sql.insert({
      name,
      hash: hashOf(secret),
      prefix: key.prefix,
      scopes: JSON.stringify(scopes),
      limits: JSON.stringify(limits),
      created_at_ms: key.createdAt_ms
    })}`
    return { key: { ...key, revokedAt_ms: null, lastUsedAt_ms: null }, secret: Redacted.make(secret) }
  })

  /** The only row of an update of a key that isn't revoked. */
  const changed = (name: string, rows: ReadonlyArray<Row>) =>
    rows[0] === undefined ? Effect.fail(new KeyNotFound({ name })) : Effect.succeed(keyOf(rows[0]))

  const first = (text: string, value: string | Uint8Array) =>
    Effect.map(read(reader.get(text, value)), (row) => Option.map(Option.fromUndefinedOr(row), keyOf))

  const scope = yield* Effect.scope
  /** The uses that this process has stored, by the names of keys. */
  const uses = new Map<string, number>()

  /** Stores that a key is in use. No request waits for it, and none fails with it. */
  const noteUse = ({ lastUsedAt_ms, name }: ApiKey) =>
    Effect.flatMap(Clock.currentTimeMillis, (now_ms) => {
      if (now_ms - Math.max(lastUsedAt_ms ?? -Infinity, uses.get(name) ?? -Infinity) < useEvery_ms) return Effect.void
      uses.set(name, now_ms)
      const stored = sql`UPDATE api_keys SET last_used_at_ms = ${now_ms} WHERE name = ${name} AND revoked_at_ms IS NULL
        AND (last_used_at_ms IS NULL OR last_used_at_ms < ${now_ms})`
      return Effect.asVoid(Effect.forkIn(Effect.ignore(stored), scope))
    })

  const revoked = Effect.fnUntraced(function* (name: string) {
    const at_ms = yield* Clock.currentTimeMillis
    return yield* sql<Row>`UPDATE api_keys SET revoked_at_ms = ${at_ms}
      WHERE name = ${name} AND revoked_at_ms IS NULL RETURNING *`
  })

  return ApiKeys.of({
    create: (request) =>
      insert(request).pipe(
        Effect.catch((error) =>
          Effect.fail(
            error.reason._tag === "UniqueViolation" ? new KeyNameTaken({ name: request.name }) : unavailable(error)
          )
        )
      ),
    rotate: (name) =>
      transaction(
        sql,
        Effect.flatMap(revoked(name), (rows) => Effect.flatMap(changed(name, rows), insert))
      ),
    setLimits: (name, limits) =>
      sql<Row>`UPDATE api_keys SET limits = ${JSON.stringify(limits)}
        WHERE name = ${name} AND revoked_at_ms IS NULL RETURNING *`.pipe(
        Effect.mapError(unavailable),
        Effect.flatMap((rows) => changed(name, rows))
      ),
    list: Effect.map(read(sql<Row>`SELECT * FROM api_keys ORDER BY id`), (rows) => rows.map(keyOf)),
    revoke: (name) => Effect.flatMap(Effect.mapError(revoked(name), unavailable), (rows) => changed(name, rows)),
    revokedOf: (names) =>
      names.length === 0
        ? Effect.succeed(new Set())
        : Effect.map(
            read(sql<{ readonly name: string }>`SELECT name FROM api_keys WHERE ${sql.in("name", names)}
              GROUP BY name HAVING count(*) = count(revoked_at_ms)`),
            (rows) => new Set(rows.map(({ name }) => name))
          ),
    find: (secret) =>
      Effect.tap(first("SELECT * FROM api_keys WHERE hash = ? AND revoked_at_ms IS NULL", hashOf(secret)), (key) =>
        Option.isSome(key) ? noteUse(key.value) : Effect.void
      ),
    named: (name) => first("SELECT * FROM api_keys WHERE name = ? AND revoked_at_ms IS NULL", name),
    usage: (name, since_ms) =>
      read(
        Effect.gen(function* () {
          yield* alone(name)
          const [usage] = yield* sql<KeyUsage>`SELECT
            (SELECT count(*) FROM turns WHERE owner = ${name} AND ended_at_ms IS NULL) AS runs,
            (SELECT count(*) FROM browsers WHERE owner = ${name} AND stopped_at_ms IS NULL) AS browsers,
            (SELECT coalesce(sum(usd), 0) FROM turns WHERE owner = ${name} AND ended_at_ms IS NULL)
              + (SELECT coalesce(sum(usd), 0) FROM turns WHERE owner = ${name} AND ended_at_ms >= ${since_ms}) AS usd`
          return usage ?? { runs: 0, browsers: 0, usd: 0 }
        })
      ),
    countRequest: (name, perMinute) => {
      const step_ms = Math.ceil(window_ms / perMinute)
      const counted = Effect.gen(function* () {
        const now_ms = yield* now
        // the bucket is one number: the time at which it is full again
        const taken = yield* sql`INSERT INTO request_rates (name, full_at_ms) VALUES (${name}, ${now_ms} + ${step_ms})
          ON CONFLICT (name) DO UPDATE SET full_at_ms = ${step_ms} +
            CASE WHEN request_rates.full_at_ms > ${now_ms} THEN request_rates.full_at_ms ELSE ${now_ms} END
          WHERE request_rates.full_at_ms <= ${now_ms} + ${window_ms - step_ms} RETURNING 1`
        if (taken.length === 1) return 0
        const [rate] = yield* sql<{ readonly wait_ms: number }>`SELECT
          full_at_ms - ${now_ms} - ${window_ms - step_ms} AS wait_ms FROM request_rates WHERE name = ${name}`
        return Math.max(1, Number(rate?.wait_ms ?? 1))
      })
      return Effect.mapError(counted, unavailable)
    }
  })
})

/** The API keys of a database. A secret is stored as its SHA-256. */
export const layer: Layer.Layer<ApiKeys, never, SqlClient.SqlClient | Reader> = Layer.effect(ApiKeys, make).pipe(
  Layer.provide(SecureRandom.layerWebCrypto)
)
