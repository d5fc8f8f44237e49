import type { OpenItem } from "@webagent/core"
import { type Style } from "@webagent/cli/Style"
import { counted } from "@webagent/cli/Text"
import type { Leftover } from "./Leftover.ts"
import { isStoppable } from "./Reaper.ts"

/** True if it may continue running and cost money. */
export const isOpen = ({ state }: Leftover): boolean => state === "open" || state === "unknown"

const ago = (item: OpenItem, now_ms: number): string => {
  const minutes = Math.max(0, Math.floor((now_ms - item.at_ms) / 60_000))
  if (minutes < 60) return `${minutes} min ago`
  return minutes < 2880 ? `${Math.floor(minutes / 60)} h ago` : `${Math.floor(minutes / 1440)} days ago`
}

const mark = { left: "strong", stopped: "good", over: "good", open: "bad", unknown: "bad", "in use": "faint" } as const

/** Describes what happened to a leftover, or what would happen, in one line. */
export const line = ({ item, state, why }: Leftover, now_ms: number, style: Style): string => {
  const { id, key, kind, method, owner, path, requestId } = item
  const word = state === "left" ? (isStoppable(item) ? "to stop" : "to read") : state
  const request = state === "unknown" ? `${method} ${path}, request ${requestId}, ` : ""
  const detail = request + (why === "" && state === "unknown" ? "no response is in the ledger" : why)
  const opened = `opened ${ago(item, now_ms)}${owner === undefined ? "" : ` by ${owner}`}`
  return `  ${style[mark[state]](word.padEnd(7))}  ${kind.padEnd(7)}  ${id ?? key}  ${opened}${detail === "" ? "" : `: ${detail}`}`
}

const words = {
  left: "not attended to",
  stopped: "stopped",
  over: "over by itself",
  open: "may continue and cost money",
  unknown: "may exist",
  "in use": "in use"
}

/** All of them in one line. */
export const summary = (leftovers: ReadonlyArray<Leftover>): string => {
  const groups = Map.groupBy(
    leftovers.toSorted((one, other) => states.indexOf(one.state) - states.indexOf(other.state)),
    ({ item, state }) => `${item.kind} ${state}`
  )
  const parts = [...groups.values()].flatMap(([first, ...more]) =>
    first === undefined ? [] : [`${counted(1 + more.length, first.item.kind)} ${words[first.state]}`]
  )
  return parts.length === 0 ? "nothing is open" : parts.join(" · ")
}

const states = Object.keys(words)
