import * as Gates from "./Gates.ts"
import { type Preset, presets } from "./Disturbances.ts"
import { type Change, type Disturbance, planted, slowFor, world } from "./World.ts"

/** Settings for drawing and judging months. */
export interface MonthsOptions {
  readonly seed: number
  readonly scenarios: number
  readonly trials: number
  /** Nights before the month, for its history. */
  readonly before: number
}

/** Results of a gate in some months without a change. */
export interface Quiet {
  readonly nights: number
  /** Red nights of each month. */
  readonly red: ReadonlyArray<number>
  /** Nights of each month that only have warnings. */
  readonly warnings: ReadonlyArray<number>
  /** Causes of each month's failed nights that are no false alarms. */
  readonly disturbances: ReadonlyArray<ReadonlyArray<Disturbance>>
  /** The first figure of each false alarm. */
  readonly falseAlarms: ReadonlyArray<AlarmKind>
  readonly confirmTrials: number
}

/** Figure of a false alarm; `no figure` if a scenario failed the night without one. */
export type AlarmKind = `${Gates.Alarm["figure"]} of ${"the night" | "a scenario"}` | "no figure"

const kindOf = ([alarm]: ReadonlyArray<Gates.Alarm>): AlarmKind =>
  alarm === undefined ? "no figure" : `${alarm.figure} of ${alarm.scenario === null ? "the night" : "a scenario"}`

/**
 * Results of a gate in some months with a change: for each month, the number of nights until it was found, where 1 is
 * the first; null if it was not.
 */
export interface Found {
  readonly change: Change
  readonly nights: ReadonlyArray<number | null>
}

/** Nights in a month. */
export const month = 30

const makers = {
  "ours, --extra-trials": () => Gates.ours(true),
  ours: () => Gates.ours(false),
  "10 % against last night": Gates.wholeAgainstLastNight,
  "the same, each scenario too": Gates.againstLastNight,
  "Mann-Whitney on requests": Gates.onRequests,
  "change points": Gates.changePoints
} as const

/** A gate by its name in the tables. */
export type GateName = keyof typeof makers

/** The gates in the order of the tables. */
export const gateNames: ReadonlyArray<GateName> = [
  "ours, --extra-trials",
  "ours",
  "10 % against last night",
  "the same, each scenario too",
  "Mann-Whitney on requests",
  "change points"
]

const isFound = (change: Change, { figure, scenario }: Gates.Alarm): boolean => {
  switch (change) {
    case "none":
      return false
    case "95 to 50 %":
    case "95 to 50 % and ten slow":
    case "95 to 50 % after ten slow":
    case "100 to 80 %":
      return figure === "pass rate" && scenario === planted[0]
    case "five share a cause":
      return figure === "pass rate" && (scenario === null || planted.some((name) => name === scenario))
    case "one +50 % time":
    case "one +20 % time":
    case "steady +10 % time":
      return figure === "duration" && scenario === planted[0]
    case "-10 points":
      return figure === "pass rate" && scenario === null
    case "+15 % cost":
      return figure === "cost" && scenario === null
    case "leak":
      return figure === "leaked browsers"
    default:
      return figure === "duration" && scenario === null
  }
}

const begin = (options: MonthsOptions, preset: Preset, gate: Gates.Gate, change: Change, from: number) => {
  const next = world({ ...options, disturbances: presets[preset], change, from })
  // the gate knows the slow ones from nights that it has judged
  const judged = change === "95 to 50 % after ten slow" ? slowFor : 0
  for (let night = 0; night < options.before - judged; night++) gate.remember(next())
  for (let night = 0; night < judged; night++) gate.judge(next())
  return next
}

/** Months in which nothing changes. */
export const quiet = (options: MonthsOptions, preset: Preset, name: GateName, months: number): Quiet => {
  const red: Array<number> = []
  const warnings: Array<number> = []
  const disturbances: Array<ReadonlyArray<Disturbance>> = []
  const falseAlarms: Array<AlarmKind> = []
  let confirmTrials = 0
  for (let index = 0; index < months; index++) {
    const gate = makers[name]()
    const next = begin({ ...options, seed: options.seed + index }, preset, gate, "none", Infinity)
    const ofThisMonth: Array<Disturbance> = []
    let [redNights, warningNights] = [0, 0]
    for (let night = 0; night < month; night++) {
      const simulated = next()
      const { alarms, confirmTrials: trials, hasWarnings, red: isRed } = gate.judge(simulated)
      confirmTrials += trials
      if (hasWarnings) warningNights++
      if (!isRed) continue
      redNights++
      const disturbance =
        alarms.length === 0 ? simulated.failingBy : alarms.map(simulated.disturbanceOf).find((one) => one !== undefined)
      if (disturbance === undefined) falseAlarms.push(kindOf(alarms))
      else ofThisMonth.push(disturbance)
    }
    red.push(redNights)
    warnings.push(warningNights)
    disturbances.push(ofThisMonth)
  }
  return { nights: months * month, red, warnings, disturbances, falseAlarms, confirmTrials }
}

/** Months in which something changes, on any weekday after a history that the gate knows as it is. */
export const changed = (
  options: MonthsOptions,
  preset: Preset,
  name: GateName,
  change: Change,
  months: number
): Found => ({
  change,
  nights: Array.from({ length: months }, (_, index) => {
    const gate = makers[name]()
    const seed = options.seed + 10_000 + index
    const before = options.before + (seed % 10)
    const next = begin({ ...options, seed, before }, preset, gate, change, before)
    for (let night = 1; night <= month; night++) {
      if (gate.judge(next()).alarms.some((alarm) => isFound(change, alarm))) return night
    }
    return null
  })
})
