import * as Duration from "effect/Duration"

/** A load test that there is; its script is `load/<name>.load.ts`. */
export interface LoadTest {
  readonly name: string
  /** The most requests that a run takes: created, polled until the script gives up, fetched. */
  readonly requestsPerRun: number
  /** The most requests that a browser takes: created, and stopped at the last attempt. */
  readonly requestsPerBrowser: number
}

/** Every load test by name. */
export const loadTests: Readonly<Record<string, LoadTest>> = {
  smoke: { name: "smoke", requestsPerRun: 1 + 36 + 1, requestsPerBrowser: 1 + 3 }
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
