import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { createCipheriv, createDecipheriv, hash, randomBytes } from "node:crypto"

/** The secrets of a turn can't be encrypted or decrypted here. The message says why, and what to do. */
export class SecretsUnusable extends Data.TaggedError("SecretsUnusable")<{ readonly message: string }> {}

/** The place of an encrypted secret: another owner, turn or alias can't decrypt it. */
export interface SecretPlace {
  readonly owner: string | null
  readonly turnId: string
  readonly alias: string
}

/** Encrypts the secrets of turns, because stores and backups keep the records of turns. */
export interface SecretBoxService {
  /** The reason why it has no key, in a sentence; null if it has one. */
  readonly unusable: string | null
  /** Encrypts a value. Only a box with a key can. */
  readonly seal: (value: Redacted.Redacted<string>, place: SecretPlace) => Effect.Effect<string>
  readonly open: (sealed: string, place: SecretPlace) => Effect.Effect<Redacted.Redacted<string>, SecretsUnusable>
}

/** A key of 32 bytes, and the id that encrypted secrets name it by. */
export interface SecretKey {
  readonly id: string
  readonly bytes: Uint8Array
}

const algorithm = "aes-256-gcm"
const nonce_bytes = 12
const tag_bytes = 16

const aadOf = ({ alias, owner, turnId }: SecretPlace) =>
  hash("sha256", JSON.stringify(["webagent secret 1", owner, turnId, alias]), "buffer")

const seal = (key: SecretKey, value: string, place: SecretPlace): string => {
  const nonce = randomBytes(nonce_bytes)
  const cipher = createCipheriv(algorithm, key.bytes, nonce).setAAD(aadOf(place))
  const sealed = Buffer.concat([nonce, cipher.update(value, "utf8"), cipher.final(), cipher.getAuthTag()])
  return `${key.id}.${sealed.toString("base64url")}`
}

const open = (key: SecretKey, bytes: Buffer, place: SecretPlace): string => {
  const decipher = createDecipheriv(algorithm, key.bytes, bytes.subarray(0, nonce_bytes), {
    authTagLength: tag_bytes
  }).setAAD(aadOf(place))
  decipher.setAuthTag(bytes.subarray(-tag_bytes))
  return Buffer.concat([decipher.update(bytes.subarray(nonce_bytes, -tag_bytes)), decipher.final()]).toString("utf8")
}

/** Makes a box that encrypts with the first key, and decrypts with any of them. `unusable` explains a box without keys. */
export const makeSecretBox = (
  keys: ReadonlyArray<SecretKey>,
  unusable = "This server has no key for secrets"
): SecretBoxService => ({
  unusable: keys.length === 0 ? unusable : null,
  seal: (value, place) => {
    const [key] = keys
    return key === undefined
      ? Effect.die(new SecretsUnusable({ message: unusable }))
      : Effect.sync(() => seal(key, Redacted.value(value), place))
  },
  open: (sealed, place) => {
    const [id = "", text = ""] = sealed.split(".")
    const key = keys.find((one) => one.id === id)
    if (key === undefined) {
      return Effect.fail(
        new SecretsUnusable({ message: `The secret ${place.alias} is encrypted with key ${id}, which is missing here` })
      )
    }
    return Effect.try({
      try: () => Redacted.make(open(key, Buffer.from(text, "base64url"), place)),
      catch: () => new SecretsUnusable({ message: `The secret ${place.alias} can't be decrypted` })
    })
  }
})

/** The box of this engine. By default, its key lives and dies with this process. */
export const SecretBox: Context.Reference<SecretBoxService> = Context.Reference("@webagent/engine/SecretBox", {
  defaultValue: () => makeSecretBox([{ id: "process", bytes: randomBytes(32) }])
})
