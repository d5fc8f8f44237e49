import { usage, usageOf } from "@webagent/cli/UserError"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"
import * as Metrics from "./Metrics.ts"
import { parse } from "./ThresholdExpression.ts"

const Expression = Schema.String.check(
  Schema.makeFilter(
    (text) =>
      parse(text) !== undefined || `expected a limit such as "p(95)<200", "rate<0.01" or "count==0", got "${text}"`
  )
)

/** Limits by k6 metric, such as `{ "time_to_terminal": ["p(95)<3000"] }`; they take the place of the script's for that metric. */
export const ThresholdFile = Schema.Record(Schema.String, Schema.Array(Expression))
export type ThresholdFile = typeof ThresholdFile.Type

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(ThresholdFile))

/** The metric of a name with tags: `http_req_duration{name:v4.getRun}`. */
const metricOf = (name: string): string => name.replace(/\{.*\}$/u, "")

/** Returns the problem with limits that can be read: an unknown metric, or a statistic that it doesn't have. */
const problemIn = (
  limits: ThresholdFile,
  closest: (name: string, names: ReadonlyArray<string>) => string | undefined
): string | undefined => {
  for (const [name, expressions] of Object.entries(limits)) {
    const metric = metricOf(name)
    const type = Object.hasOwn(Metrics.all, metric) ? Metrics.all[metric] : undefined
    if (type === undefined) {
      const names = Object.keys(Metrics.all)
      const meant = closest(metric, names)
      return `unknown metric "${metric}". ${meant === undefined ? `Known metrics: ${names.join(", ")}` : `Did you mean ${meant}?`}`
    }
    for (const expression of expressions) {
      const { statistic = "" } = parse(expression) ?? {}
      const statistics = Metrics.statisticsOf(type)
      if (statistics.includes(statistic.replace(/^p\(.+\)$/u, "p(N)"))) continue
      return `${metric} is a ${type}, so "${expression}" must begin with ${statistics.join(", ")}`
    }
  }
  return undefined
}

/**
 * Reads the limits in a file, or in a text of JSON, and checks that load tests have their metrics.
 *
 * @param argument - The path of a file, or JSON such as `{"time_to_terminal": ["p(95)<3000"]}`. Times are in
 *   milliseconds.
 * @param closest - Finds the name that was probably meant, for the error.
 * @returns The limits by metric.
 * @throws `UserError` if the file can't be read, or a metric or a limit is unknown.
 * @example
 * ```ts
 * import { read } from "@webagent/load/ThresholdFile"
 *
 * export const limits = read('{"http_req_failed": ["rate<0.01"]}', (name, names) =>
 *   names.find((known) => known.startsWith(name.slice(0, 4)))
 * )
 * ```
 */
export const read = Effect.fnUntraced(function* (
  argument: string,
  closest: (name: string, names: ReadonlyArray<string>) => string | undefined
) {
  const fs = yield* FileSystem.FileSystem
  const isText = argument.startsWith("{")
  const text = isText
    ? argument
    : yield* Effect.mapError(fs.readFileString(argument), usageOf("Cannot read the thresholds"))
  const name = isText ? "thresholds" : argument
  const limits = yield* Effect.mapError(decode(text), ({ message }) => usage(`${name}: ${message}`))
  const problem = problemIn(limits, closest)
  if (problem !== undefined) return yield* usage(`${name}: ${problem.replace(/[^?]$/u, "$&.")}`)
  return limits
})
