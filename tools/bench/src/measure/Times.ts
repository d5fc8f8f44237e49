import { quantile, sorted } from "@webagent/statistics/Quantile"
import { none, plain } from "./Report.ts"

/** Times of one thing, in milliseconds. */
export interface Times {
  readonly p50: number
  readonly p95: number
}

/** Summarizes times. */
export const timesOf = (all: ReadonlyArray<number>): Times => {
  const ordered = sorted(all)
  return { p50: quantile(ordered, 0.5), p95: quantile(ordered, 0.95) }
}

/** `1.2 / 3.4`. */
export const timesText = ({ p50, p95 }: Times): string => (Number.isNaN(p50) ? none : `${plain(p50)} / ${plain(p95)}`)

/** Measures the milliseconds that an action takes. */
export const timed = async (act: () => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await act()
  return performance.now() - start
}
