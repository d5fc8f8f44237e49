import type { DurationDistribution } from "@webagent/control"
import * as Duration from "effect/Duration"
import * as Seed from "./Seed.ts"

/** A hundred years: no tail is longer. */
const longest_ms = 3_153_600_000_000

/** `factor` times as long. Zero stays zero, also when the factor is infinite. */
const times = (length: Duration.Duration, factor: number) =>
  Duration.toMillis(length) * Math.min(factor, Number.MAX_VALUE)

const between = (min: number, max: number, share: number) => min + (max - min) * share

const sample = (distribution: DurationDistribution, seed: Seed.Seed, key: ReadonlyArray<string | number>): number => {
  if (Duration.isDuration(distribution)) return Duration.toMillis(distribution)
  if ("uniform" in distribution) {
    const { max, min } = distribution.uniform
    return between(Duration.toMillis(min), Duration.toMillis(max), Seed.draw(seed, ...key))
  }
  if ("lognormal" in distribution) {
    const { max, median, sigma } = distribution.lognormal
    const drawn = times(median, Math.exp(sigma * Seed.drawNormal(seed, ...key)))
    return max === undefined ? drawn : Math.min(drawn, Duration.toMillis(max))
  }
  const { alpha, max, min } = distribution.pareto
  return Math.min(times(min, (1 - Seed.draw(seed, ...key)) ** (-1 / alpha)), Duration.toMillis(max))
}

/** Whole milliseconds drawn from the distribution: the same for the same seed and key, whatever else is drawn. */
export const draw_ms = (
  distribution: DurationDistribution,
  seed: Seed.Seed,
  ...key: ReadonlyArray<string | number>
): number => Math.round(Math.min(sample(distribution, seed, key), longest_ms))
