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

/** What a create of one kind made. */
export type MadeOf<Tag extends Made["_tag"]> = Extract<Made, { readonly _tag: Tag }>

/** What was made now, or what an earlier create with the same key made, as it was then. */
export type Created<Tag extends Made["_tag"]> = MadeOf<Tag> & { readonly replayed: boolean }

/** Writes down that something was made, to be stored in one step with it. */
export type Record = (made: Made, at_ms: number) => ReadonlyArray<IdempotencyRecord>

const unkeyed: Record = () => []

/**
 * Carries out each create once per idempotency key. `create` stores what it made and the key's record in one step. A
 * duplicate waits for the first create, and runs itself when that fails. Only the wait can be interrupted.
 */
export const make = (store: Store["Service"]) => {
  const creating = new Map<string, Deferred.Deferred<void>>()

  /** The record of the key, while it counts. */
  const find = Effect.fnUntraced(function* ({ key }: SafeCreate) {
    const now = yield* Clock.currentTimeMillis
    yield* store.forgetIdempotencyRecords(now - lifetime_ms)
    const record = Option.getOrUndefined(yield* store.idempotencyRecord(key))
    return record === undefined || isExpired(record, now) ? undefined : record
  })

  const replayOr = Effect.fnUntraced(function* <Tag extends Made["_tag"], E>(
    safe: SafeCreate,
    tag: Tag,
    create: (record: Record) => Effect.Effect<MadeOf<Tag>, E>
  ) {
    const known = yield* find(safe)
    if (known === undefined) {
      const made = yield* create((made, createdAt_ms) => [{ ...safe, createdAt_ms, made }])
      return { ...made, replayed: false }
    }
    if (known.body !== safe.body) return yield* new IdempotencyKeyReused()
    if (known.made._tag !== tag) return yield* Effect.die("A key names the operation it is for")
    return { ...(known.made as MadeOf<Tag>), replayed: true }
  })

  const once = <Tag extends Made["_tag"], E>(
    safe: SafeCreate | undefined,
    tag: Tag,
    create: (record: Record) => Effect.Effect<MadeOf<Tag>, E>
  ): Effect.Effect<Created<Tag>, E | IdempotencyKeyReused> =>
    Effect.uninterruptibleMask((restore) => {
      if (safe === undefined) return Effect.map(create(unkeyed), (made) => ({ ...made, replayed: false }))
      return Effect.suspend(() => {
        const first = creating.get(safe.key)
        if (first !== undefined) return Effect.andThen(restore(Deferred.await(first)), restore(once(safe, tag, create)))
        const ended = Deferred.makeUnsafe<void>()
        creating.set(safe.key, ended)
        return Effect.ensuring(
          replayOr(safe, tag, create),
          Effect.sync(() => {
            creating.delete(safe.key)
            Deferred.doneUnsafe(ended, Effect.void)
          })
        )
      })
    })

  return once
}
