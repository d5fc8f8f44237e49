/**
 * Serves the harness's screens over a made-up project, to look at them:
 * `node --conditions=@webagent/source test/harness/main.ts --port 4520 --scenarios 40 --nights 60`.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import { serve } from "./Served.ts"

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "4520" },
    scenarios: { type: "string", default: "40" },
    nights: { type: "string", default: "60" }
  }
})

Effect.gen(function* () {
  const { address, event, finishTrial, startTrial, step, world } = yield* serve({
    port: Number(values.port),
    scenarios: Number(values.scenarios),
    nights: Number(values.nights)
  })
  yield* Console.log(`${address}/ui/`)
  if (world.run.report !== null)
    event({ _tag: "RunStarted", header: { ...world.run.report.header, suites: [{ name: "shop", scenarios: 40 }] } })
  for (let n = 0; n < 8; n++) {
    for (let index = 0; index < 5; index++) {
      startTrial(n, index)
      if (n < 6 || index < 3) finishTrial(n, index)
    }
  }
  for (const number of [1, 2, 3]) step(7, 3, number)
  return yield* Effect.never
}).pipe(Effect.scoped, NodeRuntime.runMain)
