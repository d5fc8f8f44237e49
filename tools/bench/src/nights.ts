import { fingerprint } from "./Fingerprint.ts"
import { detectable, judgeMonths, type MonthsOptions } from "./nights/Months.ts"
import type { NightsReport } from "./nights/NightsReport.ts"

/** What the command line says. */
export interface NightsOptions {
  readonly quick: boolean
  /** Months of each kind of change; 60 unless given. */
  readonly rounds: number | undefined
  readonly log: (line: string) => void
}

/** Months of nights in virtual time; most months have a regression: how soon it is found, and how many false positives. */
export const nights = ({ log, quick, rounds }: NightsOptions): NightsReport => {
  const machine = fingerprint()
  const months = rounds ?? (quick ? 3 : 60)
  const options: MonthsOptions = { months, seed: 1, scenarios: 100, trials: 5, nightly: 0.03, before: 30 }
  const few: MonthsOptions = { ...options, months: Math.ceil(months / 3), seed: 10_001, before: 7 }
  const gates = judgeMonths(options, log)
  const young = { options: few, gates: judgeMonths(few, log) }
  return {
    bench: "nights",
    date: new Date().toISOString().slice(0, 10),
    options,
    gates,
    young,
    detectable: detectable(options),
    fingerprint: machine()
  }
}
