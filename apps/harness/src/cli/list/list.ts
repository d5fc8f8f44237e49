import * as Command from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Flags from "../Flags.ts"
import { namedIn, suites } from "../RunFlags.ts"
import { settled } from "../Settled.ts"

/** `list`: what `run` can run. */
export const list = settled("list", { suites, builtIn: Flags.builtIn, config: Flags.config }, namedIn, (wanted) =>
  Effect.gen(function* () {
    const { load } = yield* Effect.promise(() => import("../SuiteSource.ts"))
    for (const { suite } of yield* load(wanted)) {
      yield* Console.log(`${suite.name}  (${suite.scenarios.length})`)
      for (const { name, needs, tags } of suite.scenarios) {
        const notes = [
          ...(needs.length > 0 ? [`needs ${needs.join(", ")}`] : []),
          ...(tags.length > 0 ? [`tags ${tags.join(", ")}`] : [])
        ]
        yield* Console.log(`  ${name}${notes.length === 0 ? "" : `   · ${notes.join(" · ")}`}`)
      }
      yield* Console.log("")
    }
  })
).pipe(Command.withDescription("List suites with scenarios, needs and tags"))
