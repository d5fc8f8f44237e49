import * as Schema from "effect/Schema"
import { Acknowledgement } from "@webagent/report/Acknowledgement"
import { Figure, ScenarioName } from "@webagent/report/Comparison"
import type { Ineligibility } from "@webagent/report/Ineligibility"
import { isComplete, keyOf, type Night, type NightScenario, Time } from "./Night.ts"

/** A line of a history file that accepts the regressions of a night as the new baseline. */
export const Accepted = Schema.Struct({
  version: Schema.Literal(1),
  kind: Schema.Literal("accepted"),
  id: Schema.String,
  /** When it was said. */
  at: Time,
  /** The id of the night. */
  night: Schema.String,
  /** Only this; everything that got worse in that night where it is absent. */
  scenario: Schema.optionalKey(ScenarioName),
  /** The reason. */
  note: Schema.optionalKey(Schema.String)
})
export type Accepted = typeof Accepted.Type

/** A line of a history file that says who is working on the problems of a night. */
export const Acknowledged = Schema.Struct({
  version: Schema.Literal(1),
  kind: Schema.Literal("acknowledged"),
  id: Schema.String,
  ...Acknowledgement.fields,
  at: Time,
  /** The id of the night. */
  night: Schema.String,
  /** Only this; all problems of that night where it is absent. */
  scenario: Schema.optionalKey(ScenarioName)
})
export type Acknowledged = typeof Acknowledged.Type

/** All that a history file says: nights in their order in time, each once. */
export interface Past {
  readonly nights: ReadonlyArray<Night>
  readonly accepted: ReadonlyArray<Accepted>
  readonly acknowledged?: ReadonlyArray<Acknowledged>
}

/** Nothing was before. */
export const none: Past = { nights: [], accepted: [] }

/** Subject of a figure: a scenario, or the whole night. */
export type Of = { readonly suite: string; readonly name: string } | null

const isSame = (one: Of, other: Of) => one?.suite === other?.suite && one?.name === other?.name

/** By what a figure is known from night to night. */
export const figureKey = (figure: Figure, of: Of): string =>
  JSON.stringify([figure, ...(of === null ? [] : [of.suite, of.name])])

/** Status of a scenario, or of the whole night, in earlier nights. */
export interface Standing {
  /** True if no figure regressed in a night, because only such nights may be part of a baseline. */
  readonly isMeasure: (startedAt: string) => boolean
  /** True if a night was before a regression of the figure that was accepted as the new baseline. */
  readonly isOver: (figure: Figure, startedAt: string) => boolean
}

const untouched: Standing = { isMeasure: () => true, isOver: () => false }

/**
 * A night in which any figure of the whole night regressed leaves all baselines, and one in which a scenario regressed
 * leaves all of that scenario's: a night that is wrong in one way is not trusted in others. Both hold from the first
 * night on in which it was so, and end when the regression is accepted: then what was before no longer counts.
 */
export const standing = ({ accepted, nights }: Past): ((of: Of) => Standing) => {
  const spans = new Map<string, Array<readonly [from: string, to: string]>>()
  const begins = new Map<string, string>()
  for (const night of nights) {
    for (const { figure, scenario, since } of night.regressed ?? []) {
      const key = figureKey(figure, scenario)
      spans.set(key, [...(spans.get(key) ?? []), [since, night.startedAt]])
    }
  }
  for (const { at, night: id, scenario } of accepted) {
    for (const row of nights.find((night) => night.id === id)?.regressed ?? []) {
      if (scenario !== undefined && !isSame(scenario, row.scenario)) continue
      const key = figureKey(row.figure, row.scenario)
      if (row.since > (begins.get(key) ?? "")) begins.set(key, row.since)
      // also what was reported again until it was accepted
      spans.set(key, spans.get(key)?.filter(([, to]) => to > at) ?? [])
    }
  }
  if (spans.size === 0 && begins.size === 0) return () => untouched
  return (of) => {
    // what holds for the whole night holds for each of its scenarios
    const subjects = of === null ? [null] : [null, of]
    const keysOf = (figure: Figure) => subjects.map((one) => figureKey(figure, one))
    const beginsOf = new Map(
      Figure.literals.map((figure) => [figure, keysOf(figure).flatMap((key) => begins.get(key) ?? [])])
    )
    // a leak says nothing of times and counts
    const figures = Figure.literals.filter((figure) => figure !== "leaked browsers")
    const ours = figures.flatMap(keysOf).flatMap((key) => spans.get(key) ?? [])
    return {
      isMeasure: (startedAt) => !ours.some(([from, to]) => from <= startedAt && startedAt <= to),
      isOver: (figure, startedAt) => beginsOf.get(figure)?.some((begin) => startedAt < begin) === true
    }
  }
}

const scenarios = new WeakMap<Night, ReadonlyMap<string, NightScenario>>()

/** The scenarios of a night by `keyOf`. */
export const scenariosOf = (night: Night): ReadonlyMap<string, NightScenario> => {
  const cached = scenarios.get(night)
  if (cached !== undefined) return cached
  const made = new Map(night.scenarios.map((scenario) => [keyOf(scenario.suite, scenario.name), scenario]))
  scenarios.set(night, made)
  return made
}

/** Fewer nights say nothing about how much nights differ by themselves. */
export const least = 5
/** Older ones were another service. */
export const most = 30

/** The reason why a night can't be the baseline of another one; undefined if it can. */
const ineligible = (night: Night, { fingerprint }: Night): Ineligibility | undefined => {
  if (night.fingerprint.target !== fingerprint.target) return "OtherTarget"
  if (night.fingerprint.trials !== fingerprint.trials) return "OtherTrials"
  return isComplete(night) ? undefined : "Partial"
}

/** The nights before one that may be its measure, oldest first, and why others may not. */
export const eligible = (nights: ReadonlyArray<Night>, tonight: Night) => {
  const others = nights.filter(({ id }) => id !== tonight.id)
  const before = others.filter(({ startedAt }) => startedAt < tonight.startedAt)
  // of a clock that was wrong, then or now
  const later = others.filter(
    (night) => night.startedAt > tonight.startedAt && ineligible(night, tonight) === undefined
  ).length
  const reasons = before.map((night) => ineligible(night, tonight))
  return {
    nights: before.filter((_, index) => reasons[index] === undefined),
    passedOver: [
      ...[...Map.groupBy(reasons, (why) => why)].flatMap(([why, all]) =>
        why === undefined ? [] : [{ why, nights: all.length }]
      ),
      ...(later === 0 ? [] : [{ why: "Later" as const, nights: later }])
    ]
  }
}

/**
 * True if times of two nights can be compared: same machine and same concurrency. A night from shards on several
 * machines can't be compared with any other.
 */
export const sameMachine = (one: Night, other: Night): boolean => {
  const { concurrency, machine } = one.fingerprint
  const its = other.fingerprint.machine
  return (
    machine !== undefined &&
    its !== undefined &&
    concurrency === other.fingerprint.concurrency &&
    machine.cpu === its.cpu &&
    machine.cores === its.cores &&
    machine.platform === its.platform &&
    machine.node === its.node
  )
}

/** Number of scenarios that both nights have, but with different code. */
export const changedScenarios = (tonight: Night, before: Night): number =>
  tonight.scenarios.filter(({ name, source, suite }) => {
    const its = scenariosOf(before).get(keyOf(suite, name))
    return its !== undefined && its.source !== source
  }).length

/** In what two nights differ that are compared nevertheless, in words. */
export const differences = (tonight: Night, before: Night | undefined): ReadonlyArray<string> => {
  if (before === undefined) return []
  const [now, then] = [tonight.fingerprint, before.fingerprint]
  const pairs = [
    ["tool", now.tool, then.tool],
    ["at a time", now.concurrency, then.concurrency],
    ["processor", now.machine?.cpu, then.machine?.cpu],
    ["cores", now.machine?.cores, then.machine?.cores],
    ["platform", now.machine?.platform, then.machine?.platform],
    ["Node", now.machine?.node, then.machine?.node]
  ] as const
  const changed = pairs.flatMap(([what, is, was]) =>
    is === was ? [] : [`${what} ${is ?? "unknown"}, was ${was ?? "unknown"}`]
  )
  const gone = Array.from(scenariosOf(before).keys()).filter((key) => !scenariosOf(tonight).has(key)).length
  const counted = (count: number, what: string) =>
    count === 0 ? [] : [`${count} scenario${count === 1 ? "" : "s"} ${what}`]
  return [
    ...changed,
    ...counted(changedScenarios(tonight, before), "changed"),
    ...counted(gone, "that ran the night before did not run tonight")
  ]
}
