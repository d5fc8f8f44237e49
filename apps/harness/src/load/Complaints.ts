import { isAbsolute, relative } from "node:path"
import { fileURLToPath } from "node:url"

/** What k6 complained of while it ran, and how often. */
export interface Complaint {
  readonly text: string
  readonly times: number
}

/** A place for k6's complaints; the same one twice is one. */
export interface Complaints {
  /** Takes a line of k6's log. */
  readonly take: (line: string) => void
  readonly all: () => ReadonlyArray<Complaint>
}

// the report says so itself, or nobody has asked for it
const known = /^thresholds on metrics|report generation was skipped|^test run was aborted/u

const field = (line: string, name: string): string | undefined => {
  const quoted = new RegExp(` ${name}=("(?:[^"\\\\]|\\\\.)*")`, "u").exec(line)?.[1]
  if (quoted === undefined) return new RegExp(` ${name}=(\\S+)`, "u").exec(line)?.[1]
  try {
    return String(JSON.parse(quoted))
  } catch {
    return quoted
  }
}

/** Where an error was thrown, from the first line of its stack: `load/flows/queue.ts:21`. */
const placeIn = (stack: string): string | undefined => {
  const [, url = "", line] = /\((file:\S+?):(\d+):\d+\(/u.exec(stack) ?? []
  if (!URL.canParse(url)) return undefined
  const path = fileURLToPath(url)
  const near = relative(process.cwd(), path)
  return `${near.startsWith("..") || isAbsolute(near) ? path : near}:${line}`
}

/** The same complaint of another run, or over another connection, is the same. */
const alike = (text: string): string =>
  text
    .replaceAll(/(\/(?:runs|sessions|browsers)\/)[^/"?\s]+/gu, "$1…")
    .replaceAll(/\b(read|write) tcp \S+->/gu, "$1 tcp ")

/** What a line of k6's log complains of, why, and where in the script; undefined for any other line. */
export const textOf = (log: string): string | undefined => {
  if (!/ level=(?:warning|error) /u.test(log)) return undefined
  const message = field(log, "msg")
  if (message === undefined || known.test(message)) return undefined
  const [first = "", ...stack] = message.split("\n")
  const why = field(log, "error")
  const place = placeIn(stack.join("\n"))
  return alike(`${first}${why === undefined ? "" : `: ${why}`}${place === undefined ? "" : ` (${place})`}`)
}

// of a test that goes on for hours, with ids in what it says
const most = 100

/** An empty place. */
export const make = (): Complaints => {
  const counts = new Map<string, number>()
  return {
    take: (line) => {
      const text = textOf(line)
      if (text === undefined || (counts.size === most && !counts.has(text))) return
      counts.set(text, (counts.get(text) ?? 0) + 1)
    },
    all: () => [...counts].map(([text, times]) => ({ text, times }))
  }
}

/** What several k6 complained of. */
export const together = (complaints: ReadonlyArray<Complaint>): ReadonlyArray<Complaint> =>
  [...Map.groupBy(complaints, ({ text }) => text)].map(([text, same]) => ({
    text,
    times: same.reduce((sum, { times }) => sum + times, 0)
  }))

/** As many as a person reads, with how many more there are. */
export const lines = (complaints: ReadonlyArray<Complaint>): ReadonlyArray<string> => {
  const shown = complaints
    .slice(0, 3)
    .map(({ text, times }) => `k6       ${text}${times === 1 ? "" : `, ${times} times`}`)
  const others = complaints.length - shown.length
  return others > 0 ? [...shown, `k6       and ${others} more`] : shown
}
