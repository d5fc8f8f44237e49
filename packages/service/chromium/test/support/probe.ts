import * as Effect from "effect/Effect"
import { Binary, Isolation } from "../../src/index.ts"
import { layerEgress } from "./sandboxed.ts"

/** Prints how browsers are kept apart here, and why no browser starts in namespaces; null if one starts. */
const probe = Effect.gen(function* () {
  const options = { binary: yield* Binary.find(), runtime: process.argv[2] ?? "" }
  const { level, sentence } = yield* Isolation.probe({ ...options, atLeast: "none" })
  const message = yield* Effect.match(Isolation.probe(options), {
    onFailure: (error) => error.message,
    onSuccess: () => null
  })
  process.stdout.write(JSON.stringify({ level, sentence, message }))
})

await Effect.runPromise(probe.pipe(Effect.scoped, Effect.provide(layerEgress())))
