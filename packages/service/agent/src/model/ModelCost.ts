import type * as Response from "effect/ai/Response"
import type { Decimal } from "@webagent/engine"

/** USD for a million tokens, each with at most six decimals. */
export interface PriceInput {
  readonly input: Decimal.Decimal
  readonly output: Decimal.Decimal
  /** Input that the provider read from its cache. */
  readonly cacheRead?: Decimal.Decimal | undefined
  /** Input that the provider wrote to its cache. */
  readonly cacheWrite?: Decimal.Decimal | undefined
}

/** The price of one token, in 1e-12 USD. */
export interface Price {
  readonly input: bigint
  readonly output: bigint
  readonly cacheRead: bigint | null
  readonly cacheWrite: bigint | null
}

/** An amount in 1e-12 USD; null is unknown. */
export type ModelCost = bigint | null

const decimals = 12

const perToken = (name: string, amount: string): bigint => {
  const [, whole, fraction = ""] = /^(\d+)(?:\.(\d{1,6}))?$/u.exec(amount) ?? []
  if (whole === undefined) {
    throw new RangeError(
      `${name} must be USD for a million tokens, such as 3 or 0.075, with at most 6 decimals; got ${amount}`
    )
  }
  return BigInt(whole + fraction.padEnd(6, "0"))
}

/** Returns an amount in USD as 1e-12 USD; further decimals are cut. */
export const parse = (usd: Decimal.Decimal): bigint => {
  const [, whole = "0", fraction = ""] = /^(\d*)\.?(\d*)$/u.exec(usd) ?? []
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, "0"))
}

/** A price per token. Throws a `RangeError` that names the field. */
export const price = ({ cacheRead, cacheWrite, input, output }: PriceInput): Price => ({
  input: perToken("input", input),
  output: perToken("output", output),
  cacheRead: cacheRead === undefined ? null : perToken("cacheRead", cacheRead),
  cacheWrite: cacheWrite === undefined ? null : perToken("cacheWrite", cacheWrite)
})

/**
 * Returns the cost of a call. It's unknown without a price, without a token count, and if some tokens have no price.
 */
export const of = (price: Price | undefined, { inputTokens, outputTokens }: Response.Usage): ModelCost => {
  if (price === undefined || outputTokens.total === undefined) return null
  const { cacheRead = 0, cacheWrite = 0, total, uncached } = inputTokens
  if (total === undefined && uncached === undefined) return null
  const plain = uncached ?? Math.max(0, (total ?? 0) - cacheRead - cacheWrite)
  const parts: ReadonlyArray<readonly [number, bigint | null]> = [
    [plain, price.input],
    [cacheRead, price.cacheRead],
    [cacheWrite, price.cacheWrite],
    [outputTokens.total, price.output]
  ]
  return parts.reduce<ModelCost>(
    (sum, [tokens, each]) => (tokens === 0 ? sum : sum === null || each === null ? null : sum + BigInt(tokens) * each),
    0n
  )
}

/**
 * Returns the highest possible cost of a call, for limits. Cached tokens without a price count at the price of the
 * others.
 */
export const estimate = (price: Price | undefined, usage: Response.Usage): ModelCost =>
  price === undefined
    ? null
    : of({ ...price, cacheRead: price.cacheRead ?? price.input, cacheWrite: price.cacheWrite ?? price.input }, usage)

/** The sum: unknown where either is. */
export const add = (left: ModelCost, right: ModelCost): ModelCost =>
  left === null || right === null ? null : left + right

/** USD as the engine writes it. */
export const format = (cost: bigint): Decimal.Decimal => {
  const digits = String(cost).padStart(decimals + 1, "0")
  const fraction = digits.slice(-decimals).replace(/0+$/u, "")
  return fraction === "" ? digits.slice(0, -decimals) : `${digits.slice(0, -decimals)}.${fraction}`
}
