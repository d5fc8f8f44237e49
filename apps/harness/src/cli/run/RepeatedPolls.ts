import { counted, duration } from "@webagent/cli/Text"
import type { Seen } from "../../observe/Seen.ts"

const decoder = new TextDecoder()

/** Says each exchange by its line, and what repeats the one before it only once, with how often and how long. */
export interface RepeatedPolls {
  /** `trial` is whose it is: anything that is the same for all of a trial. */
  readonly add: (seen: Seen, trial: unknown, line: () => string) => void
  /** Says what is held back. */
  readonly flush: () => void
}

const isSame = (one: Seen, other: Seen): boolean =>
  one.request.method === "GET" &&
  one.request.method === other.request.method &&
  one.request.url === other.request.url &&
  one.status === other.status &&
  one.failure === other.failure &&
  decoder.decode(one.body?.start) === decoder.decode(other.body?.start)

/** Folds reads with the same response in a row; `say` takes a line. */
export const make = (say: (line: string) => void): RepeatedPolls => {
  let first: { readonly seen: Seen; readonly trial: unknown } | undefined
  let repeats = 0
  let until_ms = 0
  const flush = () => {
    if (first !== undefined && repeats > 0) {
      say(`         the same ${counted(repeats, "more time")} in ${duration(until_ms - first.seen.at_ms)}`)
    }
    first = undefined
    repeats = 0
  }
  return {
    flush,
    add: (seen, trial, line) => {
      if (first !== undefined && first.trial === trial && isSame(first.seen, seen)) {
        repeats++
        until_ms = seen.endedAt_ms ?? seen.at_ms
        return
      }
      flush()
      first = { seen, trial }
      say(line())
    }
  }
}
