import { isAbsolute, relative } from "node:path"
import { fileURLToPath } from "node:url"

/** A warning or an error in k6's log, and how often it came. */
export interface LogMessage {
  readonly text: string
  readonly times: number
}

/** Collects the warnings and errors of a k6; equal ones count as one. */
export interface K6Log {
  /**
   * Adds a line of k6's log. Lines that are neither a warning nor an error are ignored.
   *
   * @param line - The line, as k6 writes it to standard error.
   * @returns Nothing.
   * @example
   * ```ts
   * import * as K6Log from "@webagent/load/K6Log"
   *
   * const log = K6Log.make()
   * log.take('time="2026-11-30T01:00:00Z" level=error msg="Request Failed" error="connection refused"')
   * console.log(log.messages()[0]?.text) // Request Failed: connection refused
   * ```
   */
  readonly take: (line: string) => void
  /**
   * Returns the warnings and errors, each text once.
   *
   * @returns Up to 100 messages with their counts, in the order in which they first came.
   * @example
   * ```ts
   * import * as K6Log from "@webagent/load/K6Log"
   *
   * export const summarize = (stderr: ReadonlyArray<string>) => {
   *   const log = K6Log.make()
   *   for (const line of stderr) log.take(line)
   *   return K6Log.lines(log.messages())
   * }
   * ```
   */
  readonly messages: () => ReadonlyArray<LogMessage>
}

// the report says so itself, or it does not matter here
const expected = /^thresholds on metrics|report generation was skipped|^test run was aborted/u

const field = (line: string, name: string): string | undefined => {
  const quoted = new RegExp(` ${name}=("(?:[^"\\\\]|\\\\.)*")`, "u").exec(line)?.[1]
  if (quoted === undefined) return new RegExp(` ${name}=(\\S+)`, "u").exec(line)?.[1]
  try {
    return String(JSON.parse(quoted))
  } catch {
    return quoted
  }
}

/** Returns the location of an error, from the first line of its stack: `load/flows/queue.ts:21`. */
const placeIn = (stack: string): string | undefined => {
  const [, url = "", line] = /\((file:\S+?):(\d+):\d+\(/u.exec(stack) ?? []
  if (!URL.canParse(url)) return undefined
  const path = fileURLToPath(url)
  const near = relative(process.cwd(), path)
  return `${near.startsWith("..") || isAbsolute(near) ? path : near}:${line}`
}

/** Ids and connections do not make a message another one. */
const alike = (text: string): string =>
  text
    .replaceAll(/(\/(?:runs|sessions|browsers)\/)[^/"?\s]+/gu, "$1…")
    .replaceAll(/\b(read|write) tcp \S+->/gu, "$1 tcp ")

/**
 * Reads the warning or error in a line of k6's log, its cause, and its location in the script.
 *
 * @param log - One line of the log.
 * @returns The text, or undefined for any other line.
 * @example
 * ```ts
 * import { textOf } from "@webagent/load/K6Log"
 *
 * console.log(textOf('level=info msg="Test finished"') ?? "not a problem") // not a problem
 * ```
 */
export const textOf = (log: string): string | undefined => {
  if (!/ level=(?:warning|error) /u.test(log)) return undefined
  const message = field(log, "msg")
  if (message === undefined || expected.test(message)) return undefined
  const [first = "", ...stack] = message.split("\n")
  const why = field(log, "error")
  const place = placeIn(stack.join("\n"))
  return alike(`${first}${why === undefined ? "" : `: ${why}`}${place === undefined ? "" : ` (${place})`}`)
}

// a test of hours may log messages with ids in them
const most = 100

/**
 * Makes an empty log.
 *
 * @returns The log, to which lines are added.
 * @example
 * ```ts
 * import { make } from "@webagent/load/K6Log"
 * import { createInterface } from "node:readline"
 * import type { Readable } from "node:stream"
 *
 * export const problems = async (stderr: Readable) => {
 *   const log = make()
 *   for await (const line of createInterface({ input: stderr })) log.take(line)
 *   return log.messages()
 * }
 * ```
 */
export const make = (): K6Log => {
  const counts = new Map<string, number>()
  return {
    take: (line) => {
      const text = textOf(line)
      if (text === undefined || (counts.size === most && !counts.has(text))) return
      counts.set(text, (counts.get(text) ?? 0) + 1)
    },
    messages: () => [...counts].map(([text, times]) => ({ text, times }))
  }
}

/**
 * Merges the messages of several k6 processes.
 *
 * @param messages - The messages of all processes.
 * @returns Each message once, with the sum of its counts.
 * @example
 * ```ts
 * import { together } from "@webagent/load/K6Log"
 *
 * const text = "Request Failed: connection refused"
 * console.log(together([{ text, times: 3 }, { text, times: 1 }])[0]?.times) // 4
 * ```
 */
export const together = (messages: ReadonlyArray<LogMessage>): ReadonlyArray<LogMessage> =>
  [...Map.groupBy(messages, ({ text }) => text)].map(([text, same]) => ({
    text,
    times: same.reduce((sum, { times }) => sum + times, 0)
  }))

/**
 * Formats the first three messages and the number of the others.
 *
 * @param messages - The messages with their counts.
 * @returns The lines to print.
 * @example
 * ```ts
 * import { lines } from "@webagent/load/K6Log"
 *
 * console.log(lines([{ text: "Request Failed", times: 3 }])) // ["k6       Request Failed (3 times)"]
 * ```
 */
export const lines = (messages: ReadonlyArray<LogMessage>): ReadonlyArray<string> => {
  const shown = messages
    .slice(0, 3)
    .map(({ text, times }) => `k6       ${text}${times === 1 ? "" : ` (${times} times)`}`)
  const others = messages.length - shown.length
  return others > 0 ? [...shown, `k6       ${others} more messages`] : shown
}
