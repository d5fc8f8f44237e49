/**
 * Engines in worlds of chaos, in virtual time: `npm run simulate:server -- --seeds 5000 [--from 1]`, or one world:
 * `--seed 7`. A world in which something goes wrong is made as small as it gets and is kept in `corpus.json`.
 */
import * as Effect from "effect/Effect"
import { readFileSync, writeFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { live } from "./Chaos.ts"
import { shrink } from "./Shrink.ts"
import * as World from "./World.ts"

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "5000" },
    from: { type: "string", default: "1" },
    seed: { type: "string" }
  }
})

const from = Number(values.seed ?? values.from)
const seeds = values.seed === undefined ? Number(values.seeds) : 1
const corpus = new URL("corpus.json", import.meta.url)

const keep = (name: string, world: World.World) => {
  const known: object = JSON.parse(readFileSync(corpus, "utf8"))
  writeFileSync(corpus, `${JSON.stringify({ ...known, [name]: world }, undefined, 2)}\n`)
}

// thousands of errors are made, and no stack of one is read
Error.stackTraceLimit = 0

const began = process.cpuUsage()
let broken = 0
for (let seed = from; seed < from + seeds; seed++) {
  const world = World.make(seed)
  const wrong = await Effect.runPromise(live(world))
  if (wrong.length === 0) continue
  broken++
  console.log(`seed ${seed}: ${wrong.join("; ")}`)
  const smallest = await Effect.runPromise(
    shrink(world, (smaller) => Effect.map(live(smaller), (found) => found.length > 0))
  )
  const what = await Effect.runPromise(live(smallest))
  console.log(`  ${what.join("; ")}: ${JSON.stringify(smallest)}`)
  keep(`seed ${seed}: ${what[0]}`, smallest)
}
const { system, user } = process.cpuUsage(began)
const cpu_s = (system + user) / 1e6
console.log(
  `${seeds} seeds, ${broken} broken, in ${cpu_s.toFixed(1)} s of CPU, ${(seeds / cpu_s).toFixed(0)} seeds a second`
)
process.exitCode = broken === 0 ? 0 : 1
