import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { IdSource } from "../src/ports/IdSource.ts"

/** Ids that are counted. */
export const ids = Layer.sync(IdSource, () => {
  let count = 0
  return { next: (kind) => Effect.sync(() => `${kind}-${++count}`) }
})
