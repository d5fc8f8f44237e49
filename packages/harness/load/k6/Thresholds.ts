import type { LoadTestName } from "../src/LoadTest.ts"
import type { FlowName, Mix } from "../src/Mix.ts"

/** A limit as k6 takes it. */
export interface Threshold {
  readonly threshold: string
  /** Crossing the threshold stops the test. */
  readonly abortOnFail: boolean
  readonly delayAbortEval?: string
}

/** The limits of a load test by k6's name of the metric. */
export type Thresholds = Readonly<Record<string, Array<Threshold>>>

interface Options {
  readonly test: LoadTestName
  readonly mix: Mix
  readonly isOpen: boolean
  /** Time limit for a run to finish, in milliseconds. */
  readonly runTimeout_ms: number
  /** A JSON object from a metric to its limits, which take the place of the default ones; none for an empty list. */
  readonly overrides: string | undefined
}

const work: ReadonlyArray<FlowName> = ["runs", "queue", "v3", "v2"]

/**
 * None is about speed, which depends on the machine, except in a breakpoint test: a service that queues what it can't carry
 * fails nothing, it only becomes slower. Exceptions in an iteration do not fail k6, and neither does doing
 * nothing: each of those has a threshold here.
 */
const defaults = ({
  isOpen,
  mix: { weights },
  runTimeout_ms,
  test
}: Options): Record<string, ReadonlyArray<string>> => ({
  http_req_failed: ["rate<0.01"],
  checks: ["rate>0.99"],
  iterations: ["count>0"],
  iterations_failed: ["count==0"],
  contract_violations: ["count==0"],
  ...(isOpen ? { dropped_iterations: ["count==0"] } : {}),
  ...(test === "breakpoint" ? { http_req_duration: ["p(95)<500"] } : {}),
  ...(work.some((flow) => weights[flow] > 0)
    ? {
        runs_completed: ["count>0"],
        runs_lost: ["count==0"],
        // work that waits is a backlog, however fast it was accepted; virtual users are enough for a third of the timeout
        ...(test === "breakpoint" ? { time_to_terminal: [`p(95)<${Math.round(runTimeout_ms / 3)}`] } : {})
      }
    : {}),
  ...(weights.browsers > 0 ? { browsers_stopped: ["count>0"], browsers_leaked: ["count==0"] } : {})
})

const isLimits = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((limit) => typeof limit === "string")

const parse = (text: string): Record<string, ReadonlyArray<string>> => {
  const refuse = (): never => {
    throw new Error(
      'WEBAGENT_LOAD_THRESHOLDS must be a JSON object from metrics to lists of limits, such as {"checks":["rate>0.9"]}.'
    )
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return refuse()
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return refuse()
  return Object.fromEntries(
    Object.entries(value).map(([metric, limits]) => (isLimits(limits) ? [metric, limits] : refuse()))
  )
}

// These are only known at the end: work that has begun is lost and open until it is found and stopped.
const atTheEnd = /^count>|^(?:runs_lost|browsers_leaked)/u

/** The limits of a load test: the defaults, with what the overrides put in their place. */
export const from = (options: Options): Thresholds => {
  const merged = { ...defaults(options), ...(options.overrides === undefined ? {} : parse(options.overrides)) }
  const abort = (metric: string, limit: string): Threshold =>
    options.test === "breakpoint" && !atTheEnd.test(limit) && !atTheEnd.test(metric)
      ? { threshold: limit, abortOnFail: true, delayAbortEval: "2s" }
      : { threshold: limit, abortOnFail: false }
  return Object.fromEntries(
    Object.entries(merged).flatMap(([metric, limits]) =>
      limits.length === 0 ? [] : [[metric, limits.map((limit) => abort(metric, limit))]]
    )
  )
}
