import { type ApiKey, ApiKeys, KeyLimits, KeyNameTaken, KeyNotFound, keyScopes, type KeyUsage } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { read, unavailable } from "./unavailable.ts"
import { hash } from "node:crypto"

/** How every secret begins, so that tools that look for leaked secrets know it. */
const start = "wak_"

/** How much of a secret is shown, to tell keys apart. */
const shown = start.length + 4

// a secret has 256 random bits: a slow hash would add nothing
const hashOf = (secret: string) => hash("sha256", secret, "buffer")

const Json = <S extends Schema.Constraint>(schema: S) => Schema.fromJsonString(schema)

const Row = Schema.Struct({
  name: Schema.String,
  prefix: Schema.String,
  scopes: Json(Schema.Array(Schema.Literals(keyScopes))),
  limits: Json(KeyLimits),
  created_at_ms: Schema.Int,
  revoked_at_ms: Schema.NullOr(Schema.Int)
})

const decodeRow = Schema.decodeUnknownEffect(Row)

const keyOf = (row: unknown): Effect.Effect<ApiKey> =>
  Effect.orDie(
    Effect.map(decodeRow(row), ({ created_at_ms, revoked_at_ms, ...key }) => ({
      ...key,
      createdAt_ms: created_at_ms,
      revokedAt_ms: revoked_at_ms
    }))
  )

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const random = yield* SecureRandom.SecureRandom
  const create: ApiKeys["Service"]["create"] = Effect.fnUntraced(function* ({ limits, name, scopes }) {
    const secret = start + Buffer.from(yield* random.randomBytes(32)).toString("base64url")
    const key = { name, prefix: secret.slice(0, shown), scopes, limits, createdAt_ms: yield* Clock.currentTimeMillis }
    yield* sql`INSERT INTO api_keys ${sql.insert({
      name,
      hash: hashOf(secret),
      prefix: key.prefix,
      scopes: JSON.stringify(scopes),
      limits: JSON.stringify(limits),
      created_at_ms: key.createdAt_ms
    })}`.pipe(
      Effect.catch((error) =>
        Effect.fail(error.reason._tag === "UniqueViolation" ? new KeyNameTaken({ name }) : unavailable(error))
      )
    )
    return { key: { ...key, revokedAt_ms: null }, secret: Redacted.make(secret) }
  })

  return ApiKeys.of({
    create,
    list: Effect.flatMap(read(sql`SELECT * FROM api_keys ORDER BY id`), (rows) => Effect.forEach(rows, keyOf)),
    revoke: Effect.fnUntraced(function* (name) {
      const at_ms = yield* Clock.currentTimeMillis
      const revoked = yield* Effect.mapError(
        sql`UPDATE api_keys SET revoked_at_ms = ${at_ms} WHERE name = ${name} AND revoked_at_ms IS NULL RETURNING *`,
        unavailable
      )
      return revoked[0] === undefined ? yield* new KeyNotFound({ name }) : yield* keyOf(revoked[0])
    }),
    find: Effect.fnUntraced(function* (secret) {
      const found = yield* read(sql`SELECT * FROM api_keys WHERE hash = ${hashOf(secret)} AND revoked_at_ms IS NULL`)
      return found[0] === undefined ? Option.none() : Option.some(yield* keyOf(found[0]))
    }),
    usage: (name, since_ms) =>
      read(
        Effect.map(
          sql<KeyUsage>`SELECT
            (SELECT count(*) FROM turns WHERE owner = ${name} AND ended_at_ms IS NULL) AS runs,
            (SELECT count(*) FROM browsers WHERE owner = ${name} AND stopped_at_ms IS NULL) AS browsers,
            (SELECT total(usd) FROM turns WHERE owner = ${name} AND ended_at_ms IS NULL)
              + (SELECT total(usd) FROM turns WHERE owner = ${name} AND ended_at_ms >= ${since_ms}) AS usd`,
          ([usage]) => usage ?? { runs: 0, browsers: 0, usd: 0 }
        )
      )
  })
})

/** The API keys of a database. A secret is stored as its SHA-256. */
export const layer: Layer.Layer<ApiKeys, never, SqlClient.SqlClient> = Layer.effect(ApiKeys, make).pipe(
  Layer.provide(SecureRandom.layerWebCrypto)
)
