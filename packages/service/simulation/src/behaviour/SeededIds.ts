import { type IdCounts, type IdKind, IdSource } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CreateKey } from "./CreateKey.ts"
import { type Seed, uuid } from "./Seed.ts"

/**
 * Uuids of the `CreateKey` where there is one: the same create has the same id, whatever overtakes it. Without one
 * they are counted per kind: the same seed and the same order of creation give the same ids. The seed may become
 * another one, for the ids after it.
 */
export const layer = (seed: () => Seed): Layer.Layer<IdSource> =>
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
