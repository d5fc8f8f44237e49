import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import { Owner } from "./ports/Owner.ts"

/** A record that is there and that the caller may see. One of another owner is not there. */
export const owned = <A extends { readonly owner: string | null }, E, E2>(
  read: Effect.Effect<Option.Option<A>, E>,
  missing: () => E2
): Effect.Effect<A, E | E2> =>
  Effect.withFiber((fiber) => {
    const owner = fiber.getRef(Owner)
    return Effect.flatMap(read, (record) =>
      record._tag === "Some" && (owner === null || record.value.owner === owner)
        ? Effect.succeed(record.value)
        : Effect.fail(missing())
    )
  })
