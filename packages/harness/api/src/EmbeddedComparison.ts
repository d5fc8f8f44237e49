import { type Cell, cellsOf } from "./NightCells.ts"
import type { CompareOutput, NightsColumn, NightsMap } from "./Nights.ts"
import type { ComparedNights } from "./Source.ts"

/** Results and figures of all nights, by row of the map, then by night. */
interface NightsInBrief {
  readonly nights: NightsMap
  readonly durations: ReadonlyArray<ReadonlyArray<number>>
  readonly costs: ReadonlyArray<ReadonlyArray<number>>
}

type Change = CompareOutput["changes"][number]
type Kind = Change["kind"]

/** The share of other nights from which on a scenario fails at times, so that one more failure is no evidence. */
const oftenEnough = 0.1
/** The change of one scenario's duration or cost that is worth a line. */
const notable = 1.5
const least_ms = 50

const isFailing = ({ verdict }: Cell) => verdict !== "passed" && verdict !== "flaky" && verdict !== "skipped"

const kindOf = (before: Cell, now: Cell): Kind | undefined => {
  if (before.verdict === "passed") {
    return isFailing(now) ? "newly failing" : now.verdict === "flaky" ? "newly flaky" : undefined
  }
  return isFailing(before) && now.verdict === "passed" ? "fixed" : undefined
}

const trials = ({ passed, scored, verdict }: Cell) => ({ _tag: "Trials", verdict, passed, scored, leaks: 0 }) as const

/** The changes of a figure by row, which one value in each night can't prove. */
const levelChanges = (
  figures: ReadonlyArray<ReadonlyArray<number>>,
  {
    a,
    b,
    is,
    names
  }: {
    readonly a: number
    readonly b: number
    readonly is: "duration" | "cost"
    readonly names: NightsMap["rows"]
  }
): ReadonlyArray<Change> => {
  const amountOf = (value: number) =>
    is === "duration"
      ? ({ _tag: "Duration", milliseconds: value } as const)
      : ({ _tag: "Cost", usd: String(value) } as const)
  const [more, less] = is === "duration" ? (["slower", "faster"] as const) : (["costlier", "cheaper"] as const)
  return names.flatMap(({ name, suite }, row): ReadonlyArray<Change> => {
    const [before = 0, now = 0] = [figures[row]?.[a], figures[row]?.[b]]
    if (before <= 0 || now <= 0 || (is === "duration" && Math.abs(now - before) < least_ms)) return []
    const ratio = now / before
    if (ratio < notable && ratio > 1 / notable) return []
    const kind = ratio > 1 ? more : less
    return [{ kind, suite, name, now: amountOf(now), before: amountOf(before), change: ratio - 1, isCertain: false }]
  })
}

const differencesOf = (a: NightsColumn, b: NightsColumn): ReadonlyArray<string> =>
  (["target", "tool", "trials"] as const).flatMap((name) =>
    a[name] === b[name] ? [] : [`${name} ${b[name] ?? "as declared"}, was ${a[name] ?? "as declared"}`]
  )

const bad: ReadonlyArray<Kind> = ["newly failing", "newly flaky", "slower", "costlier"]

const reasonsOf = (changes: ReadonlyArray<Change>): CompareOutput["because"] =>
  [...Map.groupBy(changes, ({ kind }) => kind)].map(([kind, { length }]) => ({
    _tag: "Scenarios",
    kind,
    count: length
  }))

/** A night that is partial, unless only a part was selected. */
const partOf = (night: "first" | "second", { partial }: NightsColumn): CompareOutput["because"] =>
  partial === null || partial._tag === "Selection" ? [] : [{ _tag: "Partial", night, partial }]

/**
 * Compares two nights by the cells, durations and costs that an exported page has of all nights; undefined for a night that
 * it doesn't have. It knows no seeds, code and spread, so that only a scenario that stopped or began to pass is evidence.
 */
export const compareEmbedded = (
  { costs, durations, nights: { nights, rows: names } }: NightsInBrief,
  night: string,
  before: string
): ComparedNights | undefined => {
  const [a, b] = [before, night].map((id) => nights.findIndex((one) => one.id === id))
  const [first, second] = [nights[a ?? -1], nights[b ?? -1]]
  if (a === undefined || b === undefined || first === undefined || second === undefined || a === b) return undefined
  const [was, is] = [cellsOf(first), cellsOf(second)]
  const others = nights.filter((_, index) => index !== a && index !== b).map(cellsOf)
  let common = 0
  const results = names.flatMap(({ name, suite }, row): ReadonlyArray<Change> => {
    const [one, other] = [was(row), is(row)]
    if (one === undefined || other === undefined) return []
    if (one.scored > 0 && other.scored > 0) common++
    const kind = kindOf(one, other)
    if (kind === undefined) return []
    const cells = others.flatMap((of) => of(row) ?? []).filter(({ scored }) => scored > 0)
    const failed = cells.filter(({ verdict }) => verdict !== "passed").length
    const isUsual = failed > 0 && failed >= oftenEnough * cells.length
    return [
      {
        kind,
        suite,
        name,
        now: trials(other),
        before: trials(one),
        isCertain: kind !== "newly flaky" && !isUsual && one.scored > 0 && other.scored > 0,
        ...(failed > 0 ? { others: { failed, of: cells.length } } : {})
      }
    ]
  })
  const changes = [
    ...results,
    ...levelChanges(durations, { a, b, is: "duration", names }),
    ...levelChanges(costs, { a, b, is: "cost", names })
  ]
  const certain = changes.filter(({ isCertain }) => isCertain)
  const worse = reasonsOf(certain.filter(({ kind }) => bad.includes(kind)))
  const better = reasonsOf(certain.filter(({ kind }) => !bad.includes(kind)))
  const doubtful = [
    ...partOf("first", first),
    ...partOf("second", second),
    ...reasonsOf(changes.filter(({ isCertain }) => !isCertain))
  ]
  const conclusion =
    worse.length > 0
      ? ({ verdict: "worse", because: worse, also: better } as const)
      : doubtful.length > 0
        ? ({ verdict: "cannot tell", because: doubtful, also: better } as const)
        : ({ verdict: better.length > 0 ? "better" : "no difference seen", because: better, also: [] } as const)
  return {
    ...conclusion,
    needs: {},
    changes,
    before: first,
    after: second,
    scenarios: common,
    pairs: 0,
    differences: differencesOf(first, second),
    rows: [],
    note: "Compared by results, median durations and costs, which is all that this page has of these nights. Run webagent-harness compare in the project for the statistics."
  }
}
