import * as Effect from "effect/Effect"
import * as Cassettes from "../Cassettes.ts"
import type { RunOptions } from "../RunFlags.ts"
import { runSuites } from "../run/runSuites.ts"

/** Runs suites and writes what the target answered. The run reports as any other; it cannot be resumed. */
export const recordSuites = (options: RunOptions, out: string | undefined) =>
  Effect.gen(function* () {
    const cassette = yield* Cassettes.create(yield* Cassettes.fileFor(out), options.target)
    yield* Effect.ensuring(Cassettes.recorded(runSuites(options), cassette.keep), cassette.end)
  }).pipe(Effect.scoped)
