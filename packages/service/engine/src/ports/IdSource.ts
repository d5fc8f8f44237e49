import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** What an id is for. */
export type IdKind = "session" | "turn" | "message" | "browser"

/** How many ids of each kind were counted. */
export type IdCounts = Readonly<Partial<Record<IdKind, number>>>

/** Where new ids come from. */
export class IdSource extends Context.Service<
  IdSource,
  {
    /** A new id. `refusals` says how many for the same thing were taken already. */
    readonly next: (kind: IdKind, refusals?: number) => Effect.Effect<string>
    /** What a snapshot has to keep so that ids made after its restore do not repeat older ones. */
    readonly counts: Effect.Effect<IdCounts>
    /** Counts on from there. */
    readonly restore: (counts: IdCounts) => Effect.Effect<void>
  }
>()("@webagent/engine/IdSource") {}
