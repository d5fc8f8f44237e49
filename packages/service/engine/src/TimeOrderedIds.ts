import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { IdSource } from "./ports/IdSource.ts"

/** Ids that grow with time (UUIDv7): a store writes new records next to each other. */
export const layer: Layer.Layer<IdSource> = Layer.effect(
  IdSource,
  SecureRandom.SecureRandom.use((random) => Effect.succeed(IdSource.of({ next: () => Effect.orDie(random.uuidV7()) })))
).pipe(Layer.provide(SecureRandom.layerWebCrypto))
