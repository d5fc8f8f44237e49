/**
 * Serves the console over made-up records, to look at it and to measure it:
 * `node --conditions=@webagent/source test/server/main.ts --port 4410 --runs 300 --browsers 3 --events 0 --pictures FOLDER`.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { serve } from "./Served.ts"

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "4410" },
    runs: { type: "string", default: "300" },
    browsers: { type: "string", default: "3" },
    /** Changes of runs per second. */
    events: { type: "string", default: "0" },
    /** A folder of JPEGs. */
    pictures: { type: "string" }
  }
})

const picturesIn = (folder: string) => readdirSync(folder).map((name) => readFileSync(join(folder, name)))

/** Rounds of changes per second. */
const rounds = 20

Effect.gen(function* () {
  const { address, world } = yield* serve({
    size: Number(values.runs),
    browsers: Number(values.browsers),
    port: Number(values.port),
    ...(values.pictures === undefined ? {} : { pictures: picturesIn(values.pictures) })
  })
  yield* Console.log(`${address}/console`)
  const ids = world.order()
  let next = 0
  const change = Effect.sync(() => {
    for (let n = 0; n < Number(values.events) / rounds; n++) {
      // the newest runs change most: those are in view
      const run = world.runs.get(ids[next++ % Math.min(ids.length, 200)] ?? "")
      if (run !== undefined) world.put({ ...run, steps: run.steps + 1, totalCostUsd: (next * 0.0001).toFixed(4) })
    }
  })
  return yield* Effect.forever(Effect.andThen(change, Effect.sleep(1000 / rounds)))
}).pipe(Effect.scoped, NodeRuntime.runMain)
