import { Counter, Gauge, Trend } from "k6/metrics"
import type { own } from "../src/Metrics.ts"

type Name<Type> = {
  readonly [Metric in keyof typeof own]: (typeof own)[Metric] extends Type ? Metric : never
}[keyof typeof own]

const counter = (name: Name<"counter">) => new Counter(name)
const time = (name: Name<"trend">) => new Trend(name, true)

/** Time from the due start of work until the client saw its final status. */
export const timeToTerminal = time("time_to_terminal")

/** Time from the end of a run, by the service's clock, until the client saw it. Measured if both share a clock. */
export const detectionDelay = time("detection_delay")

/** Polls until a final status. */
export const pollsPerRun = new Trend("polls_per_run" satisfies Name<"trend">)

/** Pieces of agent work (runs, follow-ups, sessions) that ended with the expected status and a result. */
export const runsCompleted = counter("runs_completed")

/** Pieces of agent work that were started and whose result was not found. */
export const runsLost = counter("runs_lost")

/** Browsers that were created and are known to be stopped. */
export const browsersStopped = counter("browsers_stopped")

/** Browsers that are not known to be stopped. */
export const browsersLeaked = counter("browsers_leaked")

/** Starts that k6 cut off, and that may have left a browser. */
export const browsersCutOff = counter("browsers_cut_off")

/** The number of each create when it is sent; the maximum is the newest one. */
export const newestBrowser = new Gauge("newest_browser" satisfies Name<"gauge">)

/** Responses that were decoded with the contract's schemas. */
export const answersDecoded = counter("answers_decoded")

/** Responses that the contract's schemas refuse. */
export const contractViolations = counter("contract_violations")

/** Iterations that threw an exception. */
export const iterationsFailed = counter("iterations_failed")
