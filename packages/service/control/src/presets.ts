import * as Duration from "effect/Duration"
import type { FaultRule } from "./FaultPlan.ts"
import type { Profile } from "./Profile.ts"

const { millis, minutes, seconds } = Duration

/** The names of the profiles that come with the service. */
export const presetNames = ["instant", "realistic", "flaky", "hostile", "overloaded"] as const

/** The name of a profile that comes with the service. */
export type PresetName = (typeof presetNames)[number]

const named = (name: PresetName, description: string) => ({ name, description })

/** Costs and self-reports of agents, and verdicts of judges. They don't depend on the health of the service. */
const talk = {
  cost: { start: "0.01", perMinute: "0.03" },
  selfReport: { completed: 0.97, failed: 0.1 },
  judge: { enabled: 0.5, agrees: 0.9 },
  suggestions: { rate: 0.2, max: 3 },
  proxy: { rate: 0.2, mb: { min: 0.5, max: 20 } }
} satisfies Profile

const instant = {
  ...named("instant", "For unit tests: every run succeeds within about 5 ms, so that a test can still see it running."),
  duration: millis(5),
  dispatch: millis(0),
  outcomes: { completed: 1 },
  cost: { start: "0.002", perMinute: "0.05" },
  session: { keepAlive: 1, persistMemory: 1, recording: 0 },
  letGo: millis(0),
  browser: { start: millis(0) }
} satisfies Profile

const realistic = {
  ...named(
    "realistic",
    "A healthy service at its usual pace: a run takes about a minute and sometimes much longer, 9 % of the runs fail, " +
      "and a browser starts in 1.5 s. These times are estimates, because no vendor publishes them."
  ),
  ...talk,
  duration: { lognormal: { median: seconds(60), sigma: 1, max: minutes(30) } },
  dispatch: { lognormal: { median: seconds(2), sigma: 0.6, max: seconds(20) } },
  outcomes: { completed: 90, failed: 9, cancelled: 1 },
  session: { recording: 0.3 },
  letGo: { lognormal: { median: millis(500), sigma: 0.5, max: seconds(5) } },
  browser: { start: { lognormal: { median: millis(1500), sigma: 0.4, max: seconds(10) } } },
  limits: { concurrentRuns: 25, concurrentBrowsers: 25, requestsPerSecond: 20, burst: 40, retryAfter: "seconds" },
  latency: { lognormal: { median: millis(60), sigma: 0.5, max: seconds(2) } },
  pollInterval: seconds(1)
} satisfies Profile

const flakyFaults: ReadonlyArray<FaultRule> = [
  { name: "reset", fault: { kind: "reset", placement: "before-apply" }, when: { rate: 0.01 } },
  { name: "bad-gateway", fault: { kind: "html-error", status: 502 }, when: { rate: 0.01 } },
  { name: "throttled", fault: { kind: "status", status: 429, retryAfter: seconds(1) }, when: { rate: 0.01 } },
  { name: "hang", fault: { kind: "hang", for: seconds(30), placement: "before-apply" }, when: { rate: 0.003 } },
  { name: "answer-lost", fault: { kind: "reset", placement: "after-apply" }, when: { rate: 0.005 } }
]

const flaky = {
  ...named(
    "flaky",
    "A bad day, sped up so that tests can wait for it: a run takes about a second, 16 % of the runs " +
      "fail, and about 4 % of the requests are reset, throttled, delayed or changed by a proxy, or lose their response."
  ),
  ...talk,
  duration: { lognormal: { median: seconds(1), sigma: 0.8, max: seconds(30) } },
  dispatch: { uniform: { min: millis(10), max: millis(200) } },
  outcomes: { completed: 83, failed: 16, cancelled: 1 },
  session: { recording: 0.3 },
  letGo: { uniform: { min: millis(0), max: millis(500) } },
  browser: {
    start: { uniform: { min: millis(50), max: millis(500) } },
    dropAfter: { lognormal: { median: minutes(2), sigma: 1, max: minutes(30) } }
  },
  latency: { lognormal: { median: millis(20), sigma: 0.8, max: seconds(1) } },
  pollInterval: millis(100),
  faults: flakyFaults
} satisfies Profile

const creates = ["v3.createSession", "v4.createRun", "v4.queueMessage", "v4.createBrowser"] as const
const reads = ["v2.getSession", "v3.getSession", "v4.getRunStatus", "v4.getRun"] as const

const hostileFaults: ReadonlyArray<FaultRule> = [
  {
    name: "answer-lost",
    fault: { kind: "reset", placement: "after-apply" },
    when: { operations: creates, rate: 0.05 }
  },
  { name: "delivered-twice", fault: { kind: "duplicate-delivery" }, when: { operations: creates, rate: 0.02 } },
  { name: "stale", fault: { kind: "stale-read", lag: seconds(2) }, when: { operations: reads, rate: 0.05 } },
  { name: "outage", fault: { kind: "refuse-connections", for: millis(500) }, when: { rate: 0.001 } },
  { name: "reset", fault: { kind: "reset", placement: "before-apply" }, when: { rate: 0.02 } },
  { name: "reset-in-body", fault: { kind: "reset", placement: "mid-body" }, when: { rate: 0.01 } },
  { name: "hang", fault: { kind: "hang", for: seconds(30), placement: "before-apply" }, when: { rate: 0.01 } },
  { name: "hang-in-body", fault: { kind: "hang", for: seconds(30), placement: "mid-body" }, when: { rate: 0.005 } },
  { name: "slow-headers", fault: { kind: "slow-headers", for: seconds(5) }, when: { rate: 0.01 } },
  { name: "slow-body", fault: { kind: "slow-body", for: seconds(5) }, when: { rate: 0.01 } },
  { name: "cut-body", fault: { kind: "cut-body", share: 0.5 }, when: { rate: 0.01 } },
  { name: "malformed-json", fault: { kind: "malformed-json" }, when: { rate: 0.01 } },
  { name: "wrong-content-type", fault: { kind: "wrong-content-type" }, when: { rate: 0.01 } },
  { name: "bad-gateway", fault: { kind: "html-error", status: 502 }, when: { rate: 0.02 } },
  { name: "internal", fault: { kind: "status", status: 500 }, when: { rate: 0.01 } },
  { name: "unavailable", fault: { kind: "status", status: 503, retryAfter: seconds(2) }, when: { rate: 0.02 } },
  {
    name: "throttled-by-date",
    fault: { kind: "status", status: 429, retryAfter: seconds(2), retryAfterForm: "date" },
    when: { rate: 0.02 }
  },
  { name: "clock-skew", fault: { kind: "clock-skew", by: minutes(2), direction: "fast" }, when: { rate: 0.01 } },
  { name: "elsewhere", fault: { kind: "redirect", status: 307 }, when: { rate: 0.01 } }
]

const hostile = {
  ...named(
    "hostile",
    "Everything that can go wrong does: about one request in four breaks, and some runs take very long. Use it to find " +
      "what a client loses, repeats or leaks. No service is this bad for long, but each of these faults happens."
  ),
  ...talk,
  duration: { pareto: { min: millis(300), alpha: 1.1, max: minutes(2) } },
  dispatch: { pareto: { min: millis(10), alpha: 1, max: seconds(10) } },
  outcomes: { completed: 60, failed: 35, cancelled: 5 },
  selfReport: { completed: 0.8, failed: 0.4 },
  judge: { enabled: 0.5, agrees: 0.6 },
  session: { keepAlive: 0.8, persistMemory: 0.8, recording: 0.5 },
  letGo: { pareto: { min: millis(50), alpha: 1, max: seconds(10) } },
  browser: {
    start: { pareto: { min: millis(100), alpha: 1, max: seconds(10) } },
    dropAfter: { lognormal: { median: seconds(10), sigma: 1, max: minutes(5) } }
  },
  limits: { requestsPerSecond: 50, burst: 100, retryAfter: "either" },
  latency: { pareto: { min: millis(5), alpha: 1, max: seconds(5) } },
  pollInterval: millis(100),
  faults: hostileFaults
} satisfies Profile

const overloaded = {
  ...named(
    "overloaded",
    "A healthy service with too much to do: it accepts few runs and requests, and the others get a 429 with either form " +
      "of Retry-After. Runs start slowly, and one response in twenty is a 503 or late."
  ),
  ...talk,
  duration: { lognormal: { median: seconds(90), sigma: 1, max: minutes(30) } },
  dispatch: { lognormal: { median: seconds(8), sigma: 1, max: minutes(2) } },
  outcomes: { completed: 88, failed: 11, cancelled: 1 },
  session: { recording: 0.3 },
  letGo: { lognormal: { median: seconds(2), sigma: 0.7, max: seconds(20) } },
  browser: { start: { lognormal: { median: seconds(6), sigma: 0.7, max: seconds(45) } } },
  limits: { concurrentRuns: 4, concurrentBrowsers: 2, requestsPerSecond: 5, burst: 10, retryAfter: "either" },
  latency: { lognormal: { median: millis(400), sigma: 0.8, max: seconds(10) } },
  pollInterval: seconds(2),
  faults: [
    { name: "unavailable", fault: { kind: "status", status: 503, retryAfter: seconds(2) }, when: { rate: 0.03 } },
    { name: "late", fault: { kind: "slow-headers", for: seconds(5) }, when: { rate: 0.02 } }
  ]
} satisfies Profile

/** The profiles that come with the service, by name. `description` says what each stands for. */
export const presets = { instant, realistic, flaky, hostile, overloaded } satisfies Record<PresetName, Profile>
