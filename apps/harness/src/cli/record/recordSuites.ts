import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Cassettes from "../Cassettes.ts"
import type { RunOptions } from "../RunFlags.ts"
import { runSuites } from "../run/runSuites.ts"
import { fileFor, recordedLine } from "./CassettePath.ts"

/** Runs suites and writes what the target answered. The run reports as any other; it cannot be resumed. */
export const recordSuites = (options: RunOptions, out: string | undefined) =>
  Effect.gen(function* () {
    const path = yield* fileFor(out)
    const cassette = yield* Cassettes.create(path, options.target)
    yield* Effect.ensuring(
      Cassettes.recorded(runSuites(options, []), cassette.keep),
      Effect.suspend(() => Console.log(recordedLine(path, cassette.count())))
    )
  }).pipe(Effect.scoped)
