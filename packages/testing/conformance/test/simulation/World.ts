import type { Fault, FaultCondition as Condition, FaultPlan, FaultRule, Profile } from "@webagent/control"
import * as Duration from "effect/Duration"
import * as Dice from "./Dice.ts"

/**
 * When the program that has an intent is interrupted: this long after it began, or after its n-th request has left or
 * was answered. A step is either of these, or the begin or end of a write to the ledger.
 */
export interface Interruption {
  readonly at: "time" | "sent" | "answered" | "step"
  readonly nth: number
  readonly after_ms: number
}

/** Something that a program wants, once: a browser, and in it a run. */
export interface Intent {
  readonly index: number
  /** How it is done: through which API, and by how many waiters. */
  readonly way: "v4" | "v4 with two waiters" | "v3" | "v4 read through v2"
  readonly starts_ms: number
  readonly interruption: Interruption | undefined
}

/** What a seed stands for: a service, a network and a program that uses them. */
export interface World {
  readonly seed: number
  /** The share of requests that a fault hits, about. */
  readonly rate: number
  /** Whether the service honours idempotency keys, and the client knows; else no key ever reaches the service. */
  readonly keys: "honoured" | "ignored"
  /** Whether a 429 always comes before anything is done; the client knows. */
  readonly refusals: "before-acting" | "after-acting"
  readonly profile: Profile
  readonly faults: FaultPlan
  /** The share of requests whose connection is refused. */
  readonly refused: number
  /** From here on nothing fails any more. */
  readonly lull_ms: number
  readonly intents: ReadonlyArray<Intent>
}

/** The longest that a run of any world takes. */
export const longestRun_ms = 600_000

const { millis, seconds } = Duration

/** Each kind of fault that a world may have, with how often it comes among the others. */
const kinds = (
  dice: Dice.Dice,
  world: Pick<World, "keys" | "refusals">
): ReadonlyArray<readonly [string, number, Fault]> => {
  const asked = millis(dice.whole(0, 8) * 1000)
  const refusing = world.refusals === "after-acting" && dice.chance(0.5) ? "after-apply" : "before-apply"
  return [
    ["reset-before", 2, { kind: "reset" }],
    ["reset-after", 2, { kind: "reset", placement: "after-apply" }],
    ["bad-gateway", 2, { kind: "html-error", status: 502, placement: dice.choice(["before-apply", "after-apply"]) }],
    ["unavailable", 1, { kind: "status", status: 503, retryAfter: asked, placement: "after-apply" }],
    ["throttled", 2, { kind: "status", status: 429, retryAfter: asked, placement: refusing }],
    [
      "throttled-until",
      2,
      { kind: "status", status: 429, retryAfter: asked, retryAfterForm: "date", placement: refusing }
    ],
    ["hang-before", 0.5, { kind: "hang" }],
    ["hang-after", 0.5, { kind: "hang", placement: "after-apply" }],
    ["slow-body", 0.5, { kind: "slow-body", for: seconds(dice.whole(1, 60)) }],
    ["slow", 0.5, { kind: "slow-headers", for: seconds(dice.whole(1, 60)) }],
    ["cut", 1, { kind: "cut-body", end: dice.choice(["close", "reset"]) }],
    ["mangled", 1, { kind: "malformed-json" }],
    ["stale", 2, { kind: "stale-read", lag: millis(dice.whole(100, 4500)) }],
    ["redirect", 1, { kind: "redirect", status: dice.choice([301, 302, 307, 308]) }],
    ["skewed", 0.5, { kind: "clock-skew", by: seconds(dice.whole(1, 7200)), direction: dice.choice(["slow", "fast"]) }],
    ["outage", 0.1, { kind: "refuse-connections", for: millis(Math.round(dice.scale(100, 60_000))) }],
    ...(world.keys === "honoured" ? [["twice", 2, { kind: "duplicate-delivery" }] as const] : [])
  ]
}

/** What a kind is kept to. */
const onlyOn = (name: string): Pick<typeof Condition.Type, "operations"> => {
  switch (name) {
    // the service itself keeps time by what it made under a clock that is off
    case "skewed":
      return { operations: ["v2.getSession", "v3.getSession", "v4.getRun", "v4.getRunStatus", "v4.updateBrowser"] }
    // v2 creates nothing, so that its client cannot know what is too new to be found
    case "stale":
      return { operations: ["v3.getSession", "v4.getRun", "v4.getRunStatus"] }
    default:
      return {}
  }
}

const swarm = (dice: Dice.Dice, rate: number, world: Pick<World, "keys" | "lull_ms" | "refusals">) => {
  const weights = kinds(dice, world)
  const on = weights.filter(() => dice.chance(0.6))
  const refusal = dice.chance(0.6) ? 2 : 0
  const total = on.reduce((sum, [, weight]) => sum + weight, refusal)
  const until = millis(world.lull_ms)
  return {
    refused: total === 0 ? 0 : (rate * refusal) / total,
    faults: on.map(([name, weight, fault]): FaultRule => ({
      name,
      fault,
      // the service itself keeps time by what it made under a clock that is off
      when: { rate: (rate * weight) / total, until, ...onlyOn(name) }
    }))
  }
}

const interruption = (dice: Dice.Dice): Interruption | undefined => {
  if (dice.chance(0.7)) return undefined
  if (dice.chance(0.3)) return { at: "time", nth: 0, after_ms: Math.round(dice.scale(1, 120_000)) }
  return { at: dice.choice(["sent", "answered"]), nth: dice.whole(1, 6), after_ms: dice.choice([0, dice.whole(1, 50)]) }
}

const intents = (dice: Dice.Dice): ReadonlyArray<Intent> =>
  Array.from({ length: Math.round(dice.scale(1, 16)) }, (_, index) => ({
    index,
    way: dice.choice(["v4", "v4", "v4 with two waiters", "v3", "v4 read through v2"]),
    starts_ms: dice.whole(0, 5000),
    interruption: interruption(dice)
  }))

/** The same world, where every program is interrupted at its n-th step, or a little later. */
export const interruptedAt = (world: World, nth: number): World => {
  const after_ms = (world.seed + nth) % 2 === 0 ? 0 : 1 + (world.seed % 50)
  return {
    ...world,
    intents: world.intents.map((intent) => ({ ...intent, interruption: { at: "step", nth, after_ms } }))
  }
}

/** The world of a seed: which faults there are at all, how often each, how fast the service is, who leaves when. */
export const make = (seed: number, rate: number): World => {
  const dice = Dice.make(seed, "world")
  const keys: World["keys"] = dice.choice(["honoured", "ignored"])
  const refusals: World["refusals"] = dice.choice(["before-acting", "after-acting"])
  const lull_ms = Math.round(dice.scale(30_000, longestRun_ms))
  const many = intents(dice)
  const profile: Profile = {
    name: `seed-${seed}`,
    duration: { lognormal: { median: seconds(dice.whole(1, 60)), sigma: 1, max: millis(longestRun_ms - 60_000) } },
    dispatch: { lognormal: { median: millis(500), sigma: 1, max: seconds(20) } },
    outcomes: { completed: 8, failed: 1, cancelled: 1 },
    browser: { start: { lognormal: { median: millis(500), sigma: 0.5, max: seconds(10) } } },
    latency: { uniform: { min: millis(1), max: millis(dice.whole(2, 300)) } },
    ...(dice.chance(0.25) ? { limits: { requestsPerSecond: 1 + many.length / 2, burst: 3, retryAfter: "either" } } : {})
  }
  const base = { seed, rate, keys, refusals, lull_ms, profile, intents: many }
  return { ...base, ...swarm(dice, rate, base) }
}
