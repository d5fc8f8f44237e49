import * as Effect from "effect/Effect"
import { Binary, Isolation } from "../../src/index.ts"
import { layerEgress } from "./sandboxed.ts"

/** Says how browsers are kept apart here, with their folder in the one that is given. */
const probe = Effect.gen(function* () {
  const options = { binary: yield* Binary.find(), runtime: process.argv[2] ?? "" }
  const { level, sentence } = yield* Isolation.probe({ ...options, atLeast: "none" })
  const { message } = yield* Effect.flip(Isolation.probe(options))
  process.stdout.write(JSON.stringify({ level, sentence, message }))
})

await Effect.runPromise(probe.pipe(Effect.scoped, Effect.provide(layerEgress())))
