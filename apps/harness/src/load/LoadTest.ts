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
  /** The most requests that a run takes: created, polled until the script gives up, fetched. */
  readonly requestsPerRun: number
  /** The most requests that a browser takes: created, and stopped at the last attempt. */
  readonly requestsPerBrowser: number
}

const loadTest = (name: string, about: string, rate: number, duration: Duration.Input): LoadTest => ({
  name,
  about,
  rate,
  duration: Duration.fromInputUnsafe(duration),
  requestsPerRun: 1 + 36 + 1,
  requestsPerBrowser: 1 + 3
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
  /** Runs, and as many browsers, started per second. */
  readonly rate: number
  readonly duration: Duration.Duration
}

/** What a plan asks of a service at most, in words: `up to 1,092 requests and create up to 26 runs and 26 browsers`. */
export const worstCase = ({ duration, rate, test }: LoadPlan): string => {
  // one may start as the time ends
  const starts = Math.floor(rate * Duration.toSeconds(duration)) + 1
  const requests = starts * (test.requestsPerRun + test.requestsPerBrowser)
  const [most, each] = [requests, starts].map((count) => count.toLocaleString("en-US"))
  return `send up to ${most} requests and create up to ${each} runs and ${each} browsers`
}
