import { escape } from "@webagent/cli/Xml"
import type { Line } from "../TimeSeries.ts"

/** One line of a chart; its colour comes from its place, and a dash and a word say the same. */
interface ChartLine {
  readonly label: string
  readonly values: Line
}

/** Contents of a chart. */
interface ChartOptions {
  readonly title: string
  readonly lines: ReadonlyArray<ChartLine>
  /** The length of time between two values. */
  readonly step_ms: number
  /** A value with its unit. */
  readonly format: (value: number) => string
  /** The least height of the scale, so that small values look small. */
  readonly atLeast?: number
}

const width = 640
const height = 200
// room for the texts of ticks, in the larger letters of a phone too; the last one of time stands half beyond its place
const margin = { top: 10, right: 34, bottom: 24, left: 84 }
const inner = { width: width - margin.left - margin.right, height: height - margin.top - margin.bottom }

/** A round number that is no smaller: 1, 2 or 5 with zeros. */
const roundUp = (value: number): number => {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return power * ([1, 2, 5, 10].find((factor) => factor * power >= value * (1 - 1e-9)) ?? 10)
}

const clock = (at_ms: number) => {
  const seconds = Math.round(at_ms / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
}

const at = (value: number) => Number(value.toFixed(1))

/** A scale from the values to the height of the chart, with its ticks. */
const scaleOf = (values: ReadonlyArray<number>, atLeast: number) => {
  const highest = Math.max(atLeast, ...values)
  const positive = values.filter((value) => value > 0).toSorted((a, b) => a - b)
  const lowest = positive[0] ?? 1
  // a stall of seconds would press all the milliseconds into one line
  if (highest > 30 * (positive[positive.length >> 1] ?? highest)) {
    const [from, to] = [Math.floor(Math.log10(lowest)), Math.ceil(Math.log10(highest))]
    const share = (value: number) => Math.max(0, (Math.log10(Math.max(value, 1e-9)) - from) / (to - from))
    return {
      share,
      ticks: Array.from({ length: to - from + 1 }, (_, index) => 10 ** (from + index)),
      isLogarithmic: true
    }
  }
  const tick = roundUp(highest / 4)
  const count = Math.max(1, Math.ceil(highest / tick - 1e-9))
  return {
    share: (value: number) => value / (tick * count),
    ticks: Array.from({ length: count + 1 }, (_, index) => index * tick),
    isLogarithmic: false
  }
}

/** A path through the values; a gap where there is none. */
const pathOf = (values: Line, x: (index: number) => number, y: (value: number) => number): string =>
  values
    .map((value, index) => {
      if (value === null) return ""
      const place = `${at(x(index))} ${at(y(value))}`
      const [before, after] = [values[index - 1] ?? null, values[index + 1] ?? null]
      // dotsOf shows what stands alone
      if (before === null) return after === null ? "" : `M${place}`
      return `L${place}`
    })
    .join("")

const dotsOf = (values: Line, x: (index: number) => number, y: (value: number) => number, line: number): string =>
  values
    .map((value, index) => {
      const isAlone = (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null
      return value === null || !isAlone
        ? ""
        : `<circle class="dot dot-${line}" cx="${at(x(index))}" cy="${at(y(value))}" r="3"/>`
    })
    .join("")

/** A line chart as SVG, which needs no script; its colours are those of the page. */
export const render = ({ atLeast = 0, format, lines, step_ms, title }: ChartOptions): string => {
  const count = Math.max(...lines.map(({ values }) => values.length), 1)
  const values = lines.flatMap(({ values }) => values.flatMap((value) => value ?? []))
  const { isLogarithmic, share, ticks } = scaleOf(values, atLeast)
  const x = (index: number) => margin.left + (count === 1 ? 0.5 : index / (count - 1)) * inner.width
  const y = (value: number) => margin.top + (1 - share(value)) * inner.height
  const horizontal = ticks.map((value) => {
    return `<line class="grid" x1="${margin.left}" x2="${width - margin.right}" y1="${at(y(value))}" y2="${at(y(value))}"/><text x="${margin.left - 8}" y="${at(y(value) + 4)}" text-anchor="end">${escape(format(value))}</text>`
  })
  const every = Math.max(1, Math.ceil((count - 1) / 6))
  const vertical = Array.from({ length: Math.floor((count - 1) / every) + 1 }, (_, index) => index * every).map(
    (index) =>
      `<text x="${at(x(index))}" y="${height - 6}" text-anchor="middle">${clock((index + (count === 1 ? 1 : 0)) * step_ms)}</text>`
  )
  const paths = lines.map(
    ({ values }, index) =>
      `<path class="line line-${index}" d="${pathOf(values, x, y)}"/>${dotsOf(values, x, y, index)}`
  )
  const legend = lines.map(({ label, values }, index) => {
    const measured = values.filter((value) => value !== null)
    const most = measured.length === 0 ? "nothing measured" : `at most ${format(Math.max(...measured))}`
    return `<li><svg class="key" viewBox="0 0 28 8" aria-hidden="true"><path class="line line-${index}" d="M0 4H28"/></svg> ${escape(label)} <span class="faint">${escape(most)}</span></li>`
  })
  const name = `${title}: ${lines.map(({ label }) => label).join(", ")} over time`
  return `<figure><figcaption>${escape(title)}${isLogarithmic ? ' <span class="faint">(logarithmic scale)</span>' : ""}</figcaption><svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(name)}">${horizontal.join("")}${vertical.join("")}${paths.join("")}</svg><ul class="legend">${legend.join("")}</ul></figure>`
}
