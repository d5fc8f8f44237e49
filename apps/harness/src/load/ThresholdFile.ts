import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"
import { usage } from "@webagent/report/UserError"
import { describePlatformError } from "@webagent/report/PlatformErrorText"

const expression =
  /^\s*(?:p\(\d+(?:\.\d+)?\)|avg|min|med|max|rate|count|value)\s*(?:[<>]=?|={2,3}|!=)\s*-?\d+(?:\.\d+)?\s*$/u

const Expression = Schema.String.check(
  Schema.makeFilter(
    (text) => expression.test(text) || `expected a limit such as "p(95)<200", "rate<0.01" or "count==0", got "${text}"`
  )
)

/** Limits by k6 metric, such as `{ "time_to_terminal": ["p(95)<3000"] }`; they take the place of the script's for that metric. */
export const ThresholdFile = Schema.Record(Schema.String, Schema.Array(Expression))
export type ThresholdFile = typeof ThresholdFile.Type

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(ThresholdFile))

/** Reads the limits in a file; what is wrong with it is a UserError that names the field. */
export const read = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const text = yield* Effect.mapError(fs.readFileString(path), (error) =>
    usage(`--thresholds: ${describePlatformError(error)}.`)
  )
  return yield* Effect.mapError(decode(text), ({ message }) => usage(`--thresholds: ${path}: ${message}`))
})
