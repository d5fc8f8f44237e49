import type { Comparison } from "@webagent/report/Comparison"
import { number } from "@webagent/cli/Text"
import { amount, chance, change, lately, nights, percent, shareOf } from "./Amounts.ts"

/** A figure of this run: `3 of 5`, `1.19 s`, `0.4 % longer`. */
export const now = ({ figure, lack, now, scenario }: Comparison): string =>
  now === null
    ? ""
    : figure === "pass rate" && scenario === null && lack === undefined
      ? percent(shareOf(now))
      : amount(now, figure)

/** The same in the runs that it is compared with. */
export const before = (comparison: Comparison): string => {
  const { before, figure, lack, nights: count, spread } = comparison
  if (figure === "leaked browsers" && before !== null) return `in ${amount(before)} of ${nights(count)}`
  if (before !== null && lack === undefined) return amount(before, figure)
  return spread === undefined ? "" : `nights vary by ${percent(spread)}`
}

/** Smallest change that would be reported: `a fall to 51 %`, `9.0 % longer`; undefined if none would be. */
export const detectable = ({ before, detectable: least, figure, scenario }: Comparison): string | undefined => {
  if (least === null) return undefined
  if (figure === "leaked browsers") return "1 more"
  if (figure !== "pass rate") return amount(least.amount, figure)
  if (scenario === null) {
    const points = before === null ? Number.NaN : 100 * (shareOf(before) - shareOf(least.amount))
    return `${points.toFixed(1)} points`
  }
  return `a fall to ${amount(least.amount)}${least.window === undefined ? "" : ` within ${nights(least.window)}`}`
}

const inBefore = (count: number) => `in the ${nights(count)} before`

/** Number of earlier runs, if they are too few. */
const needs = (count: number, needed: number) => `${nights(count)} before, and ${needed} are needed`

/** A figure that could not be compared: its value, and the data that is missing. */
const uncompared = (comparison: Comparison): readonly [what: string, missing: string | undefined] => {
  const { before, figure, lack, nights: count } = comparison
  const isRate = figure === "pass rate"
  switch (lack?._tag) {
    case "NoValue":
      return [isRate ? "no trial was scored" : `no scenario has a ${figure}`, undefined]
    case "FirstOnMachine":
      return ["the first night on this machine", undefined]
    case "FewRuns": {
      const { code, needed } = lack
      if (!isRate) return [needs(count, needed), undefined]
      if (comparison.scenario === null) return [`${now(comparison)} trials passed`, needs(count, needed)]
      if (before !== null)
        return [`${now(comparison)} trials passed, ${amount(before)} ${inBefore(count)}`, `${needed} nights are needed`]
      const prefix = code === "same" || code === undefined ? "" : `${code}, `
      return [`${prefix}passed ${now(comparison)} trials`, needs(count, needed)]
    }
    default:
      return ["", undefined]
  }
}

const rates = (comparison: Comparison): string => {
  const { confirm, isRare, nights: count, scenario, window } = comparison
  if (scenario === null)
    return `${now(comparison)} of the trials passed ${lately(window)}, ${before(comparison)} of those of the same scenarios ${inBefore(count)}`
  const more = confirm === undefined ? "" : `; ${confirm.passed} of ${confirm.scored} extra trials passed`
  const rare = isRare === true ? ", which happens in fewer than 1 of 100 nights" : ""
  return `${now(comparison)} trials passed ${lately(window)}, ${before(comparison)} ${inBefore(count)}${more}${rare}`
}

const levels = (comparison: Comparison): string => {
  const { confirm, figure, isFromStart, isOtherMachine, nights: count, relativeChange, scenario, window } = comparison
  const ratio = 1 + (comparison.change ?? 0)
  const which = isFromStart === true ? `the first ${nights(count)}` : `the ${nights(count)} before`
  const figures =
    relativeChange === undefined
      ? ""
      : `: ${now(comparison)}, usually ${before(comparison)}${isOtherMachine === true ? " on another machine" : ""}, ${change(1 + relativeChange, figure)} compared with the other scenarios`
  // a whole night isn't longer, because scenarios run concurrently
  const subject = scenario === null ? `a typical scenario ${figure === "cost" ? "cost" : "took"} ` : ""
  const than = `${subject}${change(ratio, scenario === null && figure === "cost" ? "" : figure, lately(window))}`
  const confirmed = confirm === undefined ? "" : `, confirmed by ${confirm.passed} more trials`
  return `${than} in ${which}${figures}${confirmed}`
}

/** The evidence of a comparison, and after a semicolon the smallest change that it would report. */
const parts = (comparison: Comparison): readonly [evidence: string, missing: string | undefined] => {
  const { figure, isUnusual, lack, pValue, verdict } = comparison
  if (figure === "leaked browsers")
    return [`${now(comparison)} leaked; ${before(comparison)} before browsers leaked`, undefined]
  if (lack !== undefined) return uncompared(comparison)
  const what = figure === "pass rate" ? rates(comparison) : levels(comparison)
  const sure = pValue === undefined ? what : `${what} (${chance(pValue)})`
  if (verdict !== "no evidence" || isUnusual) return [sure, undefined]
  const least = detectable(comparison)
  const isOfWholeRate = figure === "pass rate" && comparison.scenario === null
  return [
    sure,
    least === undefined
      ? `${figure === "pass rate" ? "no fall" : "no change"} would be detected`
      : `${least}${isOfWholeRate ? " less" : ""} would be detected`
  ]
}

/** The evidence of a comparison in a sentence, without the data that is missing or the change that would be detected. */
export const evidence = (comparison: Comparison): string => parts(comparison)[0]

/** The same with that. */
export const fullEvidence = (comparison: Comparison): string =>
  parts(comparison)
    .filter((part) => part !== undefined)
    .join("; ")

/** The share of nights without a change that look like this: `sure: chance alone causes this in about 1 in 250 nights`. */
export const sureness = ({ pValue }: Comparison): string | undefined => {
  if (pValue === undefined) return undefined
  const often = pValue < 0.001 ? "fewer than 1 in 1,000 nights" : `about 1 in ${number(Math.round(1 / pValue))} nights`
  const sure = pValue < 0.001 ? "very sure: " : pValue < 0.01 ? "sure: " : ""
  return `${sure}chance alone causes this in ${often}`
}
