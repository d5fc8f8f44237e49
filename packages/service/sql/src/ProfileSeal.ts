import * as Data from "effect/Data"
import { createCipheriv, createDecipheriv, hash, randomBytes } from "node:crypto"

/** A key that encrypts profiles. Its id is derived from it, so the same key has the same id everywhere. */
export interface ProfileKey {
  readonly id: string
  readonly bytes: Uint8Array
}

/** A text isn't a list of profile keys. The message says what is expected. */
export class BadProfileKey extends Data.TaggedError("BadProfileKey")<{ readonly message: string }> {}

const key_bytes = 32
const nonce_bytes = 12
const tag_bytes = 16
const algorithm = "aes-256-gcm"

const keyOf = (bytes: Uint8Array): ProfileKey => ({ id: hash("sha256", bytes, "hex").slice(0, 8), bytes })

/** Makes a new key, and its text. */
export const newProfileKey = (): { readonly key: ProfileKey; readonly text: string } => {
  const bytes = randomBytes(key_bytes)
  return { key: keyOf(bytes), text: bytes.toString("base64") }
}

/** Reads keys from a text: Base64 of 32 bytes each, separated by commas or white space. The first one encrypts. */
export const readProfileKeys = (text: string): ReadonlyArray<ProfileKey> => {
  const texts = text.split(/[\s,]+/u).filter((each) => each !== "")
  return texts.map((each, index) => {
    const bytes = /^[A-Za-z0-9+/_-]+={0,2}$/u.test(each) ? Buffer.from(each, "base64") : Buffer.alloc(0)
    if (bytes.length !== key_bytes) {
      // never the text itself: it may be a key with a typo
      const which = texts.length === 1 ? "The profile key" : `Profile key ${index + 1}`
      throw new BadProfileKey({ message: `${which} isn't Base64 of 32 bytes. Make one: openssl rand -base64 32` })
    }
    return keyOf(bytes)
  })
}

/** A state that only one profile, at one save, can be decrypted from. */
export interface Sealed {
  readonly bytes: Uint8Array
  readonly keyId: string
  /** The key of the state, encrypted with the key that has this id. */
  readonly dataKey: Uint8Array
}

/** The place of a state: another owner, profile or save can't decrypt it. */
export interface Place {
  readonly owner: string | null
  readonly profile: string
  readonly save: string
}

const encrypt = (key: Uint8Array, nonce: Uint8Array, aad: Uint8Array, bytes: Uint8Array) => {
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(aad)
  return Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
}

const decrypt = (key: Uint8Array, nonce: Uint8Array, aad: Uint8Array, bytes: Uint8Array) => {
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tag_bytes }).setAAD(aad)
  decipher.setAuthTag(bytes.subarray(-tag_bytes))
  return Buffer.concat([decipher.update(bytes.subarray(0, -tag_bytes)), decipher.final()])
}

const aadOf = ({ owner, profile, save }: Place) =>
  hash("sha256", JSON.stringify(["webagent profile 1", owner, profile, save]), "buffer")

// a data key encrypts once, so its nonce may be constant
const onlyNonce = new Uint8Array(nonce_bytes)

const wrap = ({ bytes, id }: ProfileKey, dataKey: Uint8Array, place: Place) => {
  const nonce = randomBytes(nonce_bytes)
  return { keyId: id, dataKey: Buffer.concat([nonce, encrypt(bytes, nonce, aadOf(place), dataKey)]) }
}

const unwrap = ({ bytes }: ProfileKey, wrapped: Uint8Array, place: Place) =>
  decrypt(bytes, wrapped.subarray(0, nonce_bytes), aadOf(place), wrapped.subarray(nonce_bytes))

/** Encrypts a state with a key of its own, which is encrypted with this key. */
export const seal = (key: ProfileKey, bytes: Uint8Array, place: Place): Sealed => {
  const dataKey = randomBytes(key_bytes)
  return { bytes: encrypt(dataKey, onlyNonce, aadOf(place), bytes), ...wrap(key, dataKey, place) }
}

/** Decrypts a state. Throws if it was changed, cut off or moved, or if the key is another one. */
export const unseal = (key: ProfileKey, { bytes, dataKey }: Sealed, place: Place): Uint8Array =>
  decrypt(unwrap(key, dataKey, place), onlyNonce, aadOf(place), bytes)

/** Encrypts the key of a state with another key; the state itself stays the same. */
export const rewrap = (from: ProfileKey, to: ProfileKey, dataKey: Uint8Array, place: Place) =>
  wrap(to, unwrap(from, dataKey, place), place)
