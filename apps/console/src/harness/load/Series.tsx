import type { LoadDetail } from "@webagent/harness-api"
import { span } from "../../ui/format.ts"
import styles from "./Series.module.css"

type TimeSeries = NonNullable<LoadDetail["series"]>
type Line = TimeSeries["requests"]

const [width, height] = [1000, 90]

/** The lines of one figure, by their names. */
interface Plot {
  readonly label: string
  readonly lines: ReadonlyArray<readonly [name: string, line: Line]>
  readonly write: (value: number) => string
}

const plotsOf = ({ dropped, errors, operations: [all], requests }: TimeSeries): ReadonlyArray<Plot> => [
  { label: "Requests per second", lines: [["requests", requests]], write: (value) => value.toFixed(0) },
  ...(all === undefined
    ? []
    : [
        {
          label: "Time for a request",
          lines: [
            ["p99", all.ms.p99],
            ["p95", all.ms.p95],
            ["p50", all.ms.p50]
          ] as const,
          write: span
        }
      ]),
  { label: "Failed requests", lines: [["failed", errors]], write: (value) => `${(value * 100).toFixed(1)} %` },
  ...(dropped.some((one) => one !== null && one > 0)
    ? [
        {
          label: "Starts that came too late",
          lines: [["dropped", dropped]] as const,
          write: (value: number) => value.toFixed(0)
        }
      ]
    : [])
]

const valuesOf = (line: Line): ReadonlyArray<number> => line.filter((value) => value !== null)

/** A path that has a gap where nothing was measured. */
const pathOf = (line: Line, top: number): string => {
  const step = width / Math.max(1, line.length - 1)
  let isOpen = false
  return line
    .map((value, index) => {
      if (value === null) {
        isOpen = false
        return ""
      }
      const at = `${(index * step).toFixed(1)} ${(height - (value / top) * height).toFixed(1)}`
      const part = `${isOpen ? "L" : "M"}${at}`
      isOpen = true
      return part
    })
    .join("")
}

const PlotView = ({ of: { label, lines, write }, seconds }: { readonly of: Plot; readonly seconds: number }) => {
  const top = Math.max(Number.MIN_VALUE, ...lines.flatMap(([, line]) => valuesOf(line)))
  const summary = lines
    .map(([name, line]) => {
      const values = valuesOf(line)
      return values.length === 0 ? `${name}: nothing measured` : `${name}: at most ${write(Math.max(...values))}`
    })
    .join(", ")
  return (
    <figure className={styles["plot"]}>
      <figcaption>
        <b>{label}</b>
        <span>{summary}</span>
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={`${label}: ${summary}`}>
        <line x1={0} x2={width} y1={height} y2={height} data-as="axis" />
        {lines.map(([name, line], index) => (
          <path key={name} data-line={index} d={pathOf(line, top)} />
        ))}
      </svg>
      <div className={styles["ends"]} aria-hidden>
        <span>0 s</span>
        <span>{span(seconds * 1000)}</span>
      </div>
    </figure>
  )
}

/** A load test over time. */
export const Series = ({ of: series }: { readonly of: TimeSeries }) => (
  <div className={styles["plots"]}>
    {plotsOf(series).map((plot) => (
      <PlotView key={plot.label} of={plot} seconds={(series.requests.length * series.step_ms) / 1000} />
    ))}
  </div>
)
