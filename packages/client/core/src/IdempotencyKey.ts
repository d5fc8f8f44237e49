import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { shown } from "./RequestEncoding.ts"

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

const uuid = (byte: (index: number) => number) => {
  let text = ""
  for (let index = 0; index < 16; index++) {
    if (index === 4 || index === 6 || index === 8 || index === 10) text += "-"
    const drawn = byte(index)
    text += hex[index === 6 ? 0x40 | (drawn & 0x0f) : index === 8 ? 0x80 | (drawn & 0x3f) : drawn]
  }
  return text
}

// asking the system for 16 bytes costs as much as asking for 64 times as many
const pool = new Uint8Array(1024)
let used = pool.length

/** A new random uuid for each create, from the system's secure source. */
export const random: Effect.Effect<string> = Effect.sync(() => {
  if (used === pool.length) {
    crypto.getRandomValues(pool)
    used = 0
  }
  const start = used
  used += 16
  return uuid((index) => pool[start + index] ?? 0)
})

/** A new uuid for each create, drawn from Effect's Random: the same ones again under `Random.withSeed`. */
export const seeded: Effect.Effect<string> = /* @__PURE__ */ Effect.suspend(() =>
  Effect.map(Effect.all(Array.from({ length: 16 }, () => Random.nextIntBetween(0, 255))), (bytes) =>
    uuid((index) => bytes[index] ?? 0)
  )
)

/** Source of the key of the next create; `random` unless an application provides another one. */
export const Current = Context.Reference<Effect.Effect<string>>("@webagent/core/IdempotencyKey/Current", {
  defaultValue: () => random
})

/**
 * Sets the idempotency key of the create in an effect. If you store the key with your order, another process can repeat
 * the create at a service that honors keys. Use a key for one create only.
 *
 * @param key - 1 to 255 visible ASCII characters.
 * @returns A function that gives the creates in an effect this key.
 * @example
 * ```ts
 * import { IdempotencyKey } from "@webagent/core"
 * import { Runs } from "@webagent/v4"
 *
 * export const buy = Runs.use((runs) => runs.create({ task: "Buy a mug" })).pipe(IdempotencyKey.provide("order-7"))
 * ```
 */
export const provide =
  (key: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(effect, Current, Effect.succeed(key))

/**
 * Returns the problem with a key, if any: it has to fit into a header.
 *
 * @param key - A key from a caller.
 * @returns The problem in words, or undefined if the key is valid.
 * @example
 * ```ts
 * import { IdempotencyKey } from "@webagent/core"
 *
 * console.log(IdempotencyKey.issueOf("order-7") ?? "valid") // valid
 * ```
 */
export const issueOf = (key: unknown): string | undefined =>
  typeof key === "string" && /^[\x21-\x7e]{1,255}$/u.test(key)
    ? undefined
    : `the idempotency key must be 1 to 255 visible ASCII characters; got ${shown(key)}`
