import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder, ready, source, start } from "./program.ts"

/** Code that a simulated service needs only after it has started, or never. */
const later = /\/packages\/service\/sql\/src\/(?!PostgresAddress)|\/http\/admin\/RunHandlers|Commands\.ts|fflate/u

it.live("simulate starts without the code of databases, operator commands and the admin API", () =>
  Effect.gen(function* () {
    const place = yield* folder
    const loads = join(place, "loads.txt")
    const hook = join(place, "hook.mjs")
    writeFileSync(
      hook,
      `import { appendFileSync } from "node:fs"
       import { registerHooks } from "node:module"
       registerHooks({
         load: (url, context, next) => {
           appendFileSync(${JSON.stringify(loads)}, url + "\\n")
           return next(url, context)
         }
       })`
    )
    const program = yield* start(["simulate", "--port=0", "--quiet"], { NODE_OPTIONS: `--import=${hook}` }, source)
    yield* ready(program)
    const loaded = readFileSync(loads, "utf8").trimEnd().split("\n")
    assert.isNotEmpty(loaded.filter((url) => url.endsWith("/serveSimulation.ts")))
    assert.deepStrictEqual(
      loaded.filter((url) => later.test(url)),
      []
    )
  }).pipe(Effect.scoped)
)
