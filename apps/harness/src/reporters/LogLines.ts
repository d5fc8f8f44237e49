import * as Formatter from "effect/Formatter"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { format } from "node:util"

/** What was logged and not shown yet, oldest first. */
export type LogLines = Array<string>

const textOf = (message: unknown): string =>
  (Array.isArray(message) ? message : [message])
    .map((part: unknown) => (typeof part === "string" ? part : Formatter.format(part)))
    .join(" ")

const methods = ["debug", "error", "info", "log", "warn"] as const

/** Keeps what `effect` prints with `console`. */
const keepConsole = <A, E, R>(lines: LogLines, effect: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const { debug, error, info, log, warn } = console
      for (const method of methods) {
        console[method] = (...parts: ReadonlyArray<unknown>) => {
          for (const line of format(...parts).split("\n")) lines.push(`  ${method}  ${line}`)
        }
      }
      return { debug, error, info, log, warn }
    }),
    () => effect,
    (former) => Effect.sync(() => Object.assign(console, former))
  )

/**
 * Keeps what `effect` logs, and prints with `console`, for the one who draws the terminal: a line written beside it would
 * be drawn over.
 */
export const keptIn =
  (lines: LogLines) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(
      keepConsole(lines, effect),
      Logger.CurrentLoggers,
      new Set([
        Logger.make(({ cause, logLevel, message }) => {
          const why = cause.reasons.length === 0 ? "" : `: ${Cause.pretty(cause)}`
          lines.push(`  ${logLevel.toLowerCase()}  ${textOf(message)}${why}`)
        })
      ])
    )
