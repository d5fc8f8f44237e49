import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { cut, duration, number, percent } from "@webagent/cli/Text"
import { quantile } from "@webagent/statistics/Quantile"
import type { Points } from "./Points.ts"

const clock = (seconds: number) =>
  `${String(Math.floor(seconds / 60)).padStart(2, "0")}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`

/** Returns the progress of a load test: ` t 00:41/01:00`. Work that began in its time may take longer. */
export const line = (elapsed_s: number, total_s: number): string =>
  `  t ${clock(Math.min(elapsed_s, total_s))}/${clock(total_s)}${elapsed_s < total_s ? "" : "   waiting for started work"}`

// older points say nothing about the moment
const recent_ms = 10_000

const recent = (points: Points, metric: string, isWanted: (name: string) => boolean = () => true) => {
  const since_ms = points.last_ms() - recent_ms
  return points
    .select(metric)
    .filter(({ tags }) => isWanted(tags.name))
    .flatMap(({ length, times, values }) => {
      // points come in about the order of their times
      let from = length
      while (from > 0 && (times[from - 1] ?? 0) >= since_ms) from--
      return Array.from(values.subarray(from, length))
    })
}

/**
 * The measurements so far: requests in all and a second, 95th percentiles, starts that k6 could not make, failed
 * requests; rates and percentiles are those of the last ten seconds. Empty before the first point.
 */
export const measurements = (points: Points): string => {
  const sent = points.sum("http_reqs")
  if (sent === 0) return ""
  const times: ReadonlyArray<readonly [label: string, times: ReadonlyArray<number>]> = [
    ["create", recent(points, "http_req_duration", (name) => name.endsWith("createRun"))],
    ["status", recent(points, "http_req_duration", (name) => name.endsWith("getRunStatus"))],
    ["to terminal", recent(points, "time_to_terminal")]
  ]
  const measured = times.filter(([, values]) => values.length > 0)
  const all = measured.length > 0 ? measured : ([["", recent(points, "http_req_duration")]] as const)
  const p95 = all.map(([label, values]) =>
    `${label} ${duration(quantile(Float64Array.from(values).toSorted(), 0.95))}`.trim()
  )
  const window_s = Math.max(1, Math.min(recent_ms, points.last_ms()) / 1000)
  const perSecond = recent(points, "http_reqs").length / window_s
  return [
    `requests ${number(sent)}`,
    `${number(perSecond, 0)}/s`,
    `p95 ${p95.join("  ")}`,
    `dropped ${number(points.sum("dropped_iterations"))}`,
    `errors ${percent(points.sum("http_req_failed") / sent)}`
  ].join("   ")
}

/** Destination of the progress. */
export interface Output {
  /** A terminal, whose line is drawn again and again. */
  readonly live: boolean
  readonly columns?: number
  readonly write: (text: string) => Effect.Effect<void>
  /** Label before the time: `pair 3/7 A`. */
  readonly label?: string
}

/** A load that runs. */
interface Running {
  /** Start of the load, in ms since 1970; undefined while k6 creates its users and runs its setup. */
  readonly begun_ms: () => number | undefined
  readonly measured: () => string
}

/**
 * Shows the time and the measurements, every second in one line of a terminal, else every ten seconds in a line of its own.
 * Never ends.
 */
export const show = Effect.fnUntraced(function* (
  duration_ms: number,
  { begun_ms, measured }: Running,
  { columns = 1000, label, live, write }: Output
) {
  const draw = Effect.flatMap(Clock.currentTimeMillis, (now_ms) => {
    const start_ms = begun_ms()
    const time = start_ms === undefined ? "  starting" : line(Math.max(0, now_ms - start_ms) / 1000, duration_ms / 1000)
    const parts = [label === undefined ? "" : `  ${label}`, time, measured()]
    const text = parts.filter((part) => part !== "").join("   ")
    return write(live ? `\r\u001B[2K${cut(text, columns - 1)}` : `${text}\n`)
  })
  if (live) yield* Effect.addFinalizer(() => write("\r\u001B[2K"))
  const pause = Effect.sleep(live ? "1 second" : "10 seconds")
  return yield* Effect.forever(live ? Effect.andThen(draw, pause) : Effect.andThen(pause, draw))
}, Effect.scoped)
