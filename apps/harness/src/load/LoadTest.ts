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

// polled until the script gives up
const polls = 36

/** One start of each flow: created, polled, fetched; a browser is created and stopped at the last attempt. */
const flows: Readonly<Record<string, Most>> = {
  runs: { requests: 1 + polls + 1, runs: 1, browsers: 0 },
  queue: { requests: 2 * (1 + polls + 1), runs: 2, browsers: 0 },
  v3: { requests: 1 + polls + 1, runs: 1, browsers: 0 },
  v2: { requests: 1 + polls, runs: 1, browsers: 0 },
  browsers: { requests: 3 + 3, runs: 0, browsers: 1 },
  status: { requests: 1, runs: 0, browsers: 0 }
}

/** Before the first start: runs to read, and a look whether creates may be repeated. */
const setup: Most = { requests: 15, runs: 5, browsers: 2 }

/** The flows that a mix names, all of them without one. */
const flowsIn = (mix: string | undefined): ReadonlyArray<Most> => {
  const named = mix?.split(",").flatMap((part) => {
    const [name = "", weight = ""] = part.trim().split("=")
    return Number(weight) > 0 ? (flows[name] ?? []) : []
  })
  return named === undefined || named.length === 0 ? Object.values(flows) : named
}

/**
 * What a plan asks of a service at most, in words: `send up to 1,991 requests and create up to 57 runs and 28 browsers`.
 * `times` is how often the load is sent.
 */
export const worstCase = (
  { duration, rate }: LoadPlan,
  { mix, times = 1 }: { readonly mix?: string | undefined; readonly times?: number } = {}
): string => {
  // one may start as the time ends
  const starts = Math.floor(rate * Duration.toSeconds(duration)) + 1
  const all = flowsIn(mix)
  const [requests, runs, browsers] = (["requests", "runs", "browsers"] as const).map((what) => {
    const most = times * (starts * Math.max(...all.map((flow) => flow[what])) + setup[what])
    return most.toLocaleString("en-US")
  })
  return `send up to ${requests} requests and create up to ${runs} runs and ${browsers} browsers`
}
