import type { Night, NightScenario } from "../src/Night.ts"
import { type Accepted, type Past } from "../src/Past.ts"
import type { Amount, Comparison, Figure } from "@webagent/report/Comparison"
import type { NightJudgement } from "@webagent/report/NightJudgement"
import { night, scenario, took } from "./nights.ts"

export const of = (nights: ReadonlyArray<Night>, accepted: ReadonlyArray<Accepted> = []): Past => ({ nights, accepted })

export const normal = (next: () => number) => Array.from({ length: 12 }, next).reduce((sum, one) => sum + one, -6)

export const rowOf = ({ rows }: NightJudgement, figure: Figure, name: string | null): Comparison => {
  const row = rows.find((row) => row.figure === figure && (row.scenario?.name ?? null) === name)
  if (row === undefined) throw new Error(`no row ${figure} of ${name}`)
  return row
}

/** Nights of steady scenarios: now and then a trial fails, and times vary a little. */
export const steady = (count: number, change: (day: number) => ReadonlyArray<NightScenario> = () => []) =>
  Array.from({ length: count }, (_, day) =>
    night(day, [
      scenario("always"),
      scenario("often", day % 4 === 0 ? 4 : 5, took(1000 * (1 + 0.03 * Math.sin(7 * day)))),
      ...change(day)
    ])
  )

export const tonight = (day: number, often: number, change: Partial<NightScenario> = {}) =>
  night(day, [scenario("always"), scenario("often", often, change)])

/** The judged night as a history stores it. */
export const recorded = (of: Night, { rows }: NightJudgement): Night => ({
  ...of,
  regressed: rows
    .filter(({ verdict }) => verdict === "regressed")
    .map(({ figure, scenario, since }) => ({ figure, scenario, since }))
})

/** Nights of twenty scenarios whose times have something of the night and something of their own. */
export const timed = (day: number, factor: number, cost = 1) =>
  night(
    day,
    Array.from({ length: 20 }, (_, index) =>
      scenario(`s${index}`, 5, {
        ...took(1000 * (index + 1) * factor * (1 + 0.02 * Math.sin(5 * day) + 0.05 * Math.sin(3 * day + 11 * index))),
        cost_usd: String(0.05 * cost)
      })
    )
  )

export const timedNights = Array.from({ length: 30 }, (_, day) => timed(day, 1))

/** Severity of a figure: a regression is an error, and a figure far outside of earlier nights a warning. */
export const severityOf = ({ isUnusual, verdict }: Comparison) =>
  verdict === "regressed" ? "error" : isUnusual ? "warning" : "none"

/** Pass rate of a comparison. */
export const rate = (passed: number, scored: number) => ({ _tag: "Rate", passed, scored }) as const

/** Number of a ratio, a duration or a share. */
export const numberOf = (amount: Amount | null | undefined): number =>
  amount?._tag === "Ratio"
    ? amount.ratio
    : amount?._tag === "Duration"
      ? amount.milliseconds
      : amount?._tag === "Share"
        ? amount.share
        : Number.NaN
