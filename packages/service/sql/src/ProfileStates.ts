import {
  NotWriter,
  type Profile,
  profileLimits,
  type ProfileNotFound,
  type ProfilesService,
  ProfileUnreadable,
  stateTooLarge,
  type StoreUnavailable
} from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { randomUUID } from "node:crypto"
import { type Place, type ProfileKey, rewrap, seal, unseal } from "./ProfileSeal.ts"
import { parsedTurn } from "./Rows.ts"
import { read, transaction, unavailable } from "./unavailable.ts"

type Row = Readonly<Record<string, unknown>>

/** Size of a row of a state: larger ones would take long to send, and Postgres limits the time of a statement. */
const chunk_bytes = 1024 * 1024

/** Number of states whose key is replaced at once. */
const rewrapped = 100

const chunksOf = (bytes: Uint8Array) =>
  Array.from({ length: Math.ceil(bytes.length / chunk_bytes) }, (_, i) =>
    bytes.subarray(i * chunk_bytes, (i + 1) * chunk_bytes)
  )

/** Encrypted states of profiles. `find` reads a profile that the caller may see. */
export const make = (
  sql: SqlClient.SqlClient,
  keys: ReadonlyArray<ProfileKey>,
  find: (id: string) => Effect.Effect<Profile, ProfileNotFound | StoreUnavailable>
) => {
  /** Deletes the saves of a profile except one: replaced ones, and any that a killed server didn't complete. */
  const deleteSaves = (profile: string, except: string | null) =>
    Effect.andThen(
      sql`DELETE FROM profile_chunks WHERE save IN
        (SELECT save FROM profile_saves WHERE profile = ${profile} AND save <> ${except ?? ""})`,
      sql`DELETE FROM profile_saves WHERE profile = ${profile} AND save <> ${except ?? ""}`
    )

  const keyOf = (keyId: string) => keys.find(({ id }) => id === keyId)

  const unreadable = (profile: string, reason: string) =>
    new ProfileUnreadable({ message: `The state of profile ${profile} can't be read: ${reason}` })

  /** Stores an encrypted state whose place is not known to its profile yet. */
  const insertState = Effect.fnUntraced(function* (place: Place, key: ProfileKey, bytes: Uint8Array) {
    const sealed = seal(key, bytes, place)
    const { profile, save } = place
    const chunks = chunksOf(sealed.bytes)
    yield* sql`INSERT INTO profile_saves ${sql.insert({
      save,
      profile,
      key_id: sealed.keyId,
      data_key: sealed.dataKey,
      chunks: chunks.length
    })}`
    for (const [i, chunk] of chunks.entries()) {
      yield* sql`INSERT INTO profile_chunks ${sql.insert({ save, i, bytes: chunk })}`
    }
  })

  /** Makes a stored state that of its profile, if the browser is still its writer. */
  const commitState = Effect.fnUntraced(function* (
    { profile, save }: Place,
    browserId: string,
    { domains, savedBy }: { readonly domains: ReadonlyArray<string>; readonly savedBy: string }
  ) {
    const now_ms = yield* Clock.currentTimeMillis
    const rows = yield* sql`UPDATE profiles SET save = ${save}, saved_at_ms = ${now_ms}, saved_by = ${savedBy},
      domains = ${JSON.stringify(domains)} WHERE id = ${profile} AND writer = ${browserId} RETURNING 1`
    if (rows.length === 0) return yield* new NotWriter({ id: profile })
    yield* deleteSaves(profile, save)
  })

  const load = Effect.fnUntraced(function* (id: string) {
    const { cookieDomains, owner, savedBy } = yield* find(id)
    // one statement, so that all rows are of one save
    const rows = yield* read(
      sql<Row>`SELECT s.save, s.key_id, s.data_key, s.chunks, c.bytes FROM profiles p
        JOIN profile_saves s ON s.save = p.save LEFT JOIN profile_chunks c ON c.save = s.save
        WHERE p.id = ${id} ORDER BY c.i`
    )
    const [first] = rows
    if (first === undefined) {
      if (savedBy === null) return null
      return yield* unreadable(id, "the database lost it. Restore a backup, or delete the profile")
    }
    const keyId = String(first["key_id"])
    const key = keyOf(keyId)
    if (key === undefined) {
      const available = keys.length === 0 ? "there is none" : `there are ${keys.map((each) => each.id).join(", ")}`
      return yield* unreadable(
        id,
        `it's encrypted with the profile key ${keyId}, and ${available}. Add that key to WEBAGENT_PROFILE_KEY`
      )
    }
    const bytes = yield* Effect.try({
      try: () => {
        if (rows.length !== Number(first["chunks"])) throw new Error("a part is missing")
        const sealed = Buffer.concat(rows.map((row) => row["bytes"] as Uint8Array))
        const place = { owner, profile: id, save: String(first["save"]) }
        return unseal(key, { bytes: sealed, keyId, dataKey: first["data_key"] as Uint8Array }, place)
      },
      catch: () => unreadable(id, "it's damaged. Restore a backup, or delete the profile")
    })
    return { bytes, domains: cookieDomains ?? [], savedBy: savedBy ?? "" }
  })

  const save: ProfilesService["save"] = Effect.fnUntraced(function* (id, browserId, state) {
    const { owner, writer } = yield* find(id)
    const { bytes } = state
    if (bytes.length > profileLimits.state_bytes) return yield* stateTooLarge(bytes.length)
    const [key] = keys
    if (writer !== browserId) return yield* new NotWriter({ id })
    if (key === undefined) return yield* Effect.die(new Error("Profiles have no key, and a browser has one"))
    const place = { owner, profile: id, save: randomUUID() }
    const forget = Effect.ignore(
      Effect.andThen(
        sql`DELETE FROM profile_chunks WHERE save = ${place.save}`,
        sql`DELETE FROM profile_saves WHERE save = ${place.save}`
      )
    )
    yield* Effect.mapError(insertState(place, key, bytes), unavailable).pipe(
      Effect.andThen(transaction(sql, commitState(place, browserId, state))),
      // a commit without an answer may be there; the next save deletes what is left
      Effect.tapError((error) =>
        error._tag === "StoreUnavailable" && error.applied === "unknown" ? Effect.void : forget
      )
    )
  })

  return { deleteSaves, load, save }
}

/**
 * Encrypts the keys of all states with the first key, and returns the ids of the keys that are still needed besides.
 * The states themselves stay as they are. Deletes what a server left that was killed while it saved a deleted profile.
 */
export const rotate = Effect.fnUntraced(function* (
  keys: ReadonlyArray<ProfileKey>
): Effect.fn.Return<ReadonlyArray<string>, StoreUnavailable, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.mapError(
    Effect.andThen(
      sql`DELETE FROM profile_saves WHERE profile NOT IN (SELECT id FROM profiles)`,
      sql`DELETE FROM profile_chunks WHERE save NOT IN (SELECT save FROM profile_saves)`
    ),
    unavailable
  )
  const [first] = keys
  const old = keys.slice(1)
  if (first !== undefined && old.length > 0) {
    let rows: ReadonlyArray<Row>
    do {
      rows = yield* read(
        sql<Row>`SELECT s.save, s.profile, s.key_id, s.data_key, p.owner FROM profile_saves s
          JOIN profiles p ON p.save = s.save WHERE ${sql.in(
            "key_id",
            old.map(({ id }) => id)
          )} ORDER BY s.save LIMIT ${rewrapped}`
      )
      for (const row of rows) {
        const place = {
          owner: row["owner"] === null ? null : String(row["owner"]),
          profile: String(row["profile"]),
          save: String(row["save"])
        }
        const from = old.find(({ id }) => id === row["key_id"]) ?? first
        const { dataKey, keyId } = rewrap(from, first, row["data_key"] as Uint8Array, place)
        yield* Effect.mapError(
          sql`UPDATE profile_saves SET key_id = ${keyId}, data_key = ${dataKey} WHERE save = ${place.save}`,
          unavailable
        )
      }
    } while (rows.length === rewrapped)
  }
  const left = yield* read(sql<Row>`SELECT DISTINCT key_id FROM profile_saves ORDER BY key_id`)
  return left.map((row) => String(row["key_id"])).filter((id) => id !== first?.id)
})

/** Returns the ids of the keys that encrypt secrets of unfinished runs. */
export const secretKeys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* read(sql<Row>`SELECT record FROM turns WHERE ended_at_ms IS NULL AND record LIKE '%"sealed":"%'`)
  const secrets = rows.flatMap(({ record }) => parsedTurn(record).secrets ?? [])
  const ids = secrets.flatMap(({ sealed }) => (sealed === null ? [] : sealed.split(".", 1)))
  return [...new Set(ids)]
})
