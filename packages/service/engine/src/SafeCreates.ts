import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { IdempotencyKeyReused } from "./domain/Errors.ts"
import { type IdempotencyRecord, isExpired, type Made } from "./domain/IdempotencyRecord.ts"
import type { Profile } from "./domain/Profile.ts"
import type { ScheduledRun } from "./domain/ScheduledRun.ts"
import type { Webhook } from "./domain/Webhook.ts"
import type { Workspace } from "./domain/Workspace.ts"
import { type Keep, KeyTaken, type Step, type Store, type StoreUnavailable } from "./ports/Store.ts"

/** Digests that make a create safe to repeat. They reveal no key. */
export interface SafeCreate {
  /** A digest of the caller, the request and its key. */
  readonly key: string
  /** Another digest of the same request; a record with it counts as well. */
  readonly also?: string
  /** Of the body. */
  readonly body: string
}

/** Result of a create of one kind. */
export type MadeOf<Tag extends Made["_tag"]> = Extract<Made, { readonly _tag: Tag }>

/** New result of a create, or the result of an earlier create with the same key, as it was then. */
export type Created<Tag extends Made["_tag"]> = MadeOf<Tag> & { readonly replayed: boolean }

/** Makes the record of a create. The store commits it in one step with the run, message or browser of that create. */
export type Record = (made: Made, at_ms: number) => Pick<Step, "key">

const unkeyed: Record = () => ({})

/** The records of ports other than the store. */
interface PortRecords {
  readonly Profile: Profile
  readonly Schedule: ScheduledRun
  readonly Webhook: Webhook
  readonly Workspace: Workspace
}

/** Runs the create of a port other than the store once per idempotency key. */
export type OncePort = <Tag extends keyof PortRecords, E>(
  safe: SafeCreate | undefined,
  tag: Tag,
  create: (keep: Keep<PortRecords[Tag]>) => Effect.Effect<PortRecords[Tag], E | KeyTaken>
) => Effect.Effect<Created<Tag>, Exclude<E, KeyTaken> | IdempotencyKeyReused | StoreUnavailable>

/**
 * Runs each create once per idempotency key. `create` stores the new record and the record of the key in one step, and
 * the store refuses a second one. A duplicate waits until the first create is complete (`isThere`), and runs itself if the
 * first one fails. Only the wait can be interrupted.
 */
export const make = (
  store: Store["Service"],
  isThere: (record: IdempotencyRecord) => Effect.Effect<boolean, StoreUnavailable>
) => {
  /** The record of the key, while it counts. */
  const find = Effect.fnUntraced(function* ({ also, key }: SafeCreate) {
    for (const digest of also === undefined ? [key] : [key, also]) {
      const record = Option.getOrUndefined(yield* store.idempotencyRecord(digest))
      if (record !== undefined && !isExpired(record, yield* Clock.currentTimeMillis)) return record
    }
    return undefined
  })

  const replay = Effect.fnUntraced(function* <Tag extends Made["_tag"]>(
    previous: IdempotencyRecord,
    safe: SafeCreate,
    tag: Tag
  ) {
    if (previous.body !== safe.body) return yield* new IdempotencyKeyReused()
    if (previous.made._tag !== tag) return yield* Effect.die("A key names the operation it is for")
    // a caller that left, or whose time is over, creates nothing
    if (!(yield* isThere(previous))) return yield* Effect.interruptible(Effect.undefined)
    return { ...(previous.made as MadeOf<Tag>), replayed: true }
  })

  const once = <Tag extends Made["_tag"], E>(
    safe: SafeCreate | undefined,
    tag: Tag,
    create: (record: Record) => Effect.Effect<MadeOf<Tag>, E | KeyTaken>
  ): Effect.Effect<Created<Tag>, Exclude<E, KeyTaken> | IdempotencyKeyReused | StoreUnavailable> => {
    type Failure = Exclude<E, KeyTaken> | IdempotencyKeyReused | StoreUnavailable
    const made = (record: Record) => Effect.map(create(record), (made) => ({ ...made, replayed: false }))
    if (safe === undefined) return Effect.uninterruptible(made(unkeyed)) as Effect.Effect<Created<Tag>, Failure>
    const repeated = (previous: IdempotencyRecord): Effect.Effect<Created<Tag>, Failure> =>
      Effect.flatMap(replay(previous, safe, tag), (replayed) =>
        replayed === undefined ? once(safe, tag, create) : Effect.succeed(replayed)
      )
    return Effect.uninterruptible(
      Effect.flatMap(find(safe), (previous) =>
        previous === undefined
          ? Effect.catchIf(
              made((made, createdAt_ms) => ({ key: { ...safe, createdAt_ms, made } })),
              (error): error is Extract<E | KeyTaken, KeyTaken> => error instanceof KeyTaken,
              ({ record }) => repeated(record)
            )
          : repeated(previous)
      )
    ) as Effect.Effect<Created<Tag>, Failure>
  }

  return once
}
