/** Serves the console over made-up records, to look at it: `node --conditions=@webagent/source test/server/main.ts [port]`. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { serve } from "./Served.ts"

const port = Number(process.argv[2] ?? 4410)

Effect.gen(function* () {
  const { address } = yield* serve({ size: 300, port })
  yield* Console.log(`${address}/console`)
  return yield* Effect.never
}).pipe(Effect.scoped, NodeRuntime.runMain)
