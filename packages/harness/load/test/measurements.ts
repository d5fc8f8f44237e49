import type { Measurements } from "../src/Measurements.ts"
import { drawing } from "@webagent/statistics/Drawing"

/** Numbers from the normal distribution, the same for the same seed. */
export const normals = (seed: number) => {
  const draw = drawing(seed)
  return () => Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw())
}

/** Measurements of a service whose times are `factor` times as long as usual. */
export const measurementsOf = (factor: number, more: Partial<Measurements> = {}): Measurements => {
  const spread = (p50: number) => ({
    count: 200,
    p50: p50 * factor,
    p95: 2 * p50 * factor,
    p99: 3 * p50 * factor,
    max: 9 * p50 * factor
  })
  return {
    throughput: 100,
    errors: 0,
    requests: spread(4),
    operations: {},
    time_to_terminal: spread(200),
    ...more
  }
}
