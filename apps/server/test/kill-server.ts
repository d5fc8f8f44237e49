/** Kills a server again and again, and prints what became of what it told as JSON: `--kills 200 --seed 1 --server FILE`. */
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { kill } from "./kills.ts"
import { folder } from "./program.ts"

const { values } = parseArgs({
  options: { kills: { type: "string", default: "200" }, seed: { type: "string" }, server: { type: "string" } }
})

const outcome = Effect.flatMap(folder, (path) =>
  kill(join(path, "server.db"), Number(values.kills), Number(values.seed ?? Date.now() % 1e6), values.server)
)
console.log(JSON.stringify(await Effect.runPromise(Effect.scoped(outcome))))
