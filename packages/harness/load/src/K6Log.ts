import { isAbsolute, relative } from "node:path"
import { fileURLToPath } from "node:url"

/** A warning or an error in k6's log, and how often it came. */
export interface LogMessage {
  readonly text: string
  readonly times: number
}

/** Collects the warnings and errors of a k6; equal ones count as one. */
export interface K6Log {
  /** Takes a line of k6's log. */
  readonly take: (line: string) => void
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
 * The warning or error in a line of k6's log, why, and where in the script; undefined for any other line.
 *
 * @param log - One line of the log.
 * @returns The text, or undefined.
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
 * An empty log.
 *
 * @returns The log, to which lines are added.
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
 * The messages of several k6 processes together.
 *
 * @param messages - The messages of all processes.
 * @returns Each message once, with the sum of its counts.
 */
export const together = (messages: ReadonlyArray<LogMessage>): ReadonlyArray<LogMessage> =>
  [...Map.groupBy(messages, ({ text }) => text)].map(([text, same]) => ({
    text,
    times: same.reduce((sum, { times }) => sum + times, 0)
  }))

/**
 * Formats the first messages and the number of the others.
 *
 * @param messages - The messages with their counts.
 * @returns The lines to print.
 */
export const lines = (messages: ReadonlyArray<LogMessage>): ReadonlyArray<string> => {
  const shown = messages
    .slice(0, 3)
    .map(({ text, times }) => `k6       ${text}${times === 1 ? "" : ` (${times} times)`}`)
  const others = messages.length - shown.length
  return others > 0 ? [...shown, `k6       ${others} more messages`] : shown
}
