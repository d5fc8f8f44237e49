/** What a server and the load were like at one rate. */
export interface Step {
  /** Starts a second that were wanted. */
  readonly rate: number
  readonly requests: number
  readonly perSecond: number
  readonly p50_ms: number
  readonly p95_ms: number
  readonly p99_ms: number
  /** The share of requests that failed. */
  readonly failed: number
  /** Runs and browsers whose end was not seen. */
  readonly lost: number
  /** The share of starts that k6 could not make. */
  readonly dropped: number
  /** CPU time of the server for a request. */
  readonly cpu_us: number
  /** The share of the time in which the server's event loop was busy. */
  readonly loop: number
  /** The share of its core that k6 had. */
  readonly k6: number
}

/** When a rate is no longer carried. */
export interface Limits {
  readonly p95_ms: number
  /** The share of requests, and of starts. */
  readonly failed: number
  readonly dropped: number
}

/** What was crossed, or undefined when the rate is carried. */
export const crossed = (step: Step, limits: Limits): string | undefined => {
  if (step.failed > limits.failed) return "errors"
  if (step.lost > 0) return "runs or browsers lost"
  if (step.dropped > limits.dropped) return "starts dropped"
  if (step.p95_ms > limits.p95_ms) return "p95"
  return undefined
}

const busy = 0.9

/**
 * What gave first at a rate that is no longer carried. An event loop that is always busy is the server at its end; one
 * that has time left was not asked fast enough, by a k6 that had no more of its core.
 */
export const gaveFirst = ({ k6, loop }: Pick<Step, "loop" | "k6">): string => {
  if (loop >= busy) return "the server's event loop"
  return k6 >= busy ? "k6's core" : "neither: something else had the machine"
}

/** Rates from `from` on, each `factor` times the last, in whole starts. */
export const rates = (from: number, factor: number, count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, index) => Math.round(from * factor ** index))

/** What came of a server on its way up. */
export interface Climb {
  readonly steps: ReadonlyArray<Step>
  /** The highest rate that was carried; 0 when none was. */
  readonly carried: number
  /** The step that was not, and why; undefined when every rate was carried. */
  readonly broke?: { readonly step: Step; readonly by: string; readonly first: string }
}

/** Judges the steps of a climb: the last is the one that broke, if any did. */
export const climbOf = (steps: ReadonlyArray<Step>, limits: Limits): Climb => {
  const last = steps.at(-1)
  const by = last && crossed(last, limits)
  const carried = Math.max(0, ...steps.filter((step) => crossed(step, limits) === undefined).map(({ rate }) => rate))
  return {
    steps,
    carried,
    ...(last === undefined || by === undefined ? {} : { broke: { step: last, by, first: gaveFirst(last) } })
  }
}

/**
 * Goes up until a rate is not carried. Such a rate is tried once more before it counts: on a shared machine a neighbour
 * can end a step as well.
 */
export const climb = async (
  wanted: ReadonlyArray<number>,
  measure: (rate: number) => Promise<Step>,
  limits: Limits
): Promise<Climb> => {
  const steps: Array<Step> = []
  for (const rate of wanted) {
    const first = await measure(rate)
    const step = crossed(first, limits) === undefined ? first : await measure(rate)
    steps.push(step)
    if (crossed(step, limits) !== undefined) break
  }
  return climbOf(steps, limits)
}
