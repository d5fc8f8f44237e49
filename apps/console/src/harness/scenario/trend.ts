import type { TrendPoint } from "@webagent/harness-api"
import * as Wilson from "@webagent/statistics/Wilson"

/** A group of nights in a row. */
export interface Group {
  /** Start of its first and last night. */
  readonly from: string
  readonly to: string
  readonly nights: number
  readonly value: number
  /** Within what the value lies: an interval of 95 % for a pass rate, the middle half of the nights otherwise. */
  readonly low: number
  readonly high: number
  readonly text: string
}

/** Figures of a scenario over time; the last three are of whole nights. */
export const figures = ["pass rate", "duration", "cost", "flaky scenarios", "leaked browsers", "requests"] as const
export type Figure = (typeof figures)[number]

/** The value of a figure in a night; undefined if it wasn't measured. */
const valueOf = (figure: Figure, { cost_usd, duration_ms, whole }: TrendPoint): number | undefined => {
  switch (figure) {
    case "duration":
      return duration_ms ?? undefined
    case "cost":
      return cost_usd
    case "flaky scenarios":
      return whole?.flaky
    case "leaked browsers":
      return whole?.leaks
    case "requests":
      return whole?.requests
    case "pass rate":
      return undefined
  }
}

const quantile = (sorted: ReadonlyArray<number>, share: number): number => {
  const at = (sorted.length - 1) * share
  const [low, high] = [sorted[Math.floor(at)] ?? 0, sorted[Math.ceil(at)] ?? 0]
  return low + (high - low) * (at - Math.floor(at))
}

const chunks = <A>(all: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size))

/** Points of a chart; more can't be told apart. */
const mostGroups = 60

/** Nights of a group, so that a chart has at most sixty points. */
export const groupSize = (nights: number): number => Math.max(1, Math.ceil(nights / mostGroups))

/** The groups of a figure, the oldest first. Groups in which nothing was measured are left out. */
export const groupsOf = (
  points: ReadonlyArray<TrendPoint>,
  figure: Figure,
  write: (value: number) => string
): ReadonlyArray<Group> =>
  chunks(points, groupSize(points.length)).flatMap((some): ReadonlyArray<Group> => {
    const [first, last] = [some[0], some.at(-1)]
    if (first === undefined || last === undefined) return []
    const at = { from: first.startedAt, to: last.startedAt, nights: some.length }
    if (figure === "pass rate") {
      const [passed, scored] = some.reduce(([p, s], one) => [p + one.passed, s + one.scored], [0, 0])
      if (scored === 0) return []
      return [
        {
          ...at,
          value: passed / scored,
          ...Wilson.interval(passed, scored),
          text: `${passed} of ${scored} trials passed`
        }
      ]
    }
    const values = some.flatMap((one) => valueOf(figure, one) ?? []).toSorted((one, other) => one - other)
    if (values.length === 0) return []
    const [low, value, high] = [quantile(values, 0.25), quantile(values, 0.5), quantile(values, 0.75)]
    const range = values.length < 4 ? "" : `, usually ${write(low)} to ${write(high)}`
    return [{ ...at, value, low, high, text: `${write(value)}${range}` }]
  })
