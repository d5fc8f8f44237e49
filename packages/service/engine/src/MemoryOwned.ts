import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { freshId } from "./freshIds.ts"
import type { IdKind, IdSource } from "./ports/IdSource.ts"
import { Owner } from "./ports/Owner.ts"
import type { NoRoom } from "./ports/Profiles.ts"
import type { Keep } from "./ports/Store.ts"

interface Owned {
  readonly id: string
  readonly owner: string | null
  readonly updatedAt_ms: number
}

interface MemoryOwnedOptions<A, Missing> {
  readonly ids: IdSource["Service"]
  readonly kind: IdKind
  /** The most records of one owner. */
  readonly most: number
  readonly full: () => NoRoom
  readonly missing: (id: string) => Missing
  /** The records at the start. */
  readonly records?: ReadonlyArray<A>
}

/** Records in memory. Each caller sees its own ones. */
export const make = <A extends Owned, Missing>(options: MemoryOwnedOptions<A, Missing>) => {
  const { full, ids, kind, missing, most, records = [] } = options
  const stored = new Map(records.map((record) => [record.id, record]))

  const isSeenBy = (owner: string | null) => (record: A) => owner === null || record.owner === owner

  const find = (id: string): Effect.Effect<A, Missing> =>
    Effect.flatMap(Owner, (owner) => {
      const record = stored.get(id)
      return record !== undefined && isSeenBy(owner)(record) ? Effect.succeed(record) : Effect.fail(missing(id))
    })

  const change = (id: string, changed: (now_ms: number) => Partial<A>) =>
    Effect.zipWith(find(id), Clock.currentTimeMillis, (record, now_ms) => {
      const next = { ...record, ...changed(Math.max(now_ms, record.updatedAt_ms)) }
      stored.set(id, next)
      return next
    })

  return {
    stored,
    find,
    change,
    create: Effect.fnUntraced(function* (
      make: (id: string, owner: string | null, at_ms: number) => A,
      keep: Keep<A> | undefined
    ) {
      const owner = yield* Owner
      if ([...stored.values()].filter((record) => record.owner === owner).length >= most) return yield* full()
      const now_ms = yield* Clock.currentTimeMillis
      const record = make(yield* freshId(ids, kind, (id) => stored.has(id)), owner, now_ms)
      if (keep !== undefined) yield* keep(record, now_ms)
      stored.set(record.id, record)
      return record
    }),
    /** The records that the caller sees, oldest first. */
    list: Effect.map(Owner, (owner) => [...stored.values()].filter(isSeenBy(owner))),
    remove: (id: string) => Effect.map(find(id), () => void stored.delete(id))
  }
}
