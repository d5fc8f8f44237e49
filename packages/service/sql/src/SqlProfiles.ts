import {
  IdSource,
  Owner,
  type Profile,
  profileLimits,
  ProfileNotFound,
  Profiles,
  profilesFull,
  type ProfilesService
} from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as OwnedRows from "./OwnedRows.ts"
import type { ProfileKey } from "./ProfileSeal.ts"
import * as ProfileStates from "./ProfileStates.ts"
import { read, transaction, unavailable } from "./unavailable.ts"
import { isStorable } from "./WorkspaceRows.ts"

/** Keys of the profiles in a database. */
export interface ProfilesOptions {
  /** The first key encrypts, each one decrypts; without any, no state can be saved. */
  readonly keys?: ReadonlyArray<ProfileKey>
  /** The reason why browsers can't use profiles; absent if they can. */
  readonly unusable?: string
}

type Row = Readonly<Record<string, unknown>>

const textOf = (value: unknown) => (value === null ? null : String(value))
const timeOf = (value: unknown) => (value === null ? null : Number(value))

const profileOf = (row: Row): Profile => ({
  id: String(row["id"]),
  owner: textOf(row["owner"]),
  name: textOf(row["name"]),
  userId: textOf(row["user_id"]),
  cookieDomains: row["domains"] === null ? null : (JSON.parse(String(row["domains"])) as ReadonlyArray<string>),
  createdAt_ms: Number(row["created_at_ms"]),
  updatedAt_ms: Number(row["updated_at_ms"]),
  lastUsedAt_ms: timeOf(row["last_used_at_ms"]),
  writer: textOf(row["writer"]),
  lentAt_ms: timeOf(row["lent_at_ms"]),
  savedAt_ms: timeOf(row["saved_at_ms"]),
  savedBy: textOf(row["saved_by"])
})

const make = Effect.fnUntraced(function* ({ keys = [], unusable }: ProfilesOptions) {
  const sql = yield* SqlClient.SqlClient
  const ids = yield* IdSource

  const owned = OwnedRows.make(sql, "profiles")
  const { seenBy } = owned

  /** The only row of a statement about a profile. */
  const one = (id: string, rows: (owner: string | null) => Effect.Effect<ReadonlyArray<Row>, SqlError>) =>
    Effect.flatMap(Owner, (owner) =>
      Effect.flatMap(isStorable(id) ? Effect.mapError(rows(owner), unavailable) : Effect.succeed([]), ([row]) =>
        row === undefined ? Effect.fail(new ProfileNotFound({ id })) : Effect.succeed(profileOf(row))
      )
    )

  const find = (id: string) =>
    one(id, (owner) => sql<Row>`SELECT * FROM profiles WHERE id = ${id} AND ${seenBy(owner)}`)

  /** Overwrites what is deleted, so that a deleted key is nowhere in the file. */
  const erasing = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | SqlError> =>
    sql.onDialectOrElse({
      pg: () => effect,
      orElse: () =>
        Effect.andThen(
          sql.unsafe("PRAGMA secure_delete = ON"),
          Effect.ensuring(effect, Effect.ignore(sql.unsafe("PRAGMA secure_delete = OFF")))
        )
    })

  const states = ProfileStates.make(sql, keys, find)

  const containing = (text: string) =>
    sql.onDialectOrElse({
      pg: () => sql`position(${text} in search) > 0`,
      orElse: () => sql`instr(search, ${text}) > 0`
    })

  const profiles: ProfilesService = {
    ...(unusable === undefined ? {} : { unusable }),
    create: Effect.fnUntraced(function* ({ name, userId }, keep) {
      const owner = yield* Owner
      const now_ms = yield* Clock.currentTimeMillis
      const row = {
        id: yield* ids.next("profile"),
        owner,
        name,
        user_id: userId,
        search: (name ?? "").toLowerCase(),
        created_at_ms: now_ms,
        updated_at_ms: now_ms
      }
      const insert = Effect.map(sql<Row>`INSERT INTO profiles ${sql.insert(row)} RETURNING *`, ([stored = {}]) =>
        profileOf(stored)
      )
      return yield* owned.create({ owner, most: profileLimits.profiles, full: profilesFull, insert, keep })
    }),
    find,
    list: Effect.fnUntraced(function* (query, from, limit) {
      if (!isStorable(query)) return { items: [], total: 0 }
      const owner = yield* Owner
      const where = sql.and([seenBy(owner), ...(query === "" ? [] : [containing(query.toLowerCase())])])
      const rows = yield* read(
        sql<Row>`SELECT * FROM profiles WHERE ${where} ORDER BY n DESC LIMIT ${limit} OFFSET ${from}`
      )
      const [count] = yield* read(sql<Row>`SELECT count(*) AS count FROM profiles WHERE ${where}`)
      return { items: rows.map(profileOf), total: Number(count?.["count"]) }
    }),
    update: Effect.fnUntraced(function* (id, { name, userId }) {
      const now_ms = yield* Clock.currentTimeMillis
      const changes = [
        ...(name === undefined ? [] : [sql`name = ${name}`, sql`search = ${(name ?? "").toLowerCase()}`]),
        ...(userId === undefined ? [] : [sql`user_id = ${userId}`]),
        sql`updated_at_ms = CASE WHEN updated_at_ms > ${now_ms} THEN updated_at_ms ELSE ${now_ms} END`
      ]
      return yield* one(
        id,
        (owner) => sql<Row>`UPDATE profiles SET ${sql.csv(changes)} WHERE id = ${id} AND ${seenBy(owner)} RETURNING *`
      )
    }),
    remove: Effect.fnUntraced(function* (id) {
      if (!isStorable(id)) return yield* new ProfileNotFound({ id })
      const owner = yield* Owner
      yield* transaction(
        sql,
        erasing(
          Effect.gen(function* () {
            const rows = yield* sql`DELETE FROM profiles WHERE id = ${id} AND ${seenBy(owner)} RETURNING 1`
            if (rows.length === 0) return yield* new ProfileNotFound({ id })
            yield* states.deleteSaves(id, null)
          })
        )
      )
    }),
    use: Effect.fnUntraced(function* (id) {
      const now_ms = yield* Clock.currentTimeMillis
      return yield* one(
        id,
        (owner) =>
          sql<Row>`UPDATE profiles SET last_used_at_ms = ${now_ms} WHERE id = ${id} AND ${seenBy(owner)} RETURNING *`
      )
    }),
    acquire: Effect.fnUntraced(function* (id, browserId, instead) {
      const owner = yield* Owner
      const now_ms = yield* Clock.currentTimeMillis
      const by = instead === null ? sql`writer IS NULL` : sql`writer = ${instead}`
      const rows = yield* Effect.mapError(
        sql`UPDATE profiles SET writer = ${browserId}, last_used_at_ms = ${now_ms}, lent_at_ms = ${now_ms}
          WHERE id = ${id} AND ${seenBy(owner)} AND ${by} RETURNING 1`,
        unavailable
      )
      if (rows.length > 0) return true
      yield* find(id)
      return false
    }),
    release: (id, browserId) =>
      sql`UPDATE profiles SET writer = NULL WHERE id = ${id} AND writer = ${browserId}`.pipe(
        Effect.mapError(unavailable),
        Effect.asVoid
      ),
    load: states.load,
    save: states.save
  }
  return profiles
})

/** Profiles in a database, their state encrypted. */
export const layer = (options: ProfilesOptions = {}): Layer.Layer<never, never, SqlClient.SqlClient | IdSource> =>
  Layer.effect(Profiles, make(options))

export { rotate, secretKeys } from "./ProfileStates.ts"
