import type { Comparison } from "@webagent/report/Comparison"
import * as StudentT from "@webagent/statistics/StudentT"
import { median } from "@webagent/statistics/Robust"
import * as JudgedNight from "./JudgedNight.ts"
import type * as Confirm from "./Confirm.ts"
import { independentTests } from "./FalseAlarmBudget.ts"
import { type Level, tolerance } from "./Level.ts"
import type { NightScenario } from "./Night.ts"
import { nightLevelOf, type Part } from "./NightLevel.ts"
import * as NightSeries from "./NightSeries.ts"
import { least, most } from "./Past.ts"
import * as Shift from "./Shift.ts"
import type * as Table from "./Table.ts"
import { isMeasured, type Measured, measuredIn, shiftOf, type Weighed } from "./Weighed.ts"

// nights and trials that are all the same still differ by this much tomorrow
const leastScale = 0.005
// the median scenario weighs as much as this many nights of the scenario itself
const prior = 2
// the deviation of neighbours is known less exactly than that of all nights
const correlation = 0.6
// by how much a machine changes one scenario more than another, as a logarithm
const ofMachine = 0.05
const unusualChange = Math.log(1.5)
// where the others take less than this, they have changed and not the night: that makes no scenario slower
const fastestNight = -2 * Math.log1p(tolerance)

/** A line of nights: how much they differ, the smallest detectable shift, what has shifted, and what was measured. */
interface Looked {
  readonly values: Shift.Values
  readonly scale: number
  readonly reach: number
  readonly found: ReturnType<typeof shiftOf> | ReturnType<typeof NightSeries.shiftOf>
  /** Of a scenario. */
  readonly measured: Measured | undefined
  /** True if chance hardly makes tonight this high, whatever the number of scenarios. */
  readonly isRare: boolean
}

/** Looks at tonight alone, once, so the level is that of all ways to look together. */
const isRare = ({ level, values, weighing }: Weighed): boolean => {
  const shift = (values.values.at(-1) ?? 0) - median(Shift.baselineOf(values, most))
  return StudentT.above(shift / weighing.scale, weighing.freedom) <= level * independentTests.level
}

const lookedAt = (weighed: Weighed, shift: ReturnType<typeof shiftOf>): Looked => {
  return {
    values: weighed.values,
    scale: weighed.weighing.scale,
    reach: Shift.detectable(weighed.weighing, Shift.baselineOf(weighed.values).length, weighed.level),
    found: shift,
    measured: weighed.measured(shift?.found),
    isRare: isRare(weighed)
  }
}

const lookedAtNight = (series: NightSeries.NightSeries): Looked => {
  const { detectable, scale } = NightSeries.reachOf(series)
  const shift = NightSeries.shiftOf(series)
  return { values: NightSeries.here(series), scale, reach: detectable, found: shift, measured: undefined, isRare: true }
}

const levelRow = (
  judged: JudgedNight.JudgedNight,
  level: Level,
  scenario: NightScenario | null,
  { found, isRare, measured, reach, scale, values }: Looked,
  confirmState?: Confirm.State
): Comparison => {
  const past = Shift.baselineOf(values, most)
  const usualLevel = median(past)
  const tonight = values.values.at(-1) ?? 0
  const shown = found?.found
  const isConfirmed = confirmState === "confirmed"
  const verdict = isConfirmed ? "regressed" : (found?.verdict ?? "no evidence")
  const isUnusual =
    verdict !== "regressed" &&
    confirmState !== "not confirmed" &&
    isRare &&
    tonight > Math.max(...past) &&
    tonight - usualLevel > unusualChange &&
    (measured === undefined || isMeasured(measured, 1, Math.log1p(tolerance)))
  const shifted = shown === undefined ? tonight - usualLevel : (found?.verdict === "improved" ? -1 : 1) * shown.shift
  const isHere = measured?.isHere === true
  // times of two machines are not compared
  const more = isHere ? measured.now - measured.usual : shifted
  const ofScenario = measured && {
    now: level.amountOf(Math.exp(measured.now)),
    before: level.amountOf(Math.exp(measured.usual)),
    relativeChange: Math.expm1(shifted),
    ...(isHere ? {} : { isOtherMachine: true })
  }
  const { confirm } = scenario ?? {}
  return {
    figure: level.figure,
    scenario: scenario === null ? null : JudgedNight.nameOf(scenario),
    verdict,
    isUnusual,
    // a whole night has no time of its own
    ...(ofScenario ?? {
      now: { _tag: "Ratio", ratio: Math.exp(more) } as const,
      before: null,
      spread: Math.exp(scale) - 1
    }),
    change: Math.expm1(more),
    window: shown?.window ?? 1,
    since: JudgedNight.since(judged, shown?.from ?? judged.table.nights.length - 1),
    nights: shown?.before.length ?? past.length,
    ...(shown !== undefined && "baseline" in shown && shown.baseline === "reference" ? { isFromStart: true } : {}),
    detectable: Number.isFinite(reach) ? { amount: { _tag: "Ratio", ratio: Math.exp(reach) } } : null,
    ...(isConfirmed
      ? { confirm: { passed: confirm?.passed ?? 0, scored: confirm?.scored ?? 0, outcome: "confirmed" } }
      : shown === undefined
        ? {}
        : { pValue: shown.chance * independentTests.level })
  }
}

/** A level of a night and of each of its scenarios. */
export interface Levels {
  readonly level: Level
  readonly night: NightSeries.NightSeries | undefined
  readonly nightPoints: number
  /** True if the baseline of the night was on a former machine, except for a few nights. */
  readonly isNewMachine: boolean
  readonly scenarios: ReadonlyArray<{
    readonly of: Table.TableScenario
    readonly points: number
    /** The logarithm of what one trial usually has; undefined of a scenario with few nights. */
    readonly usual: number | undefined
    readonly weighed: Weighed | undefined
    /** Level that the night adds to all other scenarios. */
    readonly nightLevel: number
  }>
}

/** Deviations of nights; a few nights are believed less than the median scenario. */
const steadied = (lines: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<number> => {
  const logs = lines.map((line) =>
    line.length < least ? Number.NaN : Math.log(Math.max(leastScale, Shift.nightly(line)))
  )
  const middle = median(logs.filter((log) => !Number.isNaN(log)))
  return lines.map(({ length }, index) => {
    const freedom = length - 1
    return Math.exp(length < least ? middle : (prior * middle + freedom * (logs[index] ?? 0)) / (prior + freedom))
  })
}

/** The nights of a scenario on a former machine, shifted by what the machine of tonight most likely adds to this one alone. */
const alignedTo = (values: Shift.Values, isHere: (night: number) => boolean, scale: number) => {
  const here = Shift.baselineOf(Shift.only(values, isHere))
  const former = Shift.baselineOf(Shift.only(values, (night) => !isHere(night)))
  if (former.length === 0) return { values, doubt: 0 }
  const unknown = (Math.PI / 2) * scale ** 2 * (1 / here.length + 1 / former.length)
  const likely = ofMachine ** 2 / (ofMachine ** 2 + unknown)
  const shift = here.length === 0 ? 0 : likely * (median(here) - median(former))
  return {
    values: {
      ...values,
      values: values.values.map((value, index) => value + (isHere(values.nights[index] ?? 0) ? 0 : shift))
    },
    doubt: (former.length / (here.length + former.length)) * ofMachine * Math.sqrt(1 - likely)
  }
}

/** A level of all nights, of the whole night and of each scenario. */
export const levelsOf = (
  judged: JudgedNight.JudgedNight,
  level: Level,
  budget: { readonly night: number; readonly scenario: number }
): Levels => {
  const { table } = judged
  const figure = level.figure === "cost" ? "cost" : "duration"
  const last = table.nights.length - 1
  // what a trial costs does not depend on the machine
  const machines = figure === "cost" ? table.nights.map(() => 0) : table.machines
  const isBaseline = table.isBaseline(level.figure)
  const isKnown = (machine: number) =>
    machines.filter((one, night) => one === machine && isBaseline[night] === true).length >= least
  // a new machine shifts all scenarios by about as much: beside each other they are as on the former one
  const former = machines.findLast((machine) => machine !== 0 && isKnown(machine))
  const isNewMachine = former !== undefined && !isKnown(0)
  const alike = machines.map((machine) => (machine === former ? 0 : machine))
  const usualOf = (values: Shift.Values) => {
    const past = Shift.baselineOf(values, most)
    return past.length < least ? undefined : median(past)
  }
  const lines = table.scenarios.map((of) => {
    const all = Shift.valuesOf(of[figure])
    const byMachine =
      all === undefined
        ? []
        : [...new Set(alike)].map((machine) => {
            const values = Shift.only(all, (night) => alike[night] === machine)
            const here = machine === 0 ? usualOf(Shift.only(all, (night) => machines[night] === 0)) : undefined
            return { machine, values, usual: here ?? usualOf(values) }
          })
    const here = byMachine.find(({ machine }) => machine === 0)
    return { of, byMachine, values: here?.values, usual: here?.usual }
  })
  const deviations = steadied(lines.map(({ values }) => (values === undefined ? [] : Shift.baselineOf(values))))
  // a scenario that never varies must not be all that tells a night
  const steadiest = median(deviations) / 2
  const parts: ReadonlyArray<Array<Part>> = table.nights.map(() => [])
  // few trials of a scenario scatter more, and of those that were cut short the quick ones ended; where most were, all tell
  const isCut = ({ scenario }: Table.TableScenario) => scenario.unrun !== undefined
  const timed = table.scenarios.filter((of) => !Number.isNaN(of[figure].values[last]))
  const tellsTonight = 2 * timed.filter(isCut).length > timed.length
  for (const [line, { byMachine, of }] of lines.entries()) {
    const deviation = Math.max(steadiest, deviations[line] ?? 0)
    for (const { usual, values } of judged.isHeld(of.scenario) ? [] : byMachine) {
      if (usual === undefined) continue
      for (const [index, night] of values.nights.entries()) {
        if (night === last && isCut(of) && !tellsTonight) continue
        parts[night]?.push({ of, more: (values.values[index] ?? 0) - usual, deviation })
      }
    }
  }
  const nightLevels = parts.map(nightLevelOf)
  const everywhere = Shift.valuesOf({ values: Float64Array.from(nightLevels, ({ ofAll }) => ofAll), isBaseline })
  const isHere = (at: number) => machines[at] === 0
  const here = everywhere && Shift.only(everywhere, isHere)
  const nightPoints = here === undefined ? 0 : Shift.baselineOf(here).length
  // how much nights differ is known from the former machine: then one night tells the level of a new one
  const needed = isNewMachine ? 1 : least
  const added = (night: number, of: Table.TableScenario) => Math.max(fastestNight, nightLevels[night]?.besides(of) ?? 0)
  const own = lines.map(({ of, usual, values }) => {
    const without = values && {
      ...values,
      values: values.values.map((value, index) => value - added(values.nights[index] ?? 0, of))
    }
    const flat = without === undefined ? [] : Shift.baselineOf(without)
    return { of, usual, measured: values, without, flat, points: flat.length }
  })
  const scales = steadied(own.map(({ flat }) => flat))
  const scaled = own.flatMap(({ measured, of, points, without }, index) => {
    if (measured === undefined || without === undefined || points < least) return []
    const scale = scales[index] ?? 0
    return [{ of, measured, scale, freedom: prior + correlation * (points - 1), ...alignedTo(without, isHere, scale) }]
  })
  const between = Shift.variogram(scaled.map(({ scale, values }) => ({ values: Shift.baselineOf(values), scale })))
  const significance = budget.scenario / Math.max(1, scaled.length) / independentTests.level
  const weighed = new Map(
    scaled.map(({ doubt, freedom, measured, of, scale, values }) => [
      of,
      {
        values,
        measured: measuredIn(measured, isHere),
        level: significance,
        doubt,
        weighing: {
          scale: Math.hypot(scale, doubt),
          freedom,
          between,
          tolerated: Math.log1p(tolerance),
          enough: least
        }
      }
    ])
  )
  return {
    level,
    nightPoints,
    isNewMachine,
    night:
      everywhere === undefined || nightPoints < needed
        ? undefined
        : {
            values: everywhere,
            days: everywhere.nights.map((at) => JudgedNight.day(judged, at)),
            machines: everywhere.nights.map((at) => machines[at] ?? 0),
            usual: level.nightly,
            least: leastScale,
            tolerated: Math.log1p(tolerance),
            enough: needed,
            level: budget.night / independentTests.level
          },
    scenarios: own.map(({ of, points, usual }) => ({
      of,
      points,
      usual,
      weighed: weighed.get(of),
      nightLevel: added(last, of)
    }))
  }
}

/** The scenarios that added most to what the whole night has more than usual. */
const contributionOf = (judged: JudgedNight.JudgedNight, { level, scenarios }: Levels) => {
  const added = scenarios.flatMap(({ of: { scenario }, usual }) => {
    const log = level.of(scenario)
    if (log === undefined || usual === undefined || log <= usual || judged.isHeld(scenario)) return []
    const [now, before] = [Math.exp(log), Math.exp(usual)]
    return [{ scenario, now, before, more: (now - before) * scenario.trials }]
  })
  return JudgedNight.contributionOf(
    judged,
    added.map(({ before, more, now, scenario }) => ({
      ...JudgedNight.nameOf(scenario),
      now: level.amountOf(now),
      before: level.amountOf(before),
      change: now / before - 1,
      more
    }))
  )
}

/** The rows of a level; `saidOf` is what the extra trials of a scenario say. */
export const levelRows = (
  judged: JudgedNight.JudgedNight,
  levels: Levels,
  saidOf: (scenario: NightScenario) => Confirm.State | undefined
) => {
  const { isNewMachine, level, night, nightPoints, scenarios } = levels
  const has = judged.tonight.scenarios.some((scenario) => level.of(scenario) !== undefined)
  const whole =
    night === undefined
      ? JudgedNight.uncompared(judged, {
          figure: level.figure,
          scenario: null,
          nights: nightPoints,
          lack: !has
            ? { _tag: "NoValue" }
            : isNewMachine
              ? { _tag: "FirstOnMachine" }
              : { _tag: "FewRuns", needed: least }
        })
      : levelRow(judged, level, null, lookedAtNight(night))
  const each = scenarios.flatMap(({ of: { scenario }, points, weighed }) => {
    if (level.of(scenario) === undefined) return []
    if (weighed === undefined)
      return [
        JudgedNight.uncompared(judged, {
          figure: level.figure,
          scenario: JudgedNight.nameOf(scenario),
          nights: points,
          lack: { _tag: "FewRuns", needed: least }
        })
      ]
    const confirmState = saidOf(scenario)
    const ofNights = shiftOf(weighed)
    // more trials of the same night say that it is well
    const isRefuted = ofNights?.verdict === "regressed" && confirmState === "not confirmed"
    const shift = isRefuted ? undefined : ofNights
    return [levelRow(judged, level, scenario, lookedAt(weighed, shift), confirmState)]
  })
  const isNotable = whole.verdict === "regressed" || whole.isUnusual
  return { whole: isNotable ? { ...whole, ...contributionOf(judged, levels) } : whole, each }
}
