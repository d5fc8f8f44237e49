import type { JudgedRow } from "@webagent/report/NightJudgement"
import * as Gates from "./Gates.ts"
import { type Change, changes, world } from "./World.ts"

/** How months are drawn and judged. */
export interface MonthsOptions {
  readonly months: number
  readonly seed: number
  readonly scenarios: number
  readonly trials: number
  readonly nightly: number
  /** Nights before the month, which make the history. */
  readonly before: number
}

/** What a gate did in some months of one kind. */
export interface Outcome {
  readonly change: Change
  readonly months: number
  /** Nights in which nothing was worse yet. */
  readonly nights: number
  /** In how many of these something was said to be worse. */
  readonly falseNights: number
  /** Of each month, nights until it was found, 1 is the first; null where it was not within the month. */
  readonly found: ReadonlyArray<number | null>
}

/** Nights in a month. */
export const month = 30

const gates = {
  ours: () => Gates.ours(),
  "10 % against last night": Gates.wholeAgainstLastNight,
  "the same, each scenario too": Gates.againstLastNight,
  "Mann-Whitney on requests": Gates.onRequests
} as const

/** A gate by its name in the tables. */
export type GateName = keyof typeof gates

/** The gates in the order of the tables. */
export const gateNames: ReadonlyArray<GateName> = [
  "ours",
  "10 % against last night",
  "the same, each scenario too",
  "Mann-Whitney on requests"
]

const oneMonth = (options: MonthsOptions, gate: Gates.Gate, change: Change, seed: number) => {
  // a change comes after some nights of the month, so that false alarms before it count
  const from = options.before + (change === "none" ? month : seed % 20)
  const next = world({ ...options, seed, change, from })
  for (let night = 0; night < options.before; night++) gate.remember(next())
  let falseNights = 0
  for (let night = options.before; night < options.before + month; night++) {
    const alarms = gate.judge(next())
    if (night >= from && alarms.has(change))
      return { found: night - from + 1, falseNights, clean: from - options.before }
    // once something is worse, what else is said is not held against a gate
    if (night < from && alarms.size > 0) falseNights++
  }
  return { found: null, falseNights, clean: from - options.before }
}

/** What a gate did, by the kind of change. */
export interface GateOutcome {
  readonly gate: GateName
  readonly outcomes: ReadonlyArray<Outcome>
}

/** Every gate on the same months, of each kind of change. */
export const judgeMonths = (options: MonthsOptions, log: (line: string) => void): ReadonlyArray<GateOutcome> =>
  gateNames.map((gate) => ({
    gate,
    outcomes: changes.map((change, kind): Outcome => {
      const months = Array.from({ length: options.months }, (_, index) =>
        // other nights for each kind, the same for each gate
        oneMonth(options, gates[gate](), change, options.seed + 1000 * kind + index)
      )
      log(`${gate}: ${change}, ${options.months} months`)
      return {
        change,
        months: options.months,
        nights: months.reduce((sum, { clean }) => sum + clean, 0),
        found: months.map(({ found }) => found),
        falseNights: months.reduce((sum, { falseNights }) => sum + falseNights, 0)
      }
    })
  }))

/** What the judge says that it could have seen on the first night of a month, of the whole night. */
export const detectable = (options: MonthsOptions): ReadonlyArray<JudgedRow> => {
  let last: ReadonlyArray<JudgedRow> = []
  const gate = Gates.ours((rows) => (last = rows))
  const next = world({ ...options, change: "none", from: Infinity })
  for (let night = 0; night < options.before; night++) gate.remember(next())
  gate.judge(next())
  return last.filter(({ scenario }) => scenario === null)
}
