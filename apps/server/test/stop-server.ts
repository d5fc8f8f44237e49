/** Stops servers with real browsers at random moments, and prints each result as a line of JSON: `--stops 50 --seed 1`. */
import { ScriptedModel } from "@webagent/scripted-model"
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import { stopOnce } from "./stops.ts"

const { values } = parseArgs({
  options: { stops: { type: "string", default: "50" }, seed: { type: "string", default: "1" } }
})

const program = Effect.gen(function* () {
  const model = yield* ScriptedModel
  model.script = () => new Promise(() => undefined)
  for (let stop = 0; stop < Number(values.stops); stop++) {
    console.log(JSON.stringify(yield* Effect.scoped(stopOnce(Number(values.seed) + stop))))
  }
})
await Effect.runPromise(Effect.scoped(Effect.provide(program, ScriptedModel.layer)))
