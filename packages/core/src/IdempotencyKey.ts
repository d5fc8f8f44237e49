import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

const uuid = (random: (index: number) => number) => {
  const hex = Array.from({ length: 16 }, (_, index) => {
    const byte = random(index)
    return (index === 6 ? 0x40 | (byte & 0x0f) : index === 8 ? 0x80 | (byte & 0x3f) : byte)
      .toString(16)
      .padStart(2, "0")
  }).join("")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** A new random uuid for each create, from the system's secure source. */
export const random: Effect.Effect<string> = Effect.sync(() => {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return uuid((index) => bytes[index] ?? 0)
})

/** A new uuid for each create, drawn from Effect's Random: the same ones again under `Random.withSeed`. */
export const seeded: Effect.Effect<string> = Effect.map(
  Effect.all(Array.from({ length: 16 }, () => Random.nextIntBetween(0, 255))),
  (bytes) => uuid((index) => bytes[index] ?? 0)
)

/** Where the key of the next create comes from; `random` unless an application provides another source. */
export const Current = Context.Reference<Effect.Effect<string>>("@webagent/core/IdempotencyKey/Current", {
  defaultValue: () => random
})

/**
 * Gives the create in `effect` a key of the caller's: kept with what the create is for, it makes the same create
 * repeatable in another process, at a service that honours it. One key is for one create.
 *
 * @example
 * ```ts
 * import { IdempotencyKey } from "@webagent/core"
 * import * as Effect from "effect/Effect"
 *
 * declare const create: Effect.Effect<{ readonly id: string }>
 * export const program = create.pipe(IdempotencyKey.given("order-7"))
 * ```
 */
export const given =
  (key: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(effect, Current, Effect.succeed(key))

/** What a single create may choose. */
export interface CreateOptions {
  /** The create's `Idempotency-Key`, as `IdempotencyKey.given` sets it; a new one unless told. */
  readonly idempotencyKey?: string | undefined
}

/** Gives the create in `effect` the key that its options name, if they do. */
export const chosen =
  (options: CreateOptions | undefined) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    options?.idempotencyKey === undefined ? effect : given(options.idempotencyKey)(effect)

/** What is wrong with a key, if anything: it has to fit into a header. */
export const issueOf = (key: string): string | undefined =>
  /^[\x21-\x7e]{1,255}$/u.test(key)
    ? undefined
    : "the idempotency key is not 1 to 255 visible ASCII characters: choose one that is"
