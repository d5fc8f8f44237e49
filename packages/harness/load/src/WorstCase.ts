import { number } from "@webagent/cli/Text"
import type { LoadPlan } from "./LoadPlan.ts"
import { firstPause_ms, pauseAfter, runTimeout_ms } from "./LoadTest.ts"
import { type FlowName, flows, type Mix } from "./Mix.ts"

/** Upper bounds on the requests of a load and on their effects. */
interface Requested {
  readonly requests: number
  readonly runs: number
  readonly browsers: number
}

/** Returns the number of polls until a script gives up. */
const pollsWithin = (timeout_ms: number): number => {
  let [polls, waited_ms] = [0, 0]
  for (let pause_ms = firstPause_ms; waited_ms < timeout_ms; pause_ms = pauseAfter(pause_ms)) {
    waited_ms += pause_ms
    polls++
  }
  return polls
}

/** One start of each flow: created, polled, fetched; a browser is created and stopped at the last attempt. */
const requestedBy = (polls: number): Readonly<Record<FlowName, Requested>> => ({
  runs: { requests: 1 + polls + 1, runs: 1, browsers: 0 },
  queue: { requests: 2 * (1 + polls + 1), runs: 2, browsers: 0 },
  v3: { requests: 1 + polls + 1, runs: 1, browsers: 0 },
  v2: { requests: 1 + polls, runs: 1, browsers: 0 },
  browsers: { requests: 3 + 3, runs: 0, browsers: 1 },
  status: { requests: 1, runs: 0, browsers: 0 }
})

/** Before the first start, by each process: runs to read, and a test whether creates may be repeated. */
const setup: Requested = { requests: 15, runs: 5, browsers: 2 }

/** Maximum time that one start keeps a browser: six requests of ten seconds each. */
const browserTime_s = 60

/**
 * After an abort, by each process: one browser that says what time it is at the service, and the creates of those that may
 * be open once more, each stopped at the last attempt. What they make belongs to their starts.
 */
const reaping = (starts: number, rate: number): Requested => ({
  requests: (1 + 3) * (1 + Math.min(starts, Math.ceil(rate * browserTime_s) + 1)),
  runs: 0,
  browsers: 1
})

/** Further factors of the number of requests. */
interface Extent {
  /** Defaults to all flows. */
  readonly mix?: Mix | undefined
  readonly run_timeout_ms?: number | undefined
  /** Number of times that the load is sent. */
  readonly times?: number
  /** Number of processes that share the load. */
  readonly segments?: number
}

/**
 * Describes the most that a plan can ask of a service:
 * `send up to 2,099 requests and create up to 57 runs and 29 browsers`.
 *
 * @param plan - The duration in milliseconds, and the rate in starts per second.
 * @param extent - The mix, the timeout of a run in milliseconds, and the numbers of processes and of repetitions.
 * @returns A part of a sentence, with numbers of requests, runs and browsers.
 * @example
 * ```ts
 * import { loadTests } from "@webagent/load/LoadTest"
 * import { parse } from "@webagent/load/Mix"
 * import { worstCase } from "@webagent/load/WorstCase"
 *
 * const plan = { test: loadTests.smoke, rate: 5, duration_ms: 60_000 }
 * console.log(`This load test can ${worstCase(plan, { mix: parse("runs=1", "--mix") })}.`)
 * ```
 */
export const worstCase = (
  { duration_ms, rate }: LoadPlan,
  { mix, run_timeout_ms = runTimeout_ms, segments = 1, times = 1 }: Extent = {}
): string => {
  // each process may start one more as the time ends
  const starts = Math.floor((rate * duration_ms) / 1000) + segments
  const byFlow = requestedBy(pollsWithin(run_timeout_ms))
  const started = flows.filter((flow) => mix === undefined || mix.weights[flow] > 0).map((flow) => byFlow[flow])
  const createsBrowsers = started.some(({ browsers }) => browsers > 0)
  const ofProcess = [setup, ...(createsBrowsers ? [reaping(Math.ceil(starts / segments), rate)] : [])]
  const [requests, runs, browsers] = (["requests", "runs", "browsers"] as const).map((what) => {
    const around = ofProcess.reduce((sum, requested) => sum + requested[what], 0)
    const most = times * (starts * Math.max(...started.map((requested) => requested[what])) + segments * around)
    return number(most)
  })
  return `send up to ${requests} requests and create up to ${runs} runs and ${browsers} browsers`
}
