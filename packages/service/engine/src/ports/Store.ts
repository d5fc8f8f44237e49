import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type { Browser } from "../domain/Browser.ts"
import type { IdempotencyRecord } from "../domain/IdempotencyRecord.ts"
import type { Session } from "../domain/Session.ts"
import type { Turn } from "../domain/Turn.ts"

/** Records to write, new or changed, all of them or none. */
export interface Changes {
  readonly sessions?: ReadonlyArray<Session>
  readonly turns?: ReadonlyArray<Turn>
  readonly browsers?: ReadonlyArray<Browser>
  readonly idempotencyRecords?: ReadonlyArray<IdempotencyRecord>
}

/** The port to whatever remembers. The engine is its only writer; a read after a commit sees the commit. */
export class Store extends Context.Service<
  Store,
  {
    readonly commit: (changes: Changes) => Effect.Effect<void>
    readonly session: (id: string) => Effect.Effect<Option.Option<Session>>
    readonly turn: (id: string) => Effect.Effect<Option.Option<Turn>>
    /** The turns of a session in the order in which they were created. */
    readonly turnsOf: (sessionId: string) => Effect.Effect<ReadonlyArray<Turn>>
    readonly browser: (id: string) => Effect.Effect<Option.Option<Browser>>
    readonly idempotencyRecord: (key: string) => Effect.Effect<Option.Option<IdempotencyRecord>>
    /** Everything that there is, in the order in which it was created. */
    readonly sessions: Stream.Stream<Session>
    readonly turns: Stream.Stream<Turn>
    readonly browsers: Stream.Stream<Browser>
    readonly idempotencyRecords: Stream.Stream<IdempotencyRecord>
    /** Forgets the records that were made at this time or before. */
    readonly forgetIdempotencyRecords: (until_ms: number) => Effect.Effect<void>
    /** Forgets everything. */
    readonly clear: Effect.Effect<void>
  }
>()("@webagent/engine/Store") {}
