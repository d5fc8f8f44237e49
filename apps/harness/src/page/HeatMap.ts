import { keyOf, type Night, type NightScenario } from "@webagent/nights/Night"
import { scenariosOf } from "@webagent/nights/Past"
import type { Figure } from "@webagent/report/Comparison"
import { duration, percent } from "@webagent/cli/Text"
import { escape } from "@webagent/cli/Xml"
import { median } from "@webagent/statistics/Robust"
import { marks } from "./Mark.ts"

/** A night as a column: its head is HTML already. */
interface Column {
  readonly night: Night
  /** When it began, as all columns say it. */
  readonly label: string
  readonly head: string
}

interface Row {
  readonly suite: string
  readonly name: string
  readonly cells: ReadonlyArray<NightScenario | undefined>
  readonly usual_ms: number
  readonly usual_usd: number
  /** The more of its last trials failed, the higher it stands. */
  readonly failures: number
}

/** Labels of a red cell that replace the number of trials. */
const signs = {
  leak: "leaked a browser",
  rule: "broke an invariant",
  limit: "over its own limit",
  slow: "slower than before",
  cost: "costlier than before"
} as const

/** The reason why a scenario failed although all its trials passed. */
const signOf = (one: NightScenario, { regressed = [] }: Night): keyof typeof signs | undefined => {
  const isWorse = (wanted: Figure) =>
    regressed.some(
      ({ figure, scenario }) => figure === wanted && scenario?.suite === one.suite && scenario.name === one.name
    )
  if (one.leaks > 0) return "leak"
  if (one.passed < one.scored || one.scored === 0) return undefined
  if (one.exceeded !== undefined) return "limit"
  if (one.breaches > 0) return "rule"
  return isWorse("duration") ? "slow" : isWorse("cost") ? "cost" : undefined
}

const shareClass = (share: number): string =>
  share === 1 ? "all" : share >= 0.75 ? "most" : share >= 0.4 ? "some" : share > 0 ? "few" : "nothing"

const rateClass = ({ passed, scored, verdict }: NightScenario): string =>
  scored === 0 ? verdict : shareClass(passed / scored)

/** `✓` where as many trials passed as any scenario has; else how many of how many. */
const rateText = ({ passed, scored, verdict }: NightScenario, most: number): string =>
  scored === 0 ? marks[verdict].sign : passed === most ? "✓" : `${passed}/${scored}`

/** CSS class for the ratio of a duration to the scenario's usual one, in steps that are distinguishable by color. */
const timeClass = (ratio: number): string =>
  ratio > 3
    ? "slow3"
    : ratio > 1.75
      ? "slow2"
      : ratio > 1.25
        ? "slow1"
        : ratio < 0.6
          ? "fast2"
          : ratio < 0.8
            ? "fast1"
            : ""

const timeText = (ratio: number): string => (timeClass(ratio) === "" ? "·" : `×${ratio.toFixed(1)}`)

const unrun = '<td class="none"><span aria-hidden="true">–</span><span class="sr">not run</span></td>'

const usualOf = (values: ReadonlyArray<number | undefined>): number => {
  const known = values.filter((value) => value !== undefined)
  return known.length === 0 ? 0 : median(known)
}

const timeOf = (one: NightScenario | undefined) => one?.durations?.median_ms

const costOf = (one: NightScenario | undefined) =>
  one === undefined || one.trials === 0 ? undefined : Number(one.cost_usd) / one.trials

const cell = (one: NightScenario | undefined, usual_ms: number, most: number, { label, night }: Column): string => {
  if (one === undefined) return unrun
  const time_ms = timeOf(one)
  const ratio = time_ms === undefined || usual_ms === 0 ? undefined : time_ms / usual_ms
  const sign = signOf(one, night)
  const title = [
    `${label}: ${one.passed} of ${one.scored} trials passed`,
    ...(time_ms === undefined ? [] : [duration(time_ms)]),
    ...(sign === undefined ? [] : [signs[sign]]),
    ...(one.quarantine === undefined ? [] : ["in quarantine"])
  ].join(", ")
  const style = sign === undefined ? rateClass(one) : "nothing"
  return `<td class="${style} ${ratio === undefined ? "" : timeClass(ratio)}" title="${escape(title)}"><span class="rate">${sign ?? rateText(one, most)}</span><span class="time">${ratio === undefined ? "" : timeText(ratio)}</span></td>`
}

const rowsOf = (columns: ReadonlyArray<Column>): ReadonlyArray<Row> => {
  const names = new Map(
    columns.flatMap(({ night }) =>
      night.scenarios.map(({ name, suite }) => [keyOf(suite, name), { name, suite }] as const)
    )
  )
  return [...names].map(([key, { name, suite }]) => {
    const cells = columns.map(({ night }) => scenariosOf(night).get(key))
    const failures = cells.reduce(
      (sum, one, index) =>
        one === undefined || (one.leaks === 0 && rateClass(one) === "all") ? sum : sum + 1 + (index + 1) / cells.length,
      0
    )
    return { suite, name, cells, failures, usual_ms: usualOf(cells.map(timeOf)), usual_usd: usualOf(cells.map(costOf)) }
  })
}

// beyond this a whole night is marked, as the judge marks what is unusual
const farAbove = 1.5

/** Duration or cost of a night's scenarios, as a multiple of the usual values of the same scenarios. */
const multiple = (
  rows: ReadonlyArray<Row>,
  night: number,
  of: (one: NightScenario | undefined) => number | undefined,
  usualOf: (row: Row) => number
): number | undefined => {
  const pairs = rows.flatMap((row) => {
    const now = of(row.cells[night])
    return now === undefined ? [] : [[now, usualOf(row)] as const]
  })
  const [now, usual] = [0, 1].map((side) => pairs.reduce((sum, pair) => sum + (pair[side] ?? 0), 0))
  return now === undefined || usual === undefined || usual === 0 ? undefined : now / usual
}

const rateOf = ({ scenarios }: Night): number | undefined => {
  const [passed, scored] = [0, 0].map((_, side) =>
    scenarios.reduce((sum, one) => sum + (side === 0 ? one.passed : one.scored), 0)
  )
  return passed === undefined || scored === undefined || scored === 0 ? undefined : passed / scored
}

/** The figures of whole nights: what made one red although its scenarios passed. */
const whole = (columns: ReadonlyArray<Column>, rows: ReadonlyArray<Row>): string => {
  const line = (
    name: string,
    figure: Figure | undefined,
    of: (night: Night, index: number) => readonly [text: string, style: "nothing" | "some" | ""] | undefined
  ) => {
    const cells = columns.map(({ label, night }, index) => {
      const shown = of(night, index)
      if (shown === undefined) return unrun
      const [text, style] = shown
      const isRed = night.regressed?.some((one) => one.figure === figure && one.scenario === null) === true
      const title = `${label}: ${name} ${text}${isRed ? ", worse than before" : ""}`
      return `<td class="${isRed ? "nothing" : style}" title="${escape(title)}">${text}</td>`
    })
    return `<tr><th scope="row">${name}</th>${cells.join("")}</tr>`
  }
  const times =
    (...of: readonly [Parameters<typeof multiple>[2], (row: Row) => number]) =>
    (_: Night, index: number) => {
      const ratio = multiple(rows, index, ...of)
      return ratio === undefined ? undefined : ([timeText(ratio), ratio > farAbove ? "some" : ""] as const)
    }
  const lines = [
    line("trials passed", "pass rate", (night) => {
      const rate = rateOf(night)
      // 100 % is all of them
      return rate === undefined ? undefined : [percent(rate < 1 ? Math.min(rate, 0.99) : 1, 0), ""]
    }),
    line(
      "duration",
      "duration",
      times(timeOf, ({ usual_ms }) => usual_ms)
    ),
    line(
      "cost",
      "cost",
      times(costOf, ({ usual_usd }) => usual_usd)
    ),
    ...(columns.some(({ night }) => night.breaches > 0)
      ? [line("invariants", undefined, ({ breaches }) => (breaches > 0 ? ["rule", "nothing"] : ["✓", ""]))]
      : [])
  ]
  return `<tbody class="whole"><tr><th scope="rowgroup" class="suite">The whole night</th></tr>${lines.join("")}</tbody>`
}

const legend = (columns: ReadonlyArray<Column>, most: number): string => {
  const all = columns.flatMap(({ night }) => night.scenarios.map((one) => signOf(one, night)))
  const used = (Object.keys(signs) as ReadonlyArray<keyof typeof signs>).filter(
    (sign) => all.includes(sign) || (sign === "rule" && columns.some(({ night }) => night.breaches > 0))
  )
  const key = (style: string, sign: string, words: string) => `<li><i class="${style}">${sign}</i> ${words}</li>`
  return `<ul class="legend small faint">${[
    key("all", "✓", most === 1 ? "its trial passed" : `all ${most} trials passed`),
    ...(most === 1
      ? []
      : [key(shareClass((most - 1) / most), `${most - 1}/${most}`, `${most - 1} of ${most} trials passed`)]),
    ...used.map((sign) => key("nothing", sign, signs[sign])),
    key("", "×2.0", "times the median"),
    key("", "·", "near the median"),
    key("none", "–", "not run")
  ].join("")}</ul>`
}

/** Scenarios by nights, the newest night on the right, with the figures of whole nights above. */
export const render = (columns: ReadonlyArray<Column>): string => {
  const rows = rowsOf(columns)
  const suites = Map.groupBy(rows, ({ suite }) => suite)
  // a call takes no more arguments than its stack has room for
  const greatest = (values: ReadonlyArray<number>) => values.reduce((most, value) => Math.max(most, value), 0)
  const most = Math.max(1, greatest(columns.flatMap(({ night }) => night.scenarios.map(({ scored }) => scored))))
  const worst = (rows: ReadonlyArray<Row>) => greatest(rows.map(({ failures }) => failures))
  const bodies = [...suites]
    .toSorted(([, one], [, other]) => worst(other) - worst(one))
    .map(([suite, rows]) => {
      const lines = rows
        .toSorted((one, other) => other.failures - one.failures)
        .map(({ cells, name, usual_ms }) => {
          const each = columns.map((column, index) => cell(cells[index], usual_ms, most, column))
          return `<tr><th scope="row" title="${escape(name)}">${escape(name)}</th>${each.join("")}</tr>`
        })
      return `<tbody><tr><th scope="rowgroup" class="suite">${escape(suite)}</th></tr>${lines.join("")}</tbody>`
    })
  return `<div class="heat"><fieldset class="views"><legend class="sr">What the cells of scenarios show</legend><label><input type="radio" name="view" id="by-rate" checked> pass rate</label><label><input type="radio" name="view" id="by-time"> duration, as a multiple of the median</label></fieldset>${legend(columns, most)}<div class="scroll" tabindex="0" role="group" aria-label="Scenarios by nights"><table><thead><tr><td></td>${columns.map(({ head }) => head).join("")}</tr></thead>${whole(columns, rows)}${bodies.join("")}</table></div></div>`
}
