import type { JudgedRow } from "@webagent/report/NightJudgement"
import type { Fingerprint } from "../Fingerprint.ts"
import { type GateOutcome, month, type MonthsOptions, type Outcome } from "./Months.ts"
import type { Change } from "./World.ts"

/** What the bench of nights has found. */
export interface NightsReport {
  readonly bench: "nights"
  readonly date: string
  readonly fingerprint: Fingerprint
  readonly options: MonthsOptions
  readonly gates: ReadonlyArray<GateOutcome>
  /** The same with a history of a few nights. */
  readonly young: { readonly options: MonthsOptions; readonly gates: ReadonlyArray<GateOutcome> }
  /** What the judge says that it could have seen in a night. */
  readonly detectable: ReadonlyArray<JudgedRow>
}

const titles: Readonly<Record<Exclude<Change, "none">, string>> = {
  slower: "all durations +10 %",
  flakier: "all pass rates -10 points",
  "one scenario": "one scenario from 95 % to 50 %",
  costlier: "all costs +15 %",
  leaking: "one scenario leaves a browser in a fifth of its trials"
}

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map((_, index) => (index === 0 ? "---" : "--:")), ...rows]
    .map((row) => `| ${row.join(" | ")} |`)
    .join("\n")

const percent = (share: number) => `${Math.round(100 * share)} %`

/** The night by which this share of the months had found it; none if fewer did. */
const by = ({ found }: Outcome, share: number): string => {
  const sorted = found.map((night) => night ?? Infinity).toSorted((a, b) => a - b)
  const night = sorted[Math.ceil(share * sorted.length) - 1] ?? Infinity
  return Number.isFinite(night) ? String(night) : "not"
}

const within = ({ found }: Outcome, nights: number) =>
  found.filter((night) => night !== null && night <= nights).length / found.length

/** Nights of a month of 30 in which a gate is wrong. */
export const falsePerMonth = ({ outcomes }: GateOutcome): number => {
  const sum = (count: (outcome: Outcome) => number) => outcomes.reduce((total, outcome) => total + count(outcome), 0)
  return (month * sum(({ falseNights }) => falseNights)) / sum(({ nights }) => nights)
}

const isNever = ({ found }: Outcome) => found.every((night) => night === null)

const gateTable = (gates: ReadonlyArray<GateOutcome>, changes: ReadonlyArray<Exclude<Change, "none">>): string =>
  table(
    ["gate", "false alarms in 30 nights", ...changes.map((change) => titles[change])],
    gates.map((of) => [
      of.gate === "ours" ? "**ours**" : of.gate,
      falsePerMonth(of).toFixed(falsePerMonth(of) < 10 ? 2 : 1),
      ...changes.map((change) => {
        const outcome = of.outcomes.find((one) => one.change === change)
        if (outcome === undefined || isNever(outcome)) return "never"
        return `${by(outcome, 0.5)} (${by(outcome, 0.9)}), ${percent(within(outcome, 3))}`
      })
    ])
  )

const all = ["slower", "flakier", "one scenario", "costlier", "leaking"] as const

/** The tables of the bench. */
export const markdown = (report: NightsReport): string => {
  const { detectable, gates, options, young } = report
  const months = gates[0]?.outcomes.reduce((sum, outcome) => sum + outcome.months, 0) ?? 0
  const youngMonths = young.gates[0]?.outcomes.reduce((sum, outcome) => sum + outcome.months, 0) ?? 0
  return [
    `${report.date}: ${options.scenarios} scenarios, ${options.trials} trials each, nights that vary by ${percent(options.nightly)} in their durations by themselves; ${months} months of ${month} nights in virtual time, with ${options.before} nights before each; seeds from ${options.seed} on.`,
    "Nights until a change is found: in half of the months (in nine of ten), and the share of months that find it within three nights.",
    gateTable(gates, all),
    `The same with a history of ${young.options.before} nights, ${youngMonths} months:`,
    gateTable(
      young.gates.filter(({ gate }) => gate === "ours"),
      all
    ),
    "What the judge says that it would have seen in the first night of a month:",
    table(
      ["of the whole night", "the least change that four of five such nights would show"],
      detectable.map((row) => [row.figure, row.detectable ?? "none"])
    )
  ].join("\n\n")
}
