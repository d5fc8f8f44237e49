import { type UserError, usage } from "@webagent/cli/UserError"
import { makeSecretBox, SecretBox } from "@webagent/engine"
import { BadProfileKey, newProfileKey, type ProfileKey, readProfileKeys, SqlProfiles } from "@webagent/sql"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as SqlClient from "effect/sql/SqlClient"
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { type Data, folderOf } from "./data.ts"

/** The variable with the keys of profiles: other users of the machine could read a flag. */
export const profileKeyVariable = "WEBAGENT_PROFILE_KEY"

/** Locations of the keys that encrypt profiles. */
export interface ProfileKeyOptions {
  /** The keys themselves, as in a file. */
  readonly keys: Redacted.Redacted | undefined
  readonly file: string | undefined
  /**
   * Reads the keys again. The effect that it returns has the server use them, and is true if they are others. Only a
   * running server has it.
   */
  readonly again?: Effect.Effect<Effect.Effect<boolean>, UserError>
}

const withoutKey = `This server has no profile key. Set ${profileKeyVariable} or --profile-key-file, the same for all servers that share the database`

const advice = "Make one: openssl rand -base64 32."

/** Reads keys; `where` names the variable or the file. */
const keysOf = (text: string, where: string) =>
  Effect.try({
    try: () => readProfileKeys(text),
    catch: (error) => usage(`${where}: ${error instanceof BadProfileKey ? error.message : String(error)}.`)
  }).pipe(
    Effect.filterOrFail(
      (keys) => keys.length > 0,
      () => usage(`${where} has no key. ${advice}`)
    )
  )

const readFile = (file: string) =>
  Effect.try({
    try: () => ({ text: readFileSync(file, "utf8"), mode: statSync(file).mode }),
    catch: () => usage(`Cannot read the profile key file ${file}. Check the path and its permissions.`)
  }).pipe(
    Effect.filterOrFail(
      ({ mode }) => (mode & 0o077) === 0,
      () => usage(`Other users can read the profile key file ${file}. Run: chmod 600 ${file}`)
    ),
    Effect.flatMap(({ text }) => keysOf(text, file))
  )

/** The file next to a database file, which is made when it is first needed. */
const makeFile = (file: string) =>
  Effect.try({
    try: () => {
      if (existsSync(file)) return
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      writeFileSync(file, `${newProfileKey().text}\n`, { mode: 0o600, flag: "wx" })
    },
    catch: (error) => usage(`Cannot make the profile key file ${file}: ${String(error)}.`)
  })

/** Finds the keys: those of the variable, of the file, or of a file next to the database; none for Postgres. */
const findKeys = (
  { file, keys }: ProfileKeyOptions,
  data: Data,
  mayMake = true
): Effect.Effect<ReadonlyArray<ProfileKey>, UserError> => {
  if (keys !== undefined) return keysOf(Redacted.value(keys), profileKeyVariable)
  if (file !== undefined) return readFile(file)
  if (data._tag === "Postgres") return Effect.succeed([])
  const usual = join(folderOf(data), "profile.key")
  return Effect.andThen(mayMake ? makeFile(usual) : Effect.void, readFile(usual))
}

const warnOfSecrets = (id: string, isMissing: boolean) => {
  const places = `${profileKeyVariable} or the key file`
  const remedy = isMissing
    ? `This server doesn't have that key: add it to ${places}, after the first one, because these runs fail without it`
    : `Keep that key in ${places} until these runs finish`
  return Effect.logWarning(`Secrets of unfinished runs are encrypted with the profile key ${id}. ${remedy}`)
}

/** Encrypts all profiles with the first key, and reports keys that are missing, or that unfinished runs need. */
const rotated = (keys: ReadonlyArray<ProfileKey>) =>
  SqlProfiles.rotate(keys).pipe(
    Effect.flatMap((ids) =>
      ids.length === 0
        ? Effect.void
        : Effect.logWarning(
            `Browser profiles are encrypted with profile keys that this server doesn't have: ${ids.join(", ")}. Add them to ${profileKeyVariable}, after the first one`
          )
    ),
    Effect.andThen(SqlProfiles.secretKeys),
    Effect.map((ids) => ids.filter((id) => id !== keys[0]?.id)),
    Effect.flatMap(
      Effect.forEach((id) =>
        warnOfSecrets(
          id,
          keys.every((key) => key.id !== id)
        )
      )
    ),
    Effect.catchCause((cause) => Effect.logWarning("Cannot change the key of browser profiles", cause))
  )

const idsOf = (keys: ReadonlyArray<ProfileKey>) => keys.map(({ id }) => id).join()

/** Lets a reload exchange the keys in place, because all parts of the server have the same list. */
const exchangeable = (options: ProfileKeyOptions, data: Data, keys: Array<ProfileKey>) =>
  Effect.map(Effect.context<SqlClient.SqlClient>(), (context) => {
    const use = (next: ReadonlyArray<ProfileKey>) =>
      Effect.suspend(() => {
        const isNew = idsOf(next) !== idsOf(keys)
        keys.splice(0, keys.length, ...next)
        return Effect.as(Effect.provide(rotated([...next]), context), isNew)
      })
    // a new file in place of one that is missing would make all profiles unreadable
    Object.assign(options, { again: Effect.map(findKeys(options, data, false), use) })
  })

/**
 * Profiles of a server, and the encryption of its runs' secrets. Simulated browsers have no state to encrypt, and their
 * agent types nothing, so without options there is no key.
 */
export const layerProfiles = (options: ProfileKeyOptions | undefined, data: Data) =>
  options === undefined
    ? SqlProfiles.layer()
    : Layer.unwrap(
        Effect.map(findKeys(options, data), (initial) => {
          const keys = [...initial]
          const box = Layer.succeed(SecretBox, makeSecretBox(keys, withoutKey))
          if (initial.length === 0) return Layer.merge(SqlProfiles.layer({ unusable: withoutKey }), box)
          const kept = Effect.andThen(exchangeable(options, data, keys), Effect.forkScoped(rotated(initial)))
          return Layer.mergeAll(SqlProfiles.layer({ keys }), box, Layer.effectDiscard(kept))
        })
      )
