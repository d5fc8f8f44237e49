import { Amount, Comparison } from "@webagent/report/Comparison"
import { FailureCause } from "@webagent/report/FailureCause"
import { Partial } from "@webagent/report/Partial"
import { Verdict } from "@webagent/report/Verdict"
import { keyOf, type Night, type NightScenario } from "@webagent/nights/Night"
import { type Compared, type ComparedLevel, budgetOfEach, type NightComparison } from "@webagent/nights/NightComparison"
import { scenariosOf } from "@webagent/nights/Past"
import * as Discrete from "@webagent/statistics/Discrete"
import * as Fisher from "@webagent/statistics/Fisher"
import * as Schema from "effect/Schema"
import { mainCauseOf } from "./Cause.ts"

/** Kinds of difference between a scenario in the second night and in the first, in reading order. */
export const kinds = [
  "newly failing",
  "newly leaking",
  "newly flaky",
  "passes less often",
  "code changed",
  "fixed",
  "passes more often",
  "slower",
  "faster",
  "costlier",
  "cheaper"
] as const

/** Kind of difference between a scenario in the second night and in the first. */
export type Kind = (typeof kinds)[number]

/** Result of a scenario's trials in one night. */
export const TrialResult = Schema.TaggedStruct("Trials", {
  verdict: Verdict,
  passed: Schema.Int,
  scored: Schema.Int,
  leaks: Schema.Int
})

/** One scenario that differs. */
export const Change = Schema.Struct({
  kind: Schema.Literals(kinds),
  suite: Schema.String,
  name: Schema.String,
  now: Schema.Union([TrialResult, Amount]),
  /** Null if the first night didn't run it. */
  before: Schema.NullOr(Schema.Union([TrialResult, Amount])),
  /** Increase of a duration or a cost, as a share. */
  change: Schema.optionalKey(Schema.Number),
  /** True if there is evidence. Otherwise, it may be chance. */
  isCertain: Schema.Boolean,
  /** Number of other nights in which it failed, if it failed in any. */
  others: Schema.optionalKey(Schema.Struct({ failed: Schema.Int, of: Schema.Int })),
  /** The cause of its failure, if a report contains it: for a fixed scenario, that in the first night. */
  cause: Schema.optionalKey(FailureCause)
})
export type Change = typeof Change.Type

/** A reason for a verdict on two nights. */
export const Reason = Schema.Union([
  /** This many scenarios changed in this way. */
  Schema.TaggedStruct("Scenarios", { kind: Schema.Literals(kinds), count: Schema.Int }),
  /** A figure of all scenarios together. */
  Schema.TaggedStruct("Whole", { comparison: Comparison }),
  /** The first or the second night is partial. */
  Schema.TaggedStruct("Partial", { night: Schema.Literals(["first", "second"]), partial: Partial })
])
export type Reason = typeof Reason.Type

/** Conclusion of comparing two nights, and the additional data that would make it more certain. */
export const Conclusion = Schema.Struct({
  verdict: Schema.Literals(["worse", "better", "no difference seen", "cannot tell"]),
  /** Evidence for the verdict. */
  because: Schema.Array(Reason),
  /** Improvements in a night that is worse overall. */
  also: Schema.Array(Reason),
  needs: Schema.Struct({
    /** Number of similar nights in the history, if they are too few for a verdict. */
    nights: Schema.optionalKey(Schema.Int),
    /** Number of similar nights that would be enough; absent if they differ too much for any number to help. */
    enough: Schema.optionalKey(Schema.Int),
    /** Number of trials per scenario that would detect a scenario that has become flaky. */
    trials: Schema.optionalKey(Schema.Int)
  }),
  changes: Schema.Array(Change)
})
export type Conclusion = typeof Conclusion.Type

/** Verdict of a comparison. */
export type ComparisonVerdict = Conclusion["verdict"]

/** A change of a single scenario's duration or cost that is worth a line without evidence. */
const notable = Math.log(1.5)
/** The same of all scenarios together. */
const notableTogether = Math.log(1.1)
/** Less than that is not worth a line, however many times it is. */
const least_ms = 50
const mostTrials = 200
/** A scenario that failed in this share of the other nights fails at times: tonight is no news. */
const oftenEnough = 0.1

const isWell = ({ leaks, verdict }: NightScenario) => verdict === "passed" && leaks === 0
/** That its trials passed says nothing of its browsers. */
const isLeakingOnly = ({ leaks, passed, scored }: NightScenario) => leaks > 0 && scored > 0 && passed === scored
const isFailing = ({ verdict }: NightScenario) => verdict !== "passed" && verdict !== "flaky" && verdict !== "skipped"

const resultOf = ({ leaks, passed, scored, verdict }: NightScenario): typeof TrialResult.Type => ({
  _tag: "Trials",
  verdict,
  passed,
  scored,
  leaks
})

const causeIn = ({ report }: Compared, { name, suite }: NightScenario) => {
  const result = report?.results.find((one) => one.suite === suite && one.name === name)
  const cause = result === undefined ? undefined : mainCauseOf(result)
  return cause === undefined ? {} : { cause }
}

interface ComparedNights {
  readonly a: Compared
  readonly b: Compared
  readonly comparison: NightComparison
  /** Other nights like these. */
  readonly nights: ReadonlyArray<Night>
}

/** In how many other nights a scenario did not pass, and whether it so fails at times. */
const othersOf = ({ a, b, nights }: ComparedNights, { name, source, suite }: NightScenario) => {
  const its = nights.flatMap((night) => {
    const one = scenariosOf(night).get(keyOf(suite, name))
    const isOther = night.id !== a.night.id && night.id !== b.night.id
    return isOther && one !== undefined && one.source === source && one.scored > 0 ? [one] : []
  })
  const failed = its.filter((one) => !isWell(one)).length
  return { failed, of: its.length, isUsual: failed > 0 && failed >= oftenEnough * its.length }
}

/** A change, and whether it is of a scenario that other nights know to fail at times. */
interface Found {
  readonly change: Change
  readonly isUsual: boolean
}

/** Compares one scenario's pass rate in both nights. */
const rateChange = (
  compared: ComparedNights,
  before: NightScenario | undefined,
  now: NightScenario
): ReadonlyArray<Found> => {
  const { a, b, comparison } = compared
  const row = comparison.rows.find(
    ({ figure, scenario }) => figure === "pass rate" && scenario?.name === now.name && scenario.suite === now.suite
  )
  const others = othersOf(compared, now)
  const { isUsual } = others
  const isAnew = before !== undefined && before.source !== now.source
  const change = (kind: Kind, isCertain: boolean, of: Compared = b): ReadonlyArray<Found> => [
    {
      // a pass with other code says nothing about the service
      isUsual: isUsual || (isAnew && isWell(now)),
      change: {
        kind,
        suite: now.suite,
        name: now.name,
        now: resultOf(now),
        before: before === undefined ? null : resultOf(before),
        isCertain,
        ...causeIn(of, now),
        ...(others.failed > 0 ? { others: { failed: others.failed, of: others.of } } : {})
      }
    }
  ]
  // two nights of a scenario that fails at times differ by themselves
  const [regressed, improved] = [row?.verdict === "regressed" && !isUsual, row?.verdict === "improved" && !isUsual]
  if (isLeakingOnly(now) && before !== undefined && before.leaks === 0) return change("newly leaking", true)
  if (before === undefined) return isFailing(now) ? change("newly failing", false) : []
  if (isAnew) return isWell(before) === isWell(now) ? [] : change("code changed", false, isWell(now) ? a : b)
  if (isWell(before) && isFailing(now)) return change("newly failing", now.scored > 0 && !isUsual)
  if (isWell(before) && now.verdict === "flaky") {
    return change("newly flaky", regressed)
  }
  if (regressed) return change("passes less often", true)
  if (isFailing(before) && isWell(now)) {
    return change("fixed", before.scored > 0 && !isUsual, a)
  }
  return improved ? change("passes more often", true, a) : []
}

const levelKinds: Readonly<Record<string, readonly [more: Kind, less: Kind]>> = {
  duration: ["slower", "faster"],
  cost: ["costlier", "cheaper"]
}

const levelChange = (
  { a, b }: ComparedNights,
  { change, level, scenario, verdict }: ComparedLevel
): ReadonlyArray<Found> => {
  if (scenario === null) return []
  const key = keyOf(scenario.suite, scenario.name)
  const [now, before] = [b, a].map(({ night }) => {
    const its = scenariosOf(night).get(key)
    return its === undefined ? undefined : level.of(its)
  })
  const [more, less] = levelKinds[level.figure] ?? []
  if (now === undefined || before === undefined || more === undefined || less === undefined) return []
  const isCertain = verdict === "regressed" || verdict === "improved"
  const isLong = level.figure !== "duration" || Math.abs(Math.exp(now) - Math.exp(before)) >= least_ms
  if (!isCertain && (Math.abs(change) < notable || !isLong)) return []
  return [
    {
      isUsual: false,
      change: {
        kind: change > 0 ? more : less,
        suite: scenario.suite,
        name: scenario.name,
        now: level.amountOf(Math.exp(now)),
        before: level.amountOf(Math.exp(before)),
        change: Math.expm1(change),
        isCertain
      }
    }
  ]
}

const isGood = ({ kind }: Change) =>
  kind === "fixed" || kind === "passes more often" || kind === "faster" || kind === "cheaper"

const countedKinds = (changes: ReadonlyArray<Change>): ReadonlyArray<Reason> =>
  kinds.flatMap((kind) => {
    const count = changes.filter((change) => change.kind === kind).length
    return count === 0 ? [] : [{ _tag: "Scenarios", kind, count } as const]
  })

/**
 * True if the difference between the pass rates of all scenarios together comes only from scenarios that usually fail
 * sometimes.
 */
const isOnlyUsual = (compared: ComparedNights, verdict: "regressed" | "improved"): boolean => {
  const before = scenariosOf(compared.a.night)
  return compared.b.night.scenarios.every((now) => {
    const its = before.get(keyOf(now.suite, now.name))
    if (its === undefined || its.source !== now.source || its.scored * now.scored === 0) return true
    const fall = its.passed / its.scored - now.passed / now.scored
    return (verdict === "regressed" ? fall <= 0 : fall >= 0) || othersOf(compared, now).isUsual
  })
}

const whole = (comparison: Comparison) => ({ _tag: "Whole", comparison }) as const

const isLevel = ({ figure }: Comparison) => figure === "duration" || figure === "cost"

/** All scenarios together. */
const wholeOf = (compared: ComparedNights, verdict: "regressed" | "improved"): ReadonlyArray<Reason> =>
  compared.comparison.rows
    .filter((row) => row.scenario === null && row.verdict === verdict)
    .filter(({ figure }) => figure !== "pass rate" || !isOnlyUsual(compared, verdict))
    .toSorted((one, other) => Number(isLevel(one)) - Number(isLevel(other)))
    .map(whole)

/** Which of all scenarios' levels changed, and too few nights are known to say whether that is normal. */
const unknownOf = ({ comparison: { levels } }: ComparedNights): ReadonlyArray<ComparedLevel> =>
  levels.filter(
    ({ change, scenario, verdict }) =>
      scenario === null && verdict === "not enough data" && Math.abs(change) > notableTogether
  )

/** A night that is partial, unless only a part was selected. */
const cutShort = ({ partial }: Night, night: "first" | "second"): ReadonlyArray<Reason> =>
  partial === undefined || partial._tag === "Selection" ? [] : [{ _tag: "Partial", night, partial }]

/** Number of trials in both nights that would detect a rate like this one in a scenario that always passed before. */
const trialsFor = ({ passed, scored }: NightScenario, level: number): number | undefined => {
  const rate = 1 - passed / scored
  for (let of = scored + 1; of <= mostTrials; of++) {
    const failed = Math.round(rate * of)
    const distribution = Fisher.conditional({ passed: failed, of }, { passed: 0, of })
    if (Discrete.atLeast(distribution, failed) <= level) return of
  }
  return undefined
}

const needsOf = (compared: ComparedNights, uncertain: ReadonlyArray<Change>): Conclusion["needs"] => {
  const { b, comparison } = compared
  const isOf =
    ({ level, scenario }: ComparedLevel) =>
    (change: Change) =>
      change.name === scenario?.name &&
      change.suite === scenario.suite &&
      levelKinds[level.figure]?.includes(change.kind)
  const blind = [
    ...unknownOf(compared),
    ...comparison.levels.filter((level) => level.verdict === "not enough data" && uncertain.some(isOf(level)))
  ]
  const flaky = uncertain.flatMap((change) => {
    const its = scenariosOf(b.night).get(keyOf(change.suite, change.name))
    return change.kind !== "newly flaky" || its === undefined ? [] : [its]
  })
  const trials = flaky.flatMap((its) => trialsFor(its, budgetOfEach(comparison.scenarios)) ?? [])
  const enough = blind.flatMap((level) => level.enough ?? [])
  return {
    ...(blind.length === 0 ? {} : { nights: Math.min(...blind.map(({ nights }) => nights)) }),
    ...(enough.length === 0 ? {} : { enough: Math.max(...enough) }),
    ...(trials.length === 0 ? {} : { trials: Math.max(...trials) })
  }
}

/**
 * The verdict on two nights: "worse" with evidence that anything is worse, else "cannot tell" where something may be worse,
 * else "better" with evidence that anything is better, else "cannot tell" where something may be better, else "no
 * difference seen". A scenario whose trials all passed and now all fail is evidence, unless
 * other nights show that it fails at times.
 */
export const conclude = (compared: ComparedNights): Conclusion => {
  const { a, b, comparison } = compared
  const [before, now] = [scenariosOf(a.night), scenariosOf(b.night)]
  const detected = [
    ...[...now].flatMap(([key, its]) => rateChange(compared, before.get(key), its)),
    ...comparison.levels
      .toSorted((one, other) => Math.abs(other.change) - Math.abs(one.change))
      .flatMap((one) => levelChange(compared, one))
  ]
  const ordered = kinds.flatMap((kind) =>
    detected
      .filter(({ change }) => change.kind === kind)
      .toSorted((one, other) => Number(other.change.isCertain) - Number(one.change.isCertain))
  )
  const changes = ordered.map(({ change }) => change)
  const certain = changes.filter(({ isCertain }) => isCertain)
  const uncertain = ordered.flatMap(({ change, isUsual }) => (change.isCertain || isUsual ? [] : [change]))
  const worse = [...countedKinds(certain.filter((change) => !isGood(change))), ...wholeOf(compared, "regressed")]
  const better = [...countedKinds(certain.filter(isGood)), ...wholeOf(compared, "improved")]
  const unknown = unknownOf(compared)
  // what all scenarios do together is not said again of each
  const isSaid = ({ kind }: Change) => unknown.some(({ level }) => levelKinds[level.figure]?.includes(kind))
  const doubtsOf = (isFor: boolean): ReadonlyArray<Reason> => [
    ...unknown
      .filter(({ change }) => change < 0 === isFor)
      .flatMap(({ level }) =>
        comparison.rows.filter((row) => row.scenario === null && row.figure === level.figure).map(whole)
      ),
    ...countedKinds(uncertain.filter((change) => !isSaid(change) && isGood(change) === isFor))
  ]
  const cut = [a, b].flatMap(({ night }, index) => cutShort(night, index === 0 ? "first" : "second"))
  // what may be better by chance takes nothing from what is better with evidence
  const doubtful = [...cut, ...doubtsOf(false), ...(better.length > 0 ? [] : doubtsOf(true))]
  if (worse.length > 0) return { verdict: "worse", changes, because: worse, also: better, needs: {} }
  if (doubtful.length > 0)
    return { verdict: "cannot tell", changes, because: doubtful, also: better, needs: needsOf(compared, uncertain) }
  return { verdict: better.length > 0 ? "better" : "no difference seen", changes, because: better, also: [], needs: {} }
}
