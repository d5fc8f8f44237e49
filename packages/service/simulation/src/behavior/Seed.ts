import { hash } from "node:crypto"

/**
 * The source of all random choices of one server. Each draw is keyed by its purpose and doesn't advance a stream, so
 * requests that overtake each other change nothing.
 */
export type Seed = number

const digest = (seed: Seed, key: ReadonlyArray<string | number>): string =>
  hash("sha256", JSON.stringify([seed, ...key]), "hex")

/** A number in [0, 1), the same for the same seed and key. */
export const draw = (seed: Seed, ...key: ReadonlyArray<string | number>): number =>
  Number.parseInt(digest(seed, key).slice(0, 12), 16) / 2 ** 48

/** A draw from the standard normal distribution. */
export const drawNormal = (seed: Seed, ...key: ReadonlyArray<string | number>): number =>
  Math.sqrt(-2 * Math.log(1 - draw(seed, ...key, "radius"))) * Math.cos(2 * Math.PI * draw(seed, ...key, "angle"))

/** A version 4 uuid, the same for the same seed and key. */
export const uuid = (seed: Seed, ...key: ReadonlyArray<string | number>): string => {
  const hex = digest(seed, key)
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16)
  // joined at once: a text that is added up keeps its parts, and there are two ids for each run
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32)
  ].join("-")
}
