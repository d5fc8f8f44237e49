import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { Sandbox } from "../../src/index.ts"
import { start } from "./chromium.ts"

/** Starts one browser in the folder that is given, says so, and never ends by itself. */
Effect.runFork(
  Effect.gen(function* () {
    yield* start("one", process.argv[2] ?? "")
    yield* Console.log("started")
    yield* Effect.never
  }).pipe(Effect.scoped, Effect.provide(Sandbox.layerNone))
)
