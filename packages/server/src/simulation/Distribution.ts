import type { DurationDistribution } from "@webagent/control"
import * as Duration from "effect/Duration"
import * as Seed from "../domain/Seed.ts"

const between = (min: number, max: number, share: number) => min + (max - min) * share

const sample = (distribution: DurationDistribution, seed: Seed.Seed, key: ReadonlyArray<string | number>): number => {
  if (Duration.isDuration(distribution)) return Duration.toMillis(distribution)
  if ("uniform" in distribution) {
    const { max, min } = distribution.uniform
    return between(Duration.toMillis(min), Duration.toMillis(max), Seed.draw(seed, ...key))
  }
  if ("lognormal" in distribution) {
    const { max, median, sigma } = distribution.lognormal
    const drawn = Duration.toMillis(median) * Math.exp(sigma * Seed.drawNormal(seed, ...key))
    return max === undefined ? drawn : Math.min(drawn, Duration.toMillis(max))
  }
  const { alpha, max, min } = distribution.pareto
  return Math.min(Duration.toMillis(min) * (1 - Seed.draw(seed, ...key)) ** (-1 / alpha), Duration.toMillis(max))
}

/** Whole milliseconds drawn from the distribution: the same for the same seed and key, whatever else is drawn. */
export const draw_ms = (
  distribution: DurationDistribution,
  seed: Seed.Seed,
  ...key: ReadonlyArray<string | number>
): number => Math.round(sample(distribution, seed, key))
