import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** Passes on at most this many bytes; fails when more arrive, with the error for the number that arrived. */
export const atMost = <E, F>(
  bytes: Stream.Stream<Uint8Array, E>,
  most: number,
  tooMany: (received: number) => F
): Stream.Stream<Uint8Array, E | F> =>
  Stream.suspend(() => {
    let received = 0
    return Stream.mapEffect(bytes, (chunk) => {
      received += chunk.length
      return received > most ? Effect.fail(tooMany(received)) : Effect.succeed(chunk)
    })
  })
