import type { Comparison } from "@webagent/report/Comparison"
import { counted } from "@webagent/cli/Text"
import { amount, chance, change, percent } from "./Amounts.ts"

/** A whole run with ten times the duration or cost is out of reach. */
const mostRatio = 10

const detectable = ({ detectable: least, figure }: Comparison): string | undefined =>
  least === null
    ? undefined
    : figure === "pass rate"
      ? `a fall to ${amount(least.amount)}`
      : amount(least.amount, figure)

const levels = (comparison: Comparison, isBrief: boolean): string => {
  const { figure, lack, nights, scenarios = 0, spread = 0, verdict } = comparison
  const what = `${change(1 + (comparison.change ?? 0), figure)} in ${counted(scenarios, "scenario")}`
  const others = `${nights} other nights`
  const least = detectable(comparison)
  if (lack?._tag === "FewRuns")
    return `${what}; ${lack.needed} other nights like these are needed for a comparison, and there are ${nights}`
  if (lack?._tag === "Noise") {
    const ratio = comparison.detectable?.amount
    const isHuge = ratio?._tag === "Ratio" && ratio.ratio > mostRatio
    return `${what}; cannot tell: ${others} differ too much to detect ${isHuge ? `even ${change(mostRatio, figure)}` : `less than ${least}`}`
  }
  const factor = 1 + spread
  const vary = `${others} vary ${factor < 2 ? `within ${percent(spread)}` : `by a factor of ${Number(factor.toPrecision(2))}`}`
  return `${what}; ${vary}${verdict === "no evidence" && !isBrief ? `; ${least} would be detected` : ""}`
}

/**
 * The evidence of a comparison of two runs in a sentence; `isBrief` leaves out the smallest change that would be
 * detected.
 */
export const evidence = (comparison: Comparison, isBrief = false): string => {
  const { before, figure, now, pairs, pValue, scenario } = comparison
  if (figure === "duration" || figure === "cost") return levels(comparison, isBrief)
  const [is, was] = [now, before].map((value) => (value === null ? "" : amount(value)))
  if (figure !== "pass rate") return `${is} leaked, ${was} before`
  const by =
    pairs === undefined
      ? ""
      : `, ${pairs.lost} lost and ${pairs.won} won${scenario === null ? "" : ` of ${pairs.of} pairs`}`
  const rates = `${is} trials passed, ${was} before${by}`
  if (pValue !== undefined) return `${rates}; ${chance(pValue, 4)}`
  return isBrief ? rates : `${rates}; ${detectable(comparison) ?? "no fall"} would be detected`
}
