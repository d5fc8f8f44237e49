import type { Night, NightScenario } from "@webagent/nights/Night"
import { withId } from "@webagent/nights/Night"
import { drawing } from "@webagent/statistics/Order"

const machine = { cpu: "simulated", cores: 2, platform: "linux-x64", node: "24" }

/** What becomes worse in a month, each by as much as the goals say. */
export const changes = ["none", "slower", "flakier", "one scenario", "costlier", "leaking"] as const

/** What becomes worse in a month. */
export type Change = (typeof changes)[number]

/** What the nights of a month are drawn from. */
export interface WorldOptions {
  readonly seed: number
  readonly scenarios: number
  readonly trials: number
  /** By how much nights differ in their durations by themselves: 0.03. */
  readonly nightly: number
  readonly change: Change
  /** The first night in which it is so. */
  readonly from: number
}

/** A night as the history keeps it, and what gates of other kinds look at. */
export interface SimulatedNight {
  readonly night: Night
  /** Of single requests, in milliseconds, in no order. */
  readonly requests: ReadonlyArray<number>
}

const slower = 1.1
const costlier = 1.15
const fall = 0.1
const leakRate = 0.2
const requestsEach = 2

/** The scenario that falls from 95 % to 50 %, and the one that leaks. */
export const fallen = 0
const leaky = 1

interface Kind {
  readonly pass: number
  readonly log_ms: number
  readonly spread: number
  readonly cost: number
}

/** Most never fail, some seldom, few often. */
const passRate = (index: number, draw: () => number) => {
  if (index === fallen) return 0.95
  const kind = draw()
  return kind < 0.5 ? 1 : kind < 0.8 ? 0.98 + 0.02 * draw() : kind < 0.95 ? 0.9 + 0.08 * draw() : 0.6 + 0.3 * draw()
}

const rounded = (value: number) => Number(value.toFixed(6))

/** The nights of a month one after the other, the same for the same options. */
export const world = (options: WorldOptions): (() => SimulatedNight) => {
  const draw = drawing(options.seed)
  const normal = () => Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw())
  const kinds = Array.from({ length: options.scenarios }, (_, index): Kind => ({
    pass: passRate(index, draw),
    log_ms: Math.log(1000) + draw() * Math.log(60),
    spread: 0.1 + 0.4 * draw(),
    cost: 0.002 + 0.05 * draw()
  }))
  const tide = { phase: 2 * Math.PI * draw(), turns: 1 + 2 * draw() }
  let number = 0
  let creep = 0

  const scenario = (kind: Kind, index: number, worse: Change, weather: { slow: number; flaky: number }) => {
    const failing = (1 - kind.pass) * weather.flaky
    const pass =
      worse === "one scenario" && index === fallen ? 0.5 : Math.max(0, 1 - failing - (worse === "flakier" ? fall : 0))
    const verdicts = Array.from({ length: options.trials }, () =>
      draw() < 0.005 ? ("infra" as const) : draw() < pass ? ("passed" as const) : ("failed" as const)
    )
    const of = (wanted: string) => verdicts.filter((verdict) => verdict === wanted).length
    const [passed, failed] = [of("passed"), of("failed")]
    // one trial in a hundred waits for something
    const logs = Array.from(
      { length: passed },
      () => kind.log_ms + weather.slow + kind.spread * normal() + (draw() < 0.01 ? Math.log(3) : 0)
    )
    const cost = Array.from(
      { length: options.trials },
      () => kind.cost * Math.exp(0.3 * normal()) * (worse === "costlier" ? costlier : 1)
    )
    const leaks =
      worse === "leaking" && index === leaky
        ? Array.from({ length: options.trials }, () => draw() < leakRate).filter(Boolean).length
        : 0
    const mean_log = logs.reduce((sum, value) => sum + value, 0) / Math.max(1, passed)
    return {
      suite: `suite-${index % 10}`,
      name: `scenario ${index}`,
      source: "0123456789abcdef",
      verdict: failed === 0 ? (passed === 0 ? "infra" : "passed") : passed === 0 ? "failed" : "flaky",
      passed,
      scored: passed + failed,
      failed,
      claimed: 0,
      infra: of("infra"),
      ...(passed === 0
        ? {}
        : {
            durations: {
              count: passed,
              mean_log: rounded(mean_log),
              median_ms: rounded(Math.exp(logs.toSorted((a, b) => a - b)[passed >> 1] ?? 0))
            }
          }),
      spent_ms: rounded(logs.reduce((sum, value) => sum + Math.exp(value), 0)),
      trials: options.trials,
      cost_usd: cost.reduce((sum, value) => sum + value, 0).toFixed(6),
      requests: options.trials * 12,
      breaches: 0,
      leaks
    } satisfies NightScenario
  }

  return () => {
    const worse = number >= options.from ? options.change : "none"
    creep += 0.002 * normal()
    const weather = {
      slow: options.nightly * normal() + creep + (worse === "slower" ? Math.log(slower) : 0),
      flaky: Math.exp(0.2 * normal() + 0.2 * Math.sin(tide.phase + (tide.turns * number) / 10))
    }
    const scenarios = kinds.map((kind, index) => scenario(kind, index, worse, weather))
    const requests = Array.from(
      { length: options.scenarios * options.trials * requestsEach },
      () => 100 * Math.exp(weather.slow + 0.5 * normal())
    )
    const night = withId({
      version: 1,
      kind: "night",
      startedAt: new Date(Date.UTC(2026, 0, 1, 2) + number * 86_400_000).toISOString(),
      duration_ms: 1_800_000,
      fingerprint: { target: "simulated", tool: "0.1.0", machine, concurrency: 8, trials: options.trials },
      seed: number,
      cost_usd: scenarios.reduce((sum, { cost_usd }) => sum + Number(cost_usd), 0).toFixed(6),
      requests: requests.length,
      breaches: 0,
      scenarios
    })
    number++
    return { night, requests }
  }
}
