import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type Seed, uuid } from "../domain/Seed.ts"
import { CreateKey } from "./CreateKey.ts"

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
>()("@webagent/server/IdSource") {
  /**
   * Uuids of the `CreateKey` where there is one: the same create has the same id, whatever overtakes it. Without
   * one they are counted per kind: the same seed and the same order of creation give the same ids.
   */
  static readonly layerSeeded = (seed: Seed): Layer.Layer<IdSource> => IdSource.layerSeededBy(() => seed)

  /** Uuids of a seed that may become another one, for the ids after it. */
  static readonly layerSeededBy = (seed: () => Seed): Layer.Layer<IdSource> =>
    Layer.sync(IdSource, () => {
      let counts: IdCounts = {}
      const counted = (kind: IdKind) => {
        const ordinal = counts[kind] ?? 0
        counts = { ...counts, [kind]: ordinal + 1 }
        return uuid(seed(), kind, ordinal)
      }
      return {
        next: (kind, refusals = 0) =>
          Effect.map(CreateKey, (create) =>
            create === undefined
              ? counted(kind)
              : uuid(seed(), kind, create.hash, create.ordinal, ...(refusals === 0 ? [] : [refusals]))
          ),
        counts: Effect.sync(() => counts),
        restore: (restored) => Effect.sync(() => void (counts = { ...restored }))
      }
    })
}

/** A new id that nothing has. Ids of a `CreateKey` repeat when somebody counts creates from the start again. */
export const fresh = <A>(
  ids: IdSource["Service"],
  kind: IdKind,
  find: (id: string) => Effect.Effect<Option.Option<A>>,
  refusals = 0
): Effect.Effect<string> =>
  Effect.flatMap(ids.next(kind, refusals), (id) =>
    Effect.flatMap(find(id), (known) =>
      Option.isNone(known) ? Effect.succeed(id) : fresh(ids, kind, find, refusals + 1)
    )
  )
