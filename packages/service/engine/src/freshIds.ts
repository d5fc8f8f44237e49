import * as Effect from "effect/Effect"
import type { IdKind, IdSource } from "./ports/IdSource.ts"
import type { Conflict } from "./ports/Store.ts"

/** Creates under ids that nothing has: those of a `CreateKey` repeat when the count of creates starts again. */
export const withFreshIds = <A, E>(
  create: (refusals: number) => Effect.Effect<A, E | Conflict>,
  refusals = 0
): Effect.Effect<A, Exclude<E, Conflict>> =>
  Effect.catchIf(
    create(refusals),
    (error): error is Extract<E | Conflict, Conflict> =>
      typeof error === "object" && error !== null && "_tag" in error && error._tag === "Conflict",
    () => withFreshIds(create, refusals + 1)
  ) as Effect.Effect<A, Exclude<E, Conflict>>

/** An id of this kind that is not taken. Ids of a `CreateKey` repeat when the count of creates starts again. */
export const freshId = (
  ids: IdSource["Service"],
  kind: IdKind,
  isTaken: (id: string) => boolean,
  refusals = 0
): Effect.Effect<string> =>
  Effect.flatMap(ids.next(kind, refusals), (id) =>
    isTaken(id) ? freshId(ids, kind, isTaken, refusals + 1) : Effect.succeed(id)
  )
