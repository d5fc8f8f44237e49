import { assert, describe, it } from "vitest"
import * as Beta from "../src/Beta.ts"
import * as BetaBinomial from "../src/BetaBinomial.ts"
import * as Binomial from "../src/Binomial.ts"
import * as Discrete from "../src/Discrete.ts"
import * as Fisher from "../src/Fisher.ts"
import * as Gamma from "../src/Gamma.ts"
import * as Hypergeometric from "../src/Hypergeometric.ts"
import * as Interval from "../src/Interval.ts"
import * as LeastSquares from "../src/LeastSquares.ts"
import * as McNemar from "../src/McNemar.ts"
import * as PassAtK from "../src/PassAtK.ts"
import * as Power from "../src/Power.ts"
import * as Quantile from "../src/Quantile.ts"
import * as Robust from "../src/Robust.ts"
import * as Stratified from "../src/Stratified.ts"
import * as StudentT from "../src/StudentT.ts"
import * as Wilson from "../src/Wilson.ts"
import scipy from "./scipy.json" with { type: "json" }

const share = (passed: number, of: number): Fisher.Share => ({ passed, of })
const strata = (rows: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<Stratified.Stratum> =>
  rows.map(([passed = 0, of = 0, passedBefore = 0, ofBefore = 0]) => ({
    now: share(passed, of),
    before: share(passedBefore, ofBefore)
  }))

type Numbers = ReadonlyArray<number>

const fitOf = (covariance: ReadonlyArray<Numbers>, columns: ReadonlyArray<Numbers>, values: Numbers) =>
  LeastSquares.generalized(
    LeastSquares.factor(values.length, (row, column) => covariance[row]?.[column] ?? 0),
    columns,
    values
  )

/** Stands for what none of the arguments would show. */
const none = -1

/** What stands for each table; arguments are as the table has them. */
const functions: Readonly<Record<keyof typeof scipy.values, (...args: ReadonlyArray<never>) => number>> = {
  "Gamma.logGamma": Gamma.logGamma,
  "Gamma.logChoose": Gamma.logChoose,
  "Beta.cdf": Beta.cdf,
  "Beta.quantile": Beta.quantile,
  "Binomial.atLeast": (least: number, trials: number, chance: number) =>
    Discrete.atLeast(Binomial.of(trials, chance), least),
  "Binomial.atMost": (most: number, trials: number, chance: number) =>
    Discrete.atMost(Binomial.of(trials, chance), most),
  "Binomial.upper": Binomial.upper,
  "BetaBinomial.atLeast": BetaBinomial.atLeast,
  "Fisher.fewer": (passed: number, of: number, passedBefore: number, ofBefore: number) =>
    Fisher.fewer(share(passed, of), share(passedBefore, ofBefore)),
  "Fisher.more": (passed: number, of: number, passedBefore: number, ofBefore: number) =>
    Fisher.more(share(passed, of), share(passedBefore, ofBefore)),
  "McNemar.worse": (lost: number, won: number) => McNemar.worse({ lost, won }),
  "McNemar.better": (lost: number, won: number) => McNemar.better({ lost, won }),
  "StudentT.cdf": StudentT.cdf,
  "StudentT.above": StudentT.above,
  "StudentT.quantile": StudentT.quantile,
  "Wilson.low": (times: number, of: number) => Wilson.interval(times, of).low,
  "Wilson.high": (times: number, of: number) => Wilson.interval(times, of).high,
  "Stratified.worse": (rows: ReadonlyArray<ReadonlyArray<number>>) => Stratified.worse(strata(rows)),
  "Stratified.better": (rows: ReadonlyArray<ReadonlyArray<number>>) => Stratified.better(strata(rows)),
  "PassAtK.atLeastOne": PassAtK.atLeastOne,
  "PassAtK.all": PassAtK.all,
  "Quantile.mean": Quantile.mean,
  "Quantile.deviation": Quantile.deviation,
  "Quantile.quantile": (numbers: ReadonlyArray<number>, part: number) =>
    Quantile.quantile(Quantile.sorted(numbers), part),
  "Robust.median": Robust.median,
  "Robust.deviation": Robust.deviation,
  "Robust.middleMean": Robust.middleMean,
  "Hypergeometric.atLeast": (least: number, marked: number, drawn: number, all: number) =>
    Discrete.atLeast(Hypergeometric.of(marked, drawn, all), least),
  "Interval.ofMean.low": (numbers: Numbers, doubt: number) => Interval.ofMean(numbers, doubt).low,
  "Interval.ofMean.high": (numbers: Numbers, doubt: number) => Interval.ofMean(numbers, doubt).high,
  "Interval.ofMean.detectable": (numbers: Numbers, doubt: number) => Interval.ofMean(numbers, doubt).detectable,
  "Interval.ofNextFigure.low": (figures: Numbers, doubt: number) => Interval.ofNextFigure(figures, doubt).low,
  "Interval.ofNextFigure.detectable": (figures: Numbers, doubt: number) =>
    Interval.ofNextFigure(figures, doubt).detectable,
  "Interval.detectableMean": Interval.detectableMean,
  "Power.critical": (now: number, passedBefore: number, ofBefore: number, level: number) =>
    Power.critical(now, share(passedBefore, ofBefore), level) ?? none,
  "Power.detectableRate": (now: number, passedBefore: number, ofBefore: number, level: number) =>
    Power.detectableRate(now, share(passedBefore, ofBefore), level) ?? none,
  "Power.detectablePairedRate": (passedBefore: number, ofBefore: number, won: number, level: number) =>
    Power.detectablePairedRate(share(passedBefore, ofBefore), won, level) ?? none,
  "LeastSquares.estimate": (...args: Parameters<typeof fitOf>) => fitOf(...args).estimate,
  "LeastSquares.error": (...args: Parameters<typeof fitOf>) => fitOf(...args).error,
  "LeastSquares.squares": (...args: Parameters<typeof fitOf>) => fitOf(...args).squares,
  "LeastSquares.logDeterminant": (...args: Parameters<typeof fitOf>) => fitOf(...args).logDeterminant
}

// ours are at least this exact, relative to the value, also where it is tiny
const exactness = 1e-8

describe("values of SciPy", () => {
  for (const [name, ours] of Object.entries(functions)) {
    it(`are equal to ours for ${name}`, () => {
      const rows: ReadonlyArray<ReadonlyArray<unknown>> = Reflect.get(scipy.values, name)
      const wrong = rows.flatMap((row) => {
        const expected = Number(row.at(-1))
        const found: number = Reflect.apply(ours, undefined, row.slice(0, -1))
        const error = expected === 0 ? Math.abs(found) : Math.abs(found / expected - 1)
        return error <= exactness ? [] : [`${JSON.stringify(row.slice(0, -1))}: ${found}, SciPy ${expected}`]
      })
      assert.deepStrictEqual(wrong, [])
    })
  }
})
