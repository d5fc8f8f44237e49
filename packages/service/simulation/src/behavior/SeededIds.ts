import { type IdKind, IdSource } from "@webagent/engine"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CreateKey } from "./CreateKey.ts"
import { type Seed, uuid } from "./Seed.ts"

/** Number of ids of each kind so far. */
export type IdCounts = Readonly<Partial<Record<IdKind, number>>>

/** The counters behind ids without a `CreateKey`. */
export class SeededIds extends Context.Service<
  SeededIds,
  {
    /** Kept by a snapshot, so that ids made after its restore do not repeat older ones. */
    readonly counts: Effect.Effect<IdCounts>
  }
>()("@webagent/simulation/SeededIds") {
  /**
   * Uuids of the `CreateKey` where there is one: the same create has the same id, whatever overtakes it. Without one
   * they are counted per kind, on from `from`: the same seed and the same order of creation give the same ids. The seed may become
   * another one, for the ids after it.
   */
  static readonly layer = (seed: () => Seed, from: IdCounts = {}): Layer.Layer<IdSource | SeededIds> =>
    Layer.effectContext(
      Effect.sync(() => {
        let counts = from
        const counted = (kind: IdKind) => {
          const ordinal = counts[kind] ?? 0
          counts = { ...counts, [kind]: ordinal + 1 }
          return uuid(seed(), kind, ordinal)
        }
        return Context.make(IdSource, {
          next: (kind, refusals = 0) =>
            Effect.map(CreateKey, (create) =>
              create === undefined
                ? counted(kind)
                : uuid(seed(), kind, create.hash, create.ordinal, ...(refusals === 0 ? [] : [refusals]))
            )
        }).pipe(Context.add(SeededIds, { counts: Effect.sync(() => counts) }))
      })
    )
}
