// @boundaries-ignore k6 brings its own modules
import { Counter, Gauge, Trend } from "k6/metrics"

/** From when a start was due to when the client knew that its work had ended. */
export const timeToTerminal = new Trend("time_to_terminal", true)

/** From the end of a run as the service dates it to when the client knew. Measured where both have one clock. */
export const detectionDelay = new Trend("detection_delay", true)

/** How often one asks until one knows. */
export const pollsPerRun = new Trend("polls_per_run")

/** Pieces of agent work (runs, follow-ups, sessions) that ended as wished, with a result. */
export const runsCompleted = new Counter("runs_completed")

/** Pieces of agent work that were begun and whose end and result were not found. */
export const runsLost = new Counter("runs_lost")

/** Browsers that were created and are known to be stopped. */
export const browsersStopped = new Counter("browsers_stopped")

/** Browsers that are not known to be stopped. */
export const browsersLeaked = new Counter("browsers_leaked")

/** Starts of which nobody saw the end, because k6 cut them off, and that may have left a browser. */
export const browsersCutOff = new Counter("browsers_cut_off")

/** The number of each create as it is begun; its maximum says which was the newest. */
export const newestBrowser = new Gauge("newest_browser")

/** Answers that were decoded with the contract's schemas. */
export const answersDecoded = new Counter("answers_decoded")

/** Answers that the contract's schemas refuse. */
export const contractViolations = new Counter("contract_violations")

/** Iterations that an exception ended. */
export const iterationsFailed = new Counter("iterations_failed")
