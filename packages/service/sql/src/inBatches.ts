import * as Effect from "effect/Effect"

/** Number of rows that one statement deletes, because other commits wait for it. */
export const batch = 500

/**
 * Deletes up to this many rows in small statements, so that other commits run in between.
 *
 * @param remove Deletes at most this many rows and returns their number.
 * @returns The number of deleted rows.
 */
export const inBatches = <E, R>(
  remove: (limit: number) => Effect.Effect<number, E, R>,
  most = Number.POSITIVE_INFINITY
): Effect.Effect<number, E, R> =>
  Effect.gen(function* () {
    let deleted = 0
    for (;;) {
      const limit = Math.min(batch, most - deleted)
      const some = limit > 0 ? yield* remove(limit) : 0
      deleted += some
      if (some < batch) return deleted
      yield* Effect.sleep("5 millis")
    }
  })
