import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type * as LogLevelName from "effect/LogLevel"
import * as References from "effect/References"
import { ClientConfigError } from "../ClientConfig.ts"
import type { LogLevel, WebAgentOptions } from "./Options.ts"

/** Returns the message of a logged value. */
export const textOf = (part: unknown): string => {
  if (Cause.isCause(part)) return textOf(Cause.squash(part))
  return part instanceof Error ? part.message : String(part)
}

const levels = { debug: "Debug", info: "Info", warn: "Warn", error: "Error", off: "None" } as const

const levelOf = (name: LogLevelName.LogLevel): LogLevel =>
  name === "Fatal" ? "error" : ((["info", "warn", "error"] as const).find((level) => levels[level] === name) ?? "debug")

/** From which level on the log is written: WEBAGENT_LOG says it, else all for a function and warnings for the console. */
const minimumOf = (log: WebAgentOptions["log"]): LogLevelName.LogLevel => {
  const chosen = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.[
    "WEBAGENT_LOG"
  ]
  if (chosen === undefined || chosen === "") return log === undefined ? "Warn" : "Debug"
  const name = chosen.toLowerCase()
  if (Object.hasOwn(levels, name)) return levels[name as keyof typeof levels]
  throw new ClientConfigError({
    message: `WEBAGENT_LOG must be one of ${Object.keys(levels).join(", ")}; got ${JSON.stringify(chosen)}.`
  })
}
/** Sends the log of a client to its `log` option, or warnings to the console. */
export const layerLog = (log: WebAgentOptions["log"]) => {
  const write = log ?? ((_: LogLevel, message: string) => console.warn(message))
  let hasFailed = false
  // a log that throws, at once or later, ends neither a call nor the process
  const complain = (error: unknown) => {
    if (!hasFailed) console.warn(`log has failed: ${textOf(error)}`)
    hasFailed = true
  }
  const logger = Logger.make<unknown, void>(({ cause, logLevel, message }) => {
    const parts = [...(Array.isArray(message) ? message : [message]), ...(cause.reasons.length === 0 ? [] : [cause])]
    const line = parts.map(textOf).join(": ")
    new Promise<void>((resolve) => resolve(write(levelOf(logLevel), line))).catch(complain)
  })
  return Layer.succeedContext(
    Context.make(Logger.CurrentLoggers, new Set([logger])).pipe(Context.add(References.MinimumLogLevel, minimumOf(log)))
  )
}
