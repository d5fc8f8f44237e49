import { verdictOf } from "@webagent/harness-api/NightCells"
import type { NightsColumn, NightsMap, NightsRow } from "@webagent/harness-api"

/** Problems of a scenario whose trials may all have passed, with a letter, so that color is never the only difference. */
const signs = {
  leak: ["L", "leaked a browser"],
  rule: ["I", "broke an invariant"],
  limit: [">", "over its limit"],
  slow: ["S", "slower than before"],
  cost: ["C", "costlier than before"],
  rate: ["R", "passes less often than before"]
} as const
export type Sign = keyof typeof signs

/** The state of a cell, from the worst to the best. */
export const states = ["claimed", "failed", "sign", "flaky", "infra", "unscored", "skipped", "none", "passed"] as const
export type State = (typeof states)[number]

/** A night of the heat map with its cells. */
export interface Night {
  readonly of: NightsColumn
  readonly rates: ReadonlyMap<number, readonly [passed: number, scored: number]>
  readonly signs: ReadonlyMap<number, Sign>
  /** The night before it; undefined for the oldest one. */
  readonly before: NightsColumn | undefined
}

/** A scenario by its place in the cells of a night. */
export interface Line {
  readonly of: NightsRow
  readonly index: number
}

/** Scenarios by nights, the newest night first. */
export interface Heat {
  readonly lines: ReadonlyArray<Line>
  readonly nights: ReadonlyArray<Night>
}

type Finding = NightsColumn["findings"][number]

const signOf = ({ kind }: Finding): Sign | undefined => {
  switch (kind._tag) {
    case "Leak":
      return "leak"
    case "BrokenInvariant":
    case "AbandonedRun":
      return "rule"
    case "LimitExceeded":
      return "limit"
    case "Regressed": {
      const { figure } = kind.comparison
      return figure === "duration" ? "slow" : figure === "cost" ? "cost" : figure === "pass rate" ? "rate" : undefined
    }
    default:
      return undefined
  }
}

const keyOf = ({ name, suite }: Pick<NightsRow, "name" | "suite">): string => JSON.stringify([suite, name])

/** The heat map of a response. */
export const heatOf = ({ nights, rows }: NightsMap): Heat => {
  const indexes = new Map(rows.map((row, index) => [keyOf(row), index]))
  const nightOf = (of: NightsColumn, index: number): Night => {
    const signs = new Map<number, Sign>()
    for (const finding of of.findings) {
      const sign = finding.severity === "note" ? undefined : signOf(finding)
      if (sign === undefined) continue
      for (const scenario of finding.scenarios) {
        const index = indexes.get(keyOf(scenario))
        // the first finding is the worst
        if (index !== undefined && !signs.has(index)) signs.set(index, sign)
      }
    }
    return {
      of,
      before: nights[index - 1],
      rates: new Map(of.rates.map(([index, passed, scored]) => [index, [passed, scored]])),
      signs
    }
  }
  return { lines: rows.map((of, index) => ({ of, index })), nights: nights.map(nightOf).toReversed() }
}

/** Numbers of a scenario's trials in a night: those that passed, and those that were scored. */
const rateOf = ({ index }: Line, { of: { usual }, rates }: Night) => rates.get(index) ?? ([usual, usual] as const)

/** The state of a scenario in a night. */
export const stateOf = (line: Line, night: Night | undefined): State => {
  const verdict = verdictOf(night?.of.cells[line.index])
  if (night === undefined || verdict === undefined) return "none"
  const sign = night.signs.get(line.index)
  const [passed, scored] = rateOf(line, night)
  const isClean = (scored > 0 && passed === scored) || (verdict === "flaky" && sign === "leak")
  return sign !== undefined && isClean ? "sign" : verdict
}

/** Symbol, look and words of each state. */
export const marks: Readonly<
  Record<State, readonly [symbol: string, look: "ok" | "bad" | "warn" | "still" | "busy" | "none", words: string]>
> = {
  claimed: ["!", "bad", "false success"],
  failed: ["✗", "bad", "failed"],
  sign: ["L", "bad", "passed with a problem"],
  flaky: ["≈", "warn", "some trials failed"],
  infra: ["⌁", "busy", "interrupted"],
  unscored: ["?", "busy", "not scored"],
  skipped: ["–", "still", "not run"],
  none: ["", "none", "not in this night"],
  passed: ["✓", "ok", "passed"]
}

/** A cell's drawing. */
export interface Drawn {
  readonly text: string
  readonly look: (typeof marks)[State][1]
}

/** The drawing of a cell: its symbol, the letter of its problem, or its passed trials of all trials. */
export const drawn = (line: Line, night: Night): Drawn => {
  const state = stateOf(line, night)
  const [symbol, look] = marks[state]
  const sign = night.signs.get(line.index)
  if (state === "sign" && sign !== undefined) return { text: signs[sign][0], look }
  const rate = state === "flaky" ? night.rates.get(line.index) : undefined
  return { text: rate === undefined ? symbol : rate.join("/"), look }
}

/** A cell in words: `3 of 5 trials passed, leaked a browser`. */
export const described = (line: Line, night: Night | undefined): string => {
  const verdict = verdictOf(night?.of.cells[line.index])
  if (night === undefined || verdict === undefined) return marks.none[2]
  const [passed, scored] = rateOf(line, night)
  const sign = night.signs.get(line.index)
  return [
    ...(verdict === "claimed" || verdict === "infra" || scored === 0 ? [marks[verdict][2]] : []),
    ...(scored === 0 ? [] : [`${passed} of ${scored} trials passed`]),
    ...(sign === undefined ? [] : [signs[sign][1]])
  ].join(", ")
}

/** The symbols in use, with their words, the worst first. */
export const legendOf = ({ nights }: Heat): ReadonlyArray<Drawn & { readonly words: string }> => {
  const used = new Set<State>(
    nights.flatMap(({ of }) => [...new Set(of.cells)].flatMap((letter) => verdictOf(letter) ?? []))
  )
  const problems = new Set(nights.flatMap((night) => [...night.signs.values()]))
  const plain = states
    .filter((state) => used.has(state))
    .map((state) => {
      const [symbol, look, words] = marks[state]
      return { text: state === "flaky" ? "3/5" : symbol, look, words }
    })
  const others = Object.entries(signs)
    .filter(([sign]) => problems.has(sign as Sign))
    .map(([, [text, words]]) => ({ text, look: marks.sign[1], words }))
  return [...plain, ...others]
}

/** The choice of rows, as the page's address has it. */
export interface HeatFilters {
  readonly text: string
  readonly tag: string
  readonly owner: string
  readonly isRedOnly: boolean
}

/** True for a state that needs no attention. */
export const isQuiet = (state: State): boolean => state === "passed" || state === "none" || state === "skipped"

/** A scenario's title in lists: `shop › pays by card`. */
export const titleOf = ({ name, suite }: Pick<NightsRow, "name" | "suite">): string => `${suite} › ${name}`

const fits = (line: Line, tonight: Night | undefined, filters: HeatFilters): boolean => {
  const { owner, tags } = line.of
  if (filters.tag !== "" && !tags.includes(filters.tag)) return false
  if (filters.owner !== "" && owner !== filters.owner) return false
  if (filters.isRedOnly && isQuiet(stateOf(line, tonight))) return false
  const title = titleOf(line.of).toLowerCase()
  return filters.text
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => title.includes(word))
}

/** Latest nights that order rows with the same state tonight. */
const recent = 30

/** A greater number for rows that failed more and later. */
const weightOf = (line: Line, nights: ReadonlyArray<Night>): number =>
  nights
    .slice(0, recent)
    .reduce((sum, night, index) => (isQuiet(stateOf(line, night)) ? sum : sum + 1 - index / recent), 0)

/** Orders of rows. */
export const orders = ["tonight", "name"] as const
export type Order = (typeof orders)[number]

const byName = (one: Line, other: Line): number => {
  const [title, otherTitle] = [titleOf(one.of), titleOf(other.of)]
  return title < otherTitle ? -1 : title > otherTitle ? 1 : 0
}

/** The rows of a choice: the worst tonight first, then those that failed more lately, or by name. */
export const chosen = ({ lines, nights }: Heat, filters: HeatFilters, order: Order): ReadonlyArray<Line> => {
  const [tonight] = nights
  const fitting = lines.filter((line) => fits(line, tonight, filters))
  if (order === "name") return fitting.toSorted(byName)
  return fitting
    .map((line) => ({ line, state: states.indexOf(stateOf(line, tonight)), weight: weightOf(line, nights) }))
    .toSorted((one, other) => one.state - other.state || other.weight - one.weight || byName(one.line, other.line))
    .map(({ line }) => line)
}

/** The values of the filters: every tag and owner. */
export const choicesOf = ({ lines }: Heat) => {
  const sorted = (values: ReadonlyArray<string>) => [...new Set(values)].toSorted()
  return {
    tags: sorted(lines.flatMap(({ of }) => of.tags)),
    owners: sorted(lines.flatMap(({ of }) => (of.owner === null ? [] : [of.owner])))
  }
}
