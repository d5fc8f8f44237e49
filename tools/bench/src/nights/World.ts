import type { Figure } from "@webagent/report/Comparison"
import type { Night, NightScenario } from "@webagent/nights/Night"
import { drawing } from "@webagent/statistics/Drawing"
import { deviation, mean } from "@webagent/statistics/Quantile"
import type { Disturbances } from "./Disturbances.ts"

/** Changes for the worse in a month. */
export const changes = [
  "none",
  "95 to 50 %",
  "95 to 50 % and ten slow",
  "95 to 50 % after ten slow",
  "100 to 80 %",
  "one +50 % time",
  "one +20 % time",
  "steady +10 % time",
  "five share a cause",
  "-10 points",
  "+10 % time",
  "+20 % time",
  "1 % a night",
  "0.5 % a night",
  "lost improvement",
  "+15 % cost",
  "leak"
] as const

/** Change for the worse in a month. */
export type Change = (typeof changes)[number]

/** Parameters for drawing the nights of a month. */
export interface WorldOptions {
  readonly seed: number
  readonly scenarios: number
  readonly trials: number
  readonly disturbances: Disturbances
  readonly change: Change
  /** The first night in which it is so. */
  readonly from: number
}

/** The reason why a night is worse than others, and not by chance, so that people want a report of it. */
export type Disturbance = "slow night" | "outage" | "shared cause" | "new scenario" | "slower machine"

/** One more trial of a scenario, at the end of the night. */
interface MoreTrial {
  readonly passed: boolean
  readonly duration_ms: number
}

/** A night as the history keeps it, and what gates of other kinds ask it for. */
export interface SimulatedNight {
  readonly night: Night
  /** Returns the cause that makes a figure of a scenario or of the whole night worse; undefined if it is chance. */
  readonly disturbanceOf: (what: {
    readonly figure: Figure
    readonly scenario: string | null
  }) => Disturbance | undefined
  /** Cause of failing scenarios in a night without a worse figure. */
  readonly failingBy: Disturbance | undefined
  readonly more: (scenario: string) => MoreTrial
  /** Durations of single requests, in milliseconds, in no order. */
  readonly requests: () => ReadonlyArray<number>
}

/** The scenarios that a change is planted in; the leak is in the second. */
export const planted = ["scenario 0", "scenario 1", "scenario 2", "scenario 3", "scenario 4"] as const

/** A slower machine that the history is not told of: by how much at least, and for how many nights it is news. */
const slowerMachine = Math.log(1.05)
const newsFor = 30

/** Scenarios that take twice as long. */
const slowOnes: ReadonlySet<string> = new Set(
  Array.from({ length: 10 }, (_, index) => `scenario ${planted.length + index}`)
)

/** The number of nights for which ten scenarios have been slow when another one begins to fail. */
export const slowFor = 5

/** By how many nights an improvement comes before it is lost again. */
const improvedFor = 10

interface Kind {
  readonly suite: string
  readonly name: string
  readonly since: number
  until: number
  readonly log_ms: number
  readonly spread: number
  readonly cost: number
  /** The logarithm of the odds that a trial fails; drifts. Never where it is -Infinity. */
  odds: number
  /** Distance of its durations from their level, night after night. */
  apart: number
  /** Effect of machines on its durations, beyond the effect on those of others. */
  machine: number
  /** Change that was accepted as the new normal. */
  accepted: number
}

/** A part of a night in which something is wrong. */
interface Spell {
  readonly from: number
  readonly to: number
  readonly chance: number
  readonly scenarios: ReadonlySet<string> | undefined
}

const logit = (share: number) => Math.log(share / (1 - share))
const shareOf = (odds: number) => 1 / (1 + Math.exp(-odds))
const day_ms = 86_400_000
const start = Date.UTC(2026, 0, 1, 2)

/** When a night of this number began. */
export const startedAt = (number: number): string => new Date(start + number * day_ms).toISOString()

/** Most never fail, some seldom, few often. */
const failureRate = (index: number, change: Change, draw: () => number): number => {
  const kind = draw()
  const within = draw()
  if (index < planted.length && change === "100 to 80 %") return 0
  if (index < planted.length) return 0.05
  return kind < 0.5 ? 0 : kind < 0.8 ? 0.02 * within : kind < 0.95 ? 0.02 + 0.08 * within : 0.1 + 0.3 * within
}

/** The nights of a month one after the other, the same for the same options. */
export const world = (options: WorldOptions): (() => SimulatedNight) => {
  const { change, from, scenarios: count, seed, trials, disturbances } = options
  const ofNights = drawing(seed)
  // what a gate asks for beyond the planned trials leaves the nights to come as they are
  const ofFurther = drawing(seed + 1_000_003)
  let draw = ofNights
  const normal = () => Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw())
  const between = (low: number, high: number) => low + (high - low) * draw()
  let born = 0
  const isSteady = (index: number) => change === "steady +10 % time" && index === 0
  const kindOf = (since: number): Kind => {
    const index = born++
    const rate = failureRate(index, change, draw)
    return {
      suite: `suite-${index % 10}`,
      name: `scenario ${index}`,
      since,
      until: Infinity,
      log_ms: Math.log(1000) + draw() * Math.log(60),
      // the median of five trials that vary by this much varies by 3 %
      spread: isSteady(index) ? 0.055 : 0.1 + 0.4 * draw(),
      cost: 0.002 + 0.05 * draw(),
      odds: rate === 0 ? -Infinity : logit(rate),
      apart: 0,
      machine: 0,
      accepted: 0
    }
  }
  let kinds = Array.from({ length: count }, () => kindOf(0))
  const week = Array.from({ length: 7 }, () => disturbances.season * normal())
  const weekFlaky = Array.from({ length: 7 }, () => disturbances.seasonFlaky * normal())
  let [number, creep, ar, machine, level, unannounced] = [0, 0, 0, 1, 0, -Infinity]

  const slowDown = (name: string, night: number): number => {
    const after = night - from + 1
    const isOn = after > 0
    if (slowOnes.has(name)) {
      if (change === "95 to 50 % after ten slow") return after > -slowFor ? Math.log(2) : 0
      if (change === "95 to 50 % and ten slow") return isOn ? Math.log(2) : 0
    }
    if (change === "lost improvement") return night >= from - improvedFor && !isOn ? Math.log(0.8) : 0
    if (!isOn) return 0
    if (change === "+10 % time") return Math.log(1.1)
    if (change === "+20 % time") return Math.log(1.2)
    if (change === "1 % a night") return after * Math.log(1.01)
    if (change === "0.5 % a night") return after * Math.log(1.005)
    if (name !== planted[0]) return 0
    if (change === "one +50 % time") return Math.log(1.5)
    if (change === "one +20 % time") return Math.log(1.2)
    return change === "steady +10 % time" ? Math.log(1.1) : 0
  }

  const failing = (kind: Kind, night: number, weather: number): number => {
    const own = shareOf(kind.odds) * weather
    if (night < from) return Math.min(0.95, own)
    if (kind.name === planted[0] && change.startsWith("95 to 50 %")) return 0.5
    if (kind.name === planted[0] && change === "100 to 80 %") return 0.2
    if (change === "five share a cause" && planted.some((name) => name === kind.name)) return 0.5
    return Math.min(0.95, own + (change === "-10 points" ? 0.1 : 0))
  }

  return () => {
    const night = number++
    const weekday = night % 7
    if (draw() < disturbances.machines) {
      const shift = disturbances.machineShift * normal()
      // an unannounced change is only a shift
      if (draw() < disturbances.announced) machine++
      else if (shift > slowerMachine) unannounced = night
      level += shift
      for (const kind of kinds) kind.machine += disturbances.machineOwn * normal()
    }
    if (draw() < disturbances.churn) {
      const gone = kinds[Math.floor(between(planted.length, kinds.length))]
      kinds = [...kinds.filter((kind) => kind !== gone), kindOf(night)]
    }
    creep += disturbances.creep * normal()
    ar = disturbances.follow * ar + disturbances.ar * Math.sqrt(1 - disturbances.follow ** 2) * normal()
    const isSlow = draw() < disturbances.slowNights
    const slow =
      level +
      creep +
      ar +
      (week[weekday] ?? 0) +
      disturbances.nightly * normal() +
      (isSlow ? Math.log(between(1.15, disturbances.slowest)) : 0)
    const flaky = Math.exp(disturbances.weather * normal() + (weekFlaky[weekday] ?? 0))
    const spells: Array<Spell> = []
    const isAway = draw() < disturbances.outages
    const outage = isAway ? between(0.05, 0.2) : 0
    const outageFrom = between(0, 1 - outage)
    if (draw() < disturbances.causes) {
      const length = between(0.1, 0.6)
      const begin = between(-0.2, 1)
      const names = Array.from({ length: 2 + Math.floor(7 * draw()) }, () => kinds[Math.floor(draw() * kinds.length)])
      spells.push({
        from: begin,
        to: begin + length,
        chance: between(0.3, 0.9),
        scenarios: new Set(names.flatMap((kind) => kind?.name ?? []))
      })
    }
    const isNew = kinds.some(({ since }) => since === night && night > 0)
    const failingBy = isAway ? "outage" : spells.length > 0 ? "shared cause" : isNew ? "new scenario" : undefined
    const disturbanceOf: SimulatedNight["disturbanceOf"] = ({ figure, scenario }) => {
      if (figure === "duration" && scenario === null) {
        return isSlow ? "slow night" : night - unannounced < newsFor ? "slower machine" : undefined
      }
      if (figure !== "pass rate") return undefined
      if (isAway) return "outage"
      const isShared = spells.some(({ scenarios }) => scenario === null || scenarios?.has(scenario) === true)
      return isShared ? "shared cause" : undefined
    }
    const rates = new Map<string, number>()
    for (const kind of kinds) {
      kind.odds += disturbances.passDrift * normal()
      kind.apart =
        disturbances.ownFollow * kind.apart + disturbances.own * Math.sqrt(1 - disturbances.ownFollow ** 2) * normal()
      const rate = failing(kind, night, flaky)
      // nights scatter more than their trials say: the odds of the night, not those of the scenario
      rates.set(kind.name, rate === 0 ? 0 : shareOf(logit(rate) + disturbances.scatter * normal()))
    }
    const trial = (kind: Kind, at: number) => {
      const hit = spells.some(
        ({ chance, from, scenarios, to }) =>
          from <= at && at <= to && (scenarios?.has(kind.name) ?? true) && draw() < chance
      )
      const away = isAway && outageFrom <= at && at <= outageFrom + outage
      const passed = !hit && draw() >= (rates.get(kind.name) ?? 0)
      const infra = draw() < 0.005 || (away && draw() < 0.7)
      const long = draw() < disturbances.outliers ? Math.log(3) : 0
      return {
        verdict: infra
          ? ("infra" as const)
          : passed && !(away && draw() < 0.5)
            ? ("passed" as const)
            : ("failed" as const),
        log_ms:
          kind.log_ms + slow + kind.apart + kind.machine + slowDown(kind.name, night) + kind.spread * normal() + long
      }
    }
    const scenarios = kinds.map((kind): NightScenario => {
      const all = Array.from({ length: trials }, (_, number) => trial(kind, (number + draw()) / trials))
      const logs = all
        .filter(({ verdict }) => verdict === "passed")
        .map(({ log_ms }) => log_ms)
        .toSorted((a, b) => a - b)
      const passed = logs.length
      const failed = all.filter(({ verdict }) => verdict === "failed").length
      let cost = 0
      const factor = change === "+15 % cost" && night >= from ? 1.15 : 1
      for (let paid = 0; paid < trials; paid++) cost += kind.cost * factor * Math.exp(0.3 * normal())
      const leaks = change === "leak" && night >= from && kind.name === planted[1] && draw() < 1 - 0.8 ** trials ? 1 : 0
      return {
        suite: kind.suite,
        name: kind.name,
        source: "0123456789abcdef",
        verdict: failed === 0 ? (passed === 0 ? "infra" : "passed") : passed === 0 ? "failed" : "flaky",
        passed,
        scored: passed + failed,
        failed,
        claimed: 0,
        infra: trials - passed - failed,
        ...(passed === 0
          ? {}
          : {
              durations: {
                count: passed,
                mean_log: mean(logs),
                ...(passed < 2 ? {} : { deviation_log: deviation(logs) }),
                median_ms: Math.exp(((logs[(passed - 1) >> 1] ?? 0) + (logs[passed >> 1] ?? 0)) / 2)
              }
            }),
        spent_ms: logs.reduce((sum, log) => sum + Math.exp(log), 0),
        trials,
        cost_usd: cost.toFixed(6),
        requests: trials * 12,
        breaches: 0,
        leaks
      }
    })
    const byName = new Map(kinds.map((kind) => [kind.name, kind]))
    return {
      disturbanceOf,
      failingBy,
      more: (name) => {
        const kind = byName.get(name)
        if (kind === undefined) throw new Error(`no scenario ${name}`)
        draw = ofFurther
        const { log_ms, verdict } = trial(kind, 1)
        draw = ofNights
        return { passed: verdict !== "failed", duration_ms: Math.exp(log_ms) }
      },
      requests: () =>
        Array.from({ length: count * trials * 2 }, () => 100 * Math.exp(slow + slowDown("", night) + 0.5 * normal())),
      night: {
        version: 2,
        kind: "night",
        id: `night-${night}`,
        startedAt: startedAt(night),
        duration_ms: 1_800_000,
        fingerprint: {
          target: "simulated",
          tool: "0.1.0",
          machine: { cpu: `machine ${machine}`, cores: 2, platform: "linux-x64", node: "24" },
          concurrency: 8,
          trials
        },
        seed: night,
        cost_usd: scenarios.reduce((sum, { cost_usd }) => sum + Number(cost_usd), 0).toFixed(6),
        requests: count * trials * 12,
        breaches: 0,
        scenarios
      }
    }
  }
}
