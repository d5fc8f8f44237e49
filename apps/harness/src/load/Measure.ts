import type { Figures, Spread } from "./Figures.ts"

/** A figure that tells whether a service became slower or worse; more of it is worse. */
export interface Measure {
  readonly name: string
  /** Undefined where too little was measured for it. */
  readonly of: (figures: Figures) => number | undefined
  readonly format: (value: number) => string
}

/** A time for a person: `0.4 ms`, `41 ms`, `1.31 s`. */
export const time = (value_ms: number): string => {
  if (value_ms < 10) return `${value_ms.toFixed(1)} ms`
  return value_ms < 1000 ? `${Math.round(value_ms)} ms` : `${(value_ms / 1000).toFixed(2)} s`
}

const spreads: ReadonlyArray<readonly [name: string, of: (figures: Figures) => Spread | undefined]> = [
  ["time to terminal", ({ time_to_terminal }) => time_to_terminal],
  ["request", ({ requests }) => requests]
]

// fewer points than these, and the figure is the one slowest of them
const percentiles = [
  ["p50", 10],
  ["p95", 20],
  ["p99", 100]
] as const

/** Half of the times, and all but one in twenty or a hundred. */
export const times: ReadonlyArray<Measure> = spreads.flatMap(([name, spreadOf]) =>
  percentiles.map(([share, least]) => ({
    name: `${name} ${share}`,
    of: (figures: Figures) => {
      const spread = spreadOf(figures)
      return spread === undefined || spread.count < least || spread[share] <= 0 ? undefined : spread[share]
    },
    format: time
  }))
)

/** Seconds that a good answer takes of all the load's time, the inverse of the throughput. */
export const throughput: Measure = {
  name: "throughput",
  of: ({ throughput }) => (throughput > 0 ? 1 / throughput : undefined),
  format: (seconds) => `${(1 / seconds).toFixed(1)}/s`
}

const percent = (share: number) => `${(share * 100).toFixed(2)} %`

/** Shares that may be nothing and so have no ratio: requests that failed, work that did not end as wished. */
export const shares: ReadonlyArray<Measure> = [
  { name: "errors", of: ({ errors }) => errors, format: percent },
  { name: "unfinished", of: ({ unfinished }) => unfinished, format: percent }
]
