import { nightlySetting } from "@webagent/nights/NightlySetting"
import { deviation, mean } from "@webagent/statistics/Quantile"
import { type Heading, paragraphs, table } from "../measure/Report.ts"
import { type Found, gateNames, type GateName, month, type MonthsOptions, type Quiet } from "./Months.ts"
import type { Preset } from "./Disturbances.ts"
import { type Change, changes } from "./World.ts"

/** Results of one gate in one world. */
interface GateOutcome {
  readonly gate: GateName
  readonly quiet: Quiet
  readonly found: ReadonlyArray<Found>
}

/** Results of every gate in one world. */
interface WorldOutcome {
  readonly preset: Preset
  readonly gates: ReadonlyArray<GateOutcome>
}

/** Results of the nights bench. */
export interface NightsReport extends Heading {
  readonly options: MonthsOptions
  readonly worlds: ReadonlyArray<WorldOutcome>
}

/** The title of each change in the report. */
export const titles: Readonly<Record<Exclude<Change, "none">, string>> = {
  "95 to 50 %": "one scenario passes 50 %, was 95 %",
  "95 to 50 % and ten slow": "one scenario passes 50 %, was 95 %, and ten others take twice as long",
  "95 to 50 % after ten slow":
    "one scenario passes 50 %, was 95 %, and ten others have taken twice as long for five nights",
  "100 to 80 %": "one scenario passes 80 %, was 100 %",
  "one +50 % time": "one scenario takes 50 % longer",
  "one +20 % time": "one scenario takes 20 % longer",
  "steady +10 % time": "one steady scenario takes 10 % longer",
  "five share a cause": "five scenarios fail by one cause",
  "-10 points": "all pass rates -10 points",
  "+10 % time": "all durations +10 %",
  "+20 % time": "all durations +20 %",
  "1 % a night": "durations +1 % a night",
  "0.5 % a night": "durations +0.5 % a night",
  "lost improvement": "-20 % for ten nights, then as before",
  "+15 % cost": "all costs +15 %",
  leak: "one scenario leaks in a fifth of its trials"
}

/** The mean of some months with an interval of 95 %, by how much the months differ. */
export const monthly = (numbers: ReadonlyArray<number>): string => {
  const middle = mean(numbers)
  if (numbers.length < 2) return middle.toFixed(1)
  const reach = (1.96 * deviation(numbers)) / Math.sqrt(numbers.length)
  return `${middle.toFixed(1)} (${Math.max(0, middle - reach).toFixed(1)} to ${(middle + reach).toFixed(1)})`
}

/** Failed nights per month with an interval, and how many of each kind. */
const byKind = (ofMonths: ReadonlyArray<number>, kinds: ReadonlyArray<string>): string => {
  const counts = [...Map.groupBy(kinds, (kind) => kind)]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .map(([kind, all]) => `${kind} ${(all.length / ofMonths.length).toFixed(2)}`)
  const together = monthly(ofMonths)
  return counts.length === 0 ? together : `${together}: ${counts.join(", ")}`
}

/** Number of failed nights per month that are no false alarms, with their causes. */
export const disturbed = ({ disturbances }: Quiet): string =>
  byKind(
    disturbances.map(({ length }) => length),
    disturbances.flat()
  )

/** Number of false alarms per month, with the figures that they are about. */
export const alarmed = ({ disturbances, falseAlarms, red }: Quiet): string =>
  byKind(
    red.map((nights, month) => nights - (disturbances[month]?.length ?? 0)),
    falseAlarms
  )

const within = ({ nights }: Found, most: number) =>
  Math.round((100 * nights.filter((night) => night !== null && night <= most).length) / nights.length)

/** The share of months that found it in the first night, within three, ten, and thirty. */
export const shares = (detected: Found): string =>
  detected.nights.every((night) => night === null)
    ? "never"
    : [1, 3, 10, month].map((most) => within(detected, most)).join(" / ")

const worldTables = ({ gates, preset }: WorldOutcome): string => {
  const ordered = gateNames.flatMap((name) => gates.filter(({ gate }) => gate === name))
  const months = ordered[0]?.quiet.red.length ?? 0
  const rows = changes.flatMap((change) => {
    const cells = ordered.map(({ found }) => found.find((one) => one.change === change))
    return change === "none" || cells.every((cell) => cell === undefined)
      ? []
      : [[titles[change], ...cells.map((cell) => (cell === undefined ? "" : shares(cell)))]]
  })
  return [
    `**The ${preset} world**, ${months} months without a change:`,
    table(
      [
        "gate",
        "red nights in 30 (95 %)",
        "of them by a real disturbance (95 %)",
        "false alarms (95 %)",
        "nights with warnings only (95 %)",
        "extra trials a night"
      ],
      ordered.map(({ gate, quiet }) => [
        gate,
        monthly(quiet.red),
        disturbed(quiet),
        alarmed(quiet),
        monthly(quiet.warnings),
        (quiet.confirmTrials / quiet.nights).toFixed(0)
      ])
    ),
    `Share of months in percent that find a change in its first night / within 3 / 10 / ${month} nights:`,
    table(["change", ...ordered.map(({ gate }) => gate)], rows)
  ].join("\n\n")
}

/** The tables of the bench. */
export const markdown = ({ date, options, worlds }: NightsReport): string =>
  paragraphs(
    `${date}: ${options.scenarios} scenarios, ${options.trials} trials each and at most ${nightlySetting.confirm} extra trials per night, ${options.before} nights of history before each month; seeds from ${options.seed} on.`,
    ...worlds.map(worldTables)
  )
