import * as Duration from "effect/Duration"

/** A load test that there is; its script is `load/<name>.load.ts`. */
export interface LoadTest {
  readonly name: string
  /** What it asks of a service, in a few words. */
  readonly about: string
  /** Starts a second at its full height, unless told. */
  readonly rate: number
  /** How long new work is started, unless told. */
  readonly duration: Duration.Duration
}

const loadTest = (name: string, about: string, rate: number, duration: Duration.Input): LoadTest => ({
  name,
  about,
  rate,
  duration: Duration.fromInputUnsafe(duration)
})

/** Every load test by name, from the gentlest on. */
export const loadTests: Readonly<Record<string, LoadTest>> = {
  smoke: loadTest("smoke", "a few seconds of a little of everything", 5, "5 seconds"),
  "average-load": loadTest("average-load", "an ordinary hour, in a minute", 20, "1 minute"),
  stress: loadTest("stress", "more than it is made for, for a while", 60, "2 minutes"),
  spike: loadTest("spike", "a sudden crowd, and what is left of it", 100, "1 minute"),
  soak: loadTest("soak", "an ordinary load for long, for what grows or leaks", 10, "20 minutes"),
  breakpoint: loadTest("breakpoint", "more and more until something gives", 200, "2 minutes")
}

/** A load test with how much of it. */
export interface LoadPlan {
  readonly test: LoadTest
  /** Starts a second at its full height. */
  readonly rate: number
  /** How long new work is started. */
  readonly duration: Duration.Duration
}

/** The most that a service is asked for. */
interface Most {
  readonly requests: number
  readonly runs: number
  readonly browsers: number
}

/** How long a script waits for the end of a run, unless told. */
const runTimeout_ms = 30_000

/** The virtual users that k6 makes before the first start: enough for runs that take a third of what one waits. */
export const usersOf = ({ rate }: LoadPlan, wait_ms = runTimeout_ms): number => Math.ceil((rate * wait_ms) / 3000) + 1

/** How often a script asks until it gives up: after 50 ms, then half as long again each time, up to a second. */
const pollsWithin = (timeout_ms: number): number => {
  let [polls, waited_ms, pause_ms] = [0, 0, 50]
  for (; waited_ms < timeout_ms; pause_ms *= 1.5) {
    waited_ms += Math.min(pause_ms, 1000)
    polls++
  }
  return polls
}

/** One start of each flow: created, polled, fetched; a browser is created and stopped at the last attempt. */
const flowsOf = (polls: number): Readonly<Record<string, Most>> => ({
  runs: { requests: 1 + polls + 1, runs: 1, browsers: 0 },
  queue: { requests: 2 * (1 + polls + 1), runs: 2, browsers: 0 },
  v3: { requests: 1 + polls + 1, runs: 1, browsers: 0 },
  v2: { requests: 1 + polls, runs: 1, browsers: 0 },
  browsers: { requests: 3 + 3, runs: 0, browsers: 1 },
  status: { requests: 1, runs: 0, browsers: 0 }
})

/** What is wrong with the weights of a mix, in one sentence; undefined when nothing is. */
export const mistakeInMix = (mix: string): string | undefined => {
  const names = Object.keys(flowsOf(0))
  const parts = mix.split(",").map((part) => part.trim())
  const isWeight = (part: string) => names.some((name) => new RegExp(`^${name}=\\d{1,3}$`, "u").test(part))
  const wrong = parts.find((part) => !isWeight(part))
  const example = "such as runs=3,browsers=1"
  if (wrong !== undefined)
    return `--mix has "${wrong}": write weights from 0 to 999 for ${names.join(", ")}, ${example}.`
  const twice = names.find((name) => parts.filter((part) => part.startsWith(`${name}=`)).length > 1)
  if (twice !== undefined) return `--mix names ${twice} twice: write each flow once, ${example}.`
  if (parts.every((part) => /=0+$/u.test(part)))
    return `--mix starts nothing: give a flow a weight of 1 or more, ${example}.`
  return undefined
}

/** Before the first start, by each process: runs to read, and a look whether creates may be repeated. */
const setup: Most = { requests: 15, runs: 5, browsers: 2 }

/** How long one start may keep a browser: six requests of ten seconds each. */
const browserTime_s = 60

/**
 * After an abort, by each process: one browser that says what time it is at the service, and the creates of those that may
 * be open once more, each stopped at the last attempt. What they make belongs to their starts.
 */
const reaping = (starts: number, rate: number): Most => ({
  requests: (1 + 3) * (1 + Math.min(starts, Math.ceil(rate * browserTime_s) + 1)),
  runs: 0,
  browsers: 1
})

/** The flows that a mix names, all of them without one. */
const flowsIn = (mix: string | undefined, timeout_ms: number): ReadonlyArray<Most> => {
  const flows = flowsOf(pollsWithin(timeout_ms))
  const named = mix?.split(",").flatMap((part) => {
    const [name = "", weight = ""] = part.trim().split("=")
    return Number(weight) > 0 ? (flows[name] ?? []) : []
  })
  return named === undefined || named.length === 0 ? Object.values(flows) : named
}

/** What else bears on how much is asked. */
interface Extent {
  readonly mix?: string | undefined
  readonly run_timeout_ms?: number | undefined
  /** How often the load is sent. */
  readonly times?: number
  /** How many processes share it. */
  readonly segments?: number
}

/** What a plan asks of a service at most, in words: `send up to 2,099 requests and create up to 57 runs and 29 browsers`. */
export const worstCase = (
  { duration, rate }: LoadPlan,
  { mix, run_timeout_ms = runTimeout_ms, segments = 1, times = 1 }: Extent = {}
): string => {
  // of each process one may start as the time ends
  const starts = Math.floor(rate * Duration.toSeconds(duration)) + segments
  const all = flowsIn(mix, run_timeout_ms)
  const isReaping = all.some(({ browsers }) => browsers > 0)
  const ofProcess = [setup, ...(isReaping ? [reaping(Math.ceil(starts / segments), rate)] : [])]
  const [requests, runs, browsers] = (["requests", "runs", "browsers"] as const).map((what) => {
    const around = ofProcess.reduce((sum, most) => sum + most[what], 0)
    const most = times * (starts * Math.max(...all.map((flow) => flow[what])) + segments * around)
    return most.toLocaleString("en-US")
  })
  return `send up to ${requests} requests and create up to ${runs} runs and ${browsers} browsers`
}
