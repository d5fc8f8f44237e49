import { Decimal } from "@webagent/engine"

/** Returns an amount in USD as an integer of billionths, rounded. */
export const nanoOf = (usd: Decimal.Decimal): number => Math.round(Number(usd) * 1e9)

/** Returns a number of billionths, as text, in USD. */
export const usdOf = (nano: string): Decimal.Decimal => Decimal.multiply(nano, "0.000000001")
