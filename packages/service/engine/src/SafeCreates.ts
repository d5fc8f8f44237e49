import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { IdempotencyKeyReused } from "./domain/Errors.ts"
import { type IdempotencyRecord, isExpired, lifetime_ms, type Made } from "./domain/IdempotencyRecord.ts"
import type { Store } from "./ports/Store.ts"

/** What makes a create safe to send again. Both are digests, so that they reveal no key. */
export interface SafeCreate {
  /** Of who asks, for what, and of the key that was given. */
  readonly key: string
  /** Of the body. */
  readonly body: string
}

/** Whether a create was carried out now, or answers what an earlier one with its key made. */
export interface Outcome<A> {
  readonly made: A
  readonly replayed: boolean
}

/** Writes down that something was made, to be stored in one step with it. */
export type Record = (made: Made, at_ms: number) => ReadonlyArray<IdempotencyRecord>

/** Carries out creates at most once a key. */
export interface SafeCreates {
  /**
   * `create` gets what makes the record of what it made, and stores the two in one step. A duplicate waits for the
   * first, and tries itself when that fails. The wait can be interrupted, the create cannot.
   */
  readonly once: <A extends Made, E>(
    safe: SafeCreate | undefined,
    is: (made: Made) => made is A,
    create: (record: Record) => Effect.Effect<A, E>
  ) => Effect.Effect<Outcome<A>, E | IdempotencyKeyReused>
}

const unkeyed: Record = () => []

/** Nothing is being created. */
export const make = (store: Store["Service"]): SafeCreates => {
  const creating = new Map<string, Deferred.Deferred<void>>()

  /** The record of the key, while it counts. */
  const find = Effect.fnUntraced(function* ({ key }: SafeCreate) {
    const now = yield* Clock.currentTimeMillis
    yield* store.forgetIdempotencyRecords(now - lifetime_ms)
    const record = Option.getOrUndefined(yield* store.idempotencyRecord(key))
    return record === undefined || isExpired(record, now) ? undefined : record
  })

  const replayOr = Effect.fnUntraced(function* <A extends Made, E>(
    safe: SafeCreate,
    is: (made: Made) => made is A,
    create: (record: Record) => Effect.Effect<A, E>
  ) {
    const known = yield* find(safe)
    if (known === undefined) {
      const made = yield* create((made, createdAt_ms) => [{ ...safe, createdAt_ms, made }])
      return { made, replayed: false }
    }
    if (known.body !== safe.body) return yield* new IdempotencyKeyReused()
    if (!is(known.made)) return yield* Effect.die("A key names the operation it is for")
    return { made: known.made, replayed: true }
  })

  const once: SafeCreates["once"] = (safe, is, create) =>
    Effect.uninterruptibleMask((restore) => {
      if (safe === undefined) return Effect.map(create(unkeyed), (made) => ({ made, replayed: false }))
      return Effect.suspend(() => {
        const first = creating.get(safe.key)
        if (first !== undefined) return Effect.andThen(restore(Deferred.await(first)), restore(once(safe, is, create)))
        const ended = Deferred.makeUnsafe<void>()
        creating.set(safe.key, ended)
        return Effect.ensuring(
          replayOr(safe, is, create),
          Effect.sync(() => {
            creating.delete(safe.key)
            Deferred.doneUnsafe(ended, Effect.void)
          })
        )
      })
    })

  return { once }
}
