import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { IdKind, IdSource } from "./ports/IdSource.ts"

/** A new id that nothing has. Ids of a `CreateKey` repeat when the count of creates starts again. */
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
