import * as Effect from "effect/Effect"
import { endOf, violationsOf, type Violation } from "./Oracle.ts"
import { mutants } from "./Mutants.ts"
import * as Reached from "./Reached.ts"
import { simulate } from "./Simulation.ts"
import * as World from "./World.ts"

/** Which worlds to live through, and with which client. */
export interface Options {
  readonly from: number
  readonly seeds: number
  /** The share of requests that a fault hits, about. */
  readonly rate: number
  readonly mutant?: keyof typeof mutants | undefined
  /** Whether to live through each world once for every step, and to interrupt every program there. */
  readonly everyStep?: boolean | undefined
  /** Whether to stop when this has been found. */
  readonly until?: ((violation: Violation) => boolean) | undefined
  readonly onWorld?: ((lived: Broken) => void) | undefined
}

/** A seed under which something was done wrong. */
export interface Broken {
  readonly seed: number
  /** At which step every program was interrupted. */
  readonly step?: number | undefined
  readonly violations: ReadonlyArray<Violation>
}

/** What many worlds have shown. */
export interface Outcome {
  readonly seeds: number
  readonly worlds: number
  readonly broken: ReadonlyArray<Broken>
  readonly reached: ReadonlyMap<string, number>
  /** How intents ended, how many faults hit by rule, and what all of it came to. */
  readonly ends: ReadonlyMap<string, number>
  readonly faults: ReadonlyMap<string, number>
  readonly requests: number
  /** How many of them there were while faults hit. */
  readonly exposed: number
  readonly virtual_ms: number
}

const count = (counts: Map<string, number>, name: string) => void counts.set(name, (counts.get(name) ?? 0) + 1)

/** Lives through one world after the other. */
export const run = Effect.fnUntraced(function* ({ everyStep, from, mutant, onWorld, rate, seeds, until }: Options) {
  const broken: Array<Broken> = []
  const [reached, ends, faults] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()]
  let requests = 0
  let exposed = 0
  let virtual_ms = 0
  let worlds = 0
  let seed = from
  let step = everyStep === true ? 1 : undefined
  while (seed < from + seeds) {
    const world = World.make(seed, rate)
    const history = yield* simulate(
      step === undefined ? world : World.interruptedAt(world, step),
      mutant === undefined ? undefined : mutants[mutant]
    )
    const violations = violationsOf(history)
    worlds++
    requests += history.sent.length
    exposed += history.sent.filter(({ at_ms }) => at_ms < history.world.lull_ms).length
    virtual_ms += history.ended_ms
    for (const name of Reached.of(history)) count(reached, name)
    for (const told of history.told) count(ends, endOf(told))
    for (const row of history.journal) if (row.type === "fault") count(faults, row.rule)
    for (const { refused } of history.sent) if (refused) count(faults, "refused")
    const lived = { seed, step, violations }
    if (violations.length > 0) broken.push(lived)
    onWorld?.(lived)
    const isLast = step === undefined || history.told.every(({ interrupted }) => !interrupted)
    if (isLast) seed++
    if (step !== undefined) step = isLast ? 1 : step + 1
    if (until !== undefined && violations.some(until)) break
  }
  return { seeds: seed - from, worlds, broken, reached, ends, faults, requests, exposed, virtual_ms } satisfies Outcome
})

/** The command that lives through one world again, and shows it. */
export const replay = (
  { mutant, rate }: Pick<Options, "mutant" | "rate">,
  { seed, step }: Pick<Broken, "seed" | "step">
): string =>
  `npm run simulate -- --seed ${seed}${step === undefined ? "" : ` --step ${step}`} --rate ${rate}` +
  (mutant === undefined ? "" : ` --mutant "${mutant}"`)

/** What was done wrong under a seed, and how to see it again. */
export const described = (options: Pick<Options, "mutant" | "rate">, broken: Broken): string =>
  [
    `seed ${broken.seed}: ${replay(options, broken)}`,
    ...broken.violations.map(({ rule, what }) => `  ${rule}: ${what}`)
  ].join("\n")
