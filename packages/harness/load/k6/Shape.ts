import type { LoadTestName } from "../src/LoadTest.ts"

/** The course of the load over a test, in shares of its duration and of its full height. */
export interface Shape {
  /** The height it begins with. */
  readonly from: number
  /** Each goes evenly to a height, or stays there. */
  readonly stages: ReadonlyArray<{ readonly time: number; readonly to: number }>
}

/** The shapes of the load tests, as k6's documentation draws them. */
export const shapes: Readonly<Record<LoadTestName, Shape>> = {
  smoke: { from: 1, stages: [{ time: 1, to: 1 }] },
  "average-load": plateau(0.1),
  stress: plateau(0.2),
  spike: {
    from: 0.1,
    stages: [
      { time: 0.3, to: 0.1 },
      { time: 0.05, to: 1 },
      { time: 0.2, to: 1 },
      { time: 0.05, to: 0.1 },
      { time: 0.4, to: 0.1 }
    ]
  },
  soak: plateau(0.05),
  breakpoint: { from: 0, stages: [{ time: 1, to: 1 }] }
}

function plateau(ramp: number): Shape {
  return {
    from: 0,
    stages: [
      { time: ramp, to: 1 },
      { time: 1 - 2 * ramp, to: 1 },
      { time: ramp, to: 0 }
    ]
  }
}

// k6 takes whole numbers, and a start every few seconds is a rate as well
const starts = (rate: number) => Math.round(rate * 60)

const stagesOf = (shape: Shape, duration_ms: number, height: (share: number) => number) =>
  shape.stages.map(({ time, to }) => ({ duration: `${Math.round(time * duration_ms)}ms`, target: height(to) }))

const isConstant = ({ from, stages }: Shape) => stages.every(({ to }) => to === from)

interface Executor {
  readonly duration_ms: number
  readonly gracefulStop: string
}

/** New work starts at a rate a second, whether or not earlier work is done. */
export const openModel = (
  shape: Shape,
  {
    duration_ms,
    gracefulStop,
    maxVUs,
    preAllocatedVUs,
    rate
  }: Executor & Record<"rate" | "preAllocatedVUs" | "maxVUs", number>
) => {
  const vus = { timeUnit: "1m", gracefulStop, preAllocatedVUs, maxVUs }
  if (isConstant(shape)) {
    return { executor: "constant-arrival-rate", rate: starts(rate), duration: `${duration_ms}ms`, ...vus } as const
  }
  const height = (share: number) => starts(rate * share)
  return {
    executor: "ramping-arrival-rate",
    startRate: height(shape.from),
    stages: stagesOf(shape, duration_ms, height),
    ...vus
  } as const
}

/** Each user starts new work when its last is done: a slow service gets less of it. */
export const closedModel = (shape: Shape, { duration_ms, gracefulStop, vus }: Executor & { readonly vus: number }) => {
  if (isConstant(shape)) {
    return { executor: "constant-vus", vus, duration: `${duration_ms}ms`, gracefulStop } as const
  }
  const height = (share: number) => (share === 0 ? 0 : Math.max(1, Math.round(vus * share)))
  return {
    executor: "ramping-vus",
    startVUs: height(shape.from),
    stages: stagesOf(shape, duration_ms, height),
    gracefulRampDown: gracefulStop,
    gracefulStop
  } as const
}

/**
 * When the open model is to begin its nth start, in ms after its first moment, by k6's own rule: as soon as the area
 * under the rate holds one start more. k6 counts what it began, so this is right until it drops a start.
 */
export const scheduled = (shape: Shape, rate: number, duration_ms: number, index: number): number => {
  const perMilli = (share: number) => starts(rate * share) / 60_000
  // k6's two executors differ in this: one begins at once, the other when there is a whole start
  if (isConstant(shape)) return index / perMilli(shape.from)
  let [begin_ms, done, from] = [0, 0, perMilli(shape.from)]
  for (const stage of shape.stages) {
    const stage_ms = Math.round(stage.time * duration_ms)
    const to = perMilli(stage.to)
    const area = (stage_ms * (from + to)) / 2
    const wanted = index + 1 - done
    if (wanted <= area) {
      if (from === to) return begin_ms + wanted / to
      const root = stage_ms * (from * from * stage_ms + 2 * wanted * (to - from))
      return begin_ms + (Math.sqrt(Math.max(0, root)) - from * stage_ms) / (to - from)
    }
    begin_ms += stage_ms
    done += area
    from = to
  }
  return begin_ms
}
