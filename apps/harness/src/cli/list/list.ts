import * as Command from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"

/** `list`: what `run` can run. */
export const list = Command.make("list", {}, () =>
  Effect.gen(function* () {
    const { load } = yield* Effect.promise(() => import("../SuiteSource.ts"))
    for (const { suite } of yield* load([])) {
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
).pipe(Command.withDescription("List built-in suites with scenarios, needs and tags"))
