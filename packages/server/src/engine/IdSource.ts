import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Seed, uuid } from "../domain/Seed.ts"

/** What an id is for. */
export type IdKind = "session" | "turn" | "message" | "browser"

/** Where new ids come from. */
export class IdSource extends Context.Service<
  IdSource,
  {
    readonly next: (kind: IdKind) => Effect.Effect<string>
  }
>()("@webagent/server/IdSource") {
  /** Uuids counted per kind: the same seed and the same order of creation give the same ids. */
  static readonly layerSeeded = (seed: Seed): Layer.Layer<IdSource> =>
    Layer.sync(IdSource, () => {
      const ordinals = new Map<IdKind, number>()
      return {
        next: (kind) =>
          Effect.sync(() => {
            const ordinal = ordinals.get(kind) ?? 0
            ordinals.set(kind, ordinal + 1)
            return uuid(seed, kind, ordinal)
          })
      }
    })
}
