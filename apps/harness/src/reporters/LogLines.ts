import * as Formatter from "effect/Formatter"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"

/** What was logged and not shown yet, oldest first. */
export type LogLines = Array<string>

const textOf = (message: unknown): string =>
  (Array.isArray(message) ? message : [message])
    .map((part: unknown) => (typeof part === "string" ? part : Formatter.format(part)))
    .join(" ")

/** Keeps what `effect` logs for the one who draws the terminal: a line written beside it would be drawn over. */
export const keptIn =
  (lines: LogLines) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(
      effect,
      Logger.CurrentLoggers,
      new Set([
        Logger.make(({ cause, logLevel, message }) => {
          const why = cause.reasons.length === 0 ? "" : `: ${Cause.pretty(cause)}`
          lines.push(`  ${logLevel.toLowerCase()}  ${textOf(message)}${why}`)
        })
      ])
    )
