import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { cut } from "@webagent/report/Text"
import { quantile } from "@webagent/statistics/Quantile"
import type { Points } from "./Points.ts"

const clock = (seconds: number) =>
  `${String(Math.floor(seconds / 60)).padStart(2, "0")}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`

/** How far a load test is: `  t 00:41/01:00`. What was begun in its time may take longer. */
export const line = (elapsed_s: number, total_s: number): string =>
  `  t ${clock(Math.min(elapsed_s, total_s))}/${clock(total_s)}${elapsed_s < total_s ? "" : "   waiting for what has begun"}`

const time = (value_ms: number) => {
  if (value_ms < 10) return `${value_ms.toFixed(1)} ms`
  return value_ms < 1000 ? `${Math.round(value_ms)} ms` : `${(value_ms / 1000).toFixed(2)} s`
}

// what is too old says nothing about now
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
 * What has been measured so far: requests in all and a second, 95th percentiles, starts that k6 could not make, failed
 * requests; a second and percentiles are those of the last ten seconds. Empty before the first point.
 */
export const facts = (points: Points): string => {
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
    `${label} ${time(quantile(Float64Array.from(values).toSorted(), 0.95))}`.trim()
  )
  const window_s = Math.max(1, Math.min(recent_ms, points.last_ms()) / 1000)
  const perSecond = recent(points, "http_reqs").length / window_s
  return [
    `sent ${sent.toLocaleString("en-US")}`,
    `${Math.round(perSecond).toLocaleString("en-US")}/s`,
    `p95 ${p95.join("  ")}`,
    `dropped ${points.sum("dropped_iterations").toLocaleString("en-US")}`,
    `errors ${((100 * points.sum("http_req_failed")) / sent).toFixed(1)} %`
  ].join("   ")
}

/**
 * Shows the time and what has been measured, every second in one line of a terminal, else every ten seconds in a line of
 * its own. `begun_ms` is when the load began, once that is known: k6 makes its users and runs its setup first. Never ends.
 */
export const show = Effect.fnUntraced(function* (
  duration: Duration.Duration,
  output: {
    readonly live: boolean
    readonly columns?: number
    readonly write: (text: string) => Effect.Effect<void>
  },
  { begun_ms, measured }: { readonly begun_ms: () => number | undefined; readonly measured: () => string }
) {
  const draw = Effect.flatMap(Clock.currentTimeMillis, (now_ms) => {
    const start_ms = begun_ms()
    const time =
      start_ms === undefined
        ? "  getting ready"
        : line(Math.max(0, now_ms - start_ms) / 1000, Duration.toSeconds(duration))
    const parts = [time, measured()]
    const text = parts.filter((part) => part !== "").join("   ")
    return output.write(output.live ? `\r\u001B[2K${cut(text, (output.columns ?? 1000) - 1)}` : `${text}\n`)
  })
  if (output.live) yield* Effect.addFinalizer(() => output.write("\r\u001B[2K"))
  const pause = Effect.sleep(output.live ? "1 second" : "10 seconds")
  return yield* Effect.forever(output.live ? Effect.andThen(draw, pause) : Effect.andThen(pause, draw))
}, Effect.scoped)
