/**
 * The clients against the simulated service in virtual time, world after world:
 * `npm run simulate -- --seeds 5000 --rate 0.038 [--from 1] [--mutant "retry everything"]`, or one world in full: `--seed 7`.
 * With `--every-step` each world is lived through once for every step, and every program is interrupted there; `--step 3`
 * is one of these.
 */
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import * as Campaign from "./Campaign.ts"
import { endOf, violationsOf } from "./Oracle.ts"
import { mutants } from "./Mutants.ts"
import * as Reached from "./Reached.ts"
import { type History, simulate } from "./Simulation.ts"
import * as World from "./World.ts"

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "5000" },
    from: { type: "string", default: "1" },
    rate: { type: "string", default: "0.038" },
    seed: { type: "string" },
    "every-step": { type: "boolean", default: false },
    step: { type: "string" },
    mutant: { type: "string" }
  }
})

const isMutant = (name: string): name is keyof typeof mutants => Object.hasOwn(mutants, name)

const wrong = (message: string): never => {
  console.error(message)
  process.exit(2)
}

const number = (name: string, text: string) =>
  Number(text) >= 0 ? Number(text) : wrong(`--${name} takes a number, not "${text}".`)

const mutant =
  values.mutant === undefined || isMutant(values.mutant)
    ? values.mutant
    : wrong(`There is no mutant "${values.mutant}": there are ${Object.keys(mutants).join(", ")}.`)
const rate = number("rate", values.rate)

const show = (history: History) => {
  const { journal, logs, sent, told, world } = history
  const { faults, intents, keys, lull_ms, profile, refusals, refused } = world
  console.log(JSON.stringify({ keys, refusals, refused, lull_ms, profile, faults, intents }, null, 2))
  const rows = [
    ...journal.flatMap((row) =>
      row.type === "fault"
        ? [{ at_ms: row.at_ms, text: `fault ${row.rule} of ${row.operation} ${row.resource ?? ""}` }]
        : row.type === "move"
          ? [{ at_ms: row.at_ms, text: `${row.of} ${row.id}: ${row.from} -> ${row.to}` }]
          : []
    ),
    ...sent.map(({ answered_ms, at_ms, body, intent, method, path, refused, requestId, status }) => ({
      at_ms,
      text: `intent ${intent}: ${method} ${path} ${body} ${requestId}: ${refused ? "refused" : `${status} at ${answered_ms}`}`
    }))
  ]
  for (const { at_ms, text } of rows.toSorted((a, b) => a.at_ms - b.at_ms)) console.log(`${at_ms} ms  ${text}`)
  for (const each of told) console.log(`intent ${each.intent.index}: ${endOf(each)} at ${each.ended_ms} ms`)
  for (const log of logs) console.log(`log  ${log}`)
  const violations = violationsOf(history)
  for (const { rule, what } of violations) console.log(`${rule}: ${what}`)
  return violations.length
}

const counts = (counts: ReadonlyMap<string, number>) =>
  Array.from(counts, ([name, count]) => `${name} ${count}`)
    .toSorted()
    .join(" · ")

if (values.seed !== undefined) {
  const made = World.make(number("seed", values.seed), rate)
  const world = values.step === undefined ? made : World.interruptedAt(made, number("step", values.step))
  const replace = mutant === undefined ? undefined : mutants[mutant]
  process.exitCode = show(await Effect.runPromise(simulate(world, replace))) === 0 ? 0 : 1
} else {
  const options = {
    from: number("from", values.from),
    seeds: number("seeds", values.seeds),
    rate,
    mutant,
    everyStep: values["every-step"]
  }
  const began = process.cpuUsage()
  const outcome = await Effect.runPromise(
    Campaign.run({
      ...options,
      onWorld: (lived) => {
        if (lived.violations.length > 0) console.log(Campaign.described(options, lived))
      }
    })
  )
  const { system, user } = process.cpuUsage(began)
  const cpu_s = (system + user) / 1e6
  const missed = Reached.all.filter((name) => !outcome.reached.has(name))
  console.log(`ends     ${counts(outcome.ends)}`)
  console.log(`faults   ${counts(outcome.faults)}`)
  console.log(`reached  ${counts(outcome.reached)}`)
  if (missed.length > 0) console.log(`missed   ${missed.join(" · ")}`)
  const hit = Array.from(outcome.faults.values()).reduce((sum, count) => sum + count, 0)
  console.log(
    `${outcome.seeds} seeds, ${outcome.worlds} worlds, ${outcome.broken.length} broken · ${outcome.requests} requests, ` +
      `${((100 * hit) / outcome.exposed).toFixed(2)} % hit while faults did · ${Math.round(outcome.virtual_ms / 3_600_000)} virtual hours ` +
      `in ${cpu_s.toFixed(0)} s of CPU, ${(outcome.worlds / cpu_s).toFixed(1)} worlds a second`
  )
  process.exitCode = outcome.broken.length === 0 ? 0 : 1
}
