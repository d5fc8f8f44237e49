import type { OpenItem } from "@webagent/core"
import { type Style } from "@webagent/report/Style"
import { counted } from "@webagent/report/Text"
import { type Finding, isStoppable } from "./Reaper.ts"

/** Whether something of it may go on, and cost. */
export const isLeft = ({ _tag }: Finding): boolean => _tag === "Open" || _tag === "Unlearnt" || _tag === "Elsewhere"

const ago = (item: OpenItem, now_ms: number): string => {
  const minutes = Math.max(0, Math.floor((now_ms - item.at_ms) / 60_000))
  if (minutes < 60) return `${minutes} min ago`
  return minutes < 2880 ? `${Math.floor(minutes / 60)} h ago` : `${Math.floor(minutes / 1440)} days ago`
}

const opened = (item: OpenItem, now_ms: number): string =>
  `opened ${ago(item, now_ms)}${item.owner === undefined ? "" : ` by ${item.owner}`}`

const nameOf = (item: OpenItem): string => `${item.kind.padEnd(7)}  ${item.id ?? item.key}`

/** What happened to one item, in a line. */
export const line = (finding: Finding, now_ms: number, style: Style): string => {
  const { item } = finding
  const when = opened(item, now_ms)
  switch (finding._tag) {
    case "Stopped":
      return `  ${style.good("stopped")}  ${nameOf(item)}  ${when}`
    case "Over":
      return `  ${style.good("over   ")}  ${nameOf(item)}  ${when}: ${finding.status}`
    case "InUse":
      return `  ${style.faint("in use ")}  ${nameOf(item)}  ${when}: ${finding.why}`
    case "Open": {
      const cannot = isStoppable(item) ? "" : "; the service describes no way to end it"
      return `  ${style.bad("open   ")}  ${nameOf(item)}  ${when}: ${finding.why}${cannot}`
    }
    case "Elsewhere":
      return `  ${style.bad("open   ")}  ${nameOf(item)}  ${when}: at another service, ${item.origin}`
    case "Unlearnt": {
      const why = item.reason === undefined ? "no answer is in the ledger" : item.reason
      return `  ${style.bad("unknown")}  ${nameOf(item)}  ${when}: ${item.method} ${item.path}, request ${item.requestId}, ${why}`
    }
  }
}

/** The same for an item that would be attended to. */
export const plannedLine = (item: OpenItem, now_ms: number): string =>
  `  ${isStoppable(item) ? "to stop" : "to read"}  ${nameOf(item)}  ${opened(item, now_ms)}`

const part = (count: number, noun: string, what: string) => (count === 0 ? [] : [`${counted(count, noun)} ${what}`])

/** All of it in one line. */
export const summary = (findings: ReadonlyArray<Finding>): string => {
  const count = (choose: (finding: Finding) => boolean) => findings.filter(choose).length
  const open = (kind: string) =>
    count(({ _tag, item }) => (_tag === "Open" || _tag === "Elsewhere") && item.kind === kind)
  const known = new Set(["browser", "run", "session"])
  const parts = [
    ...part(
      count(({ _tag }) => _tag === "Stopped"),
      "browser",
      "stopped"
    ),
    ...part(
      count(({ _tag }) => _tag === "Over"),
      "item",
      "over by itself"
    ),
    ...part(open("browser"), "browser", "not stopped"),
    ...part(open("run"), "run", "may go on, and cost"),
    ...part(open("session"), "session", "may go on, and cost"),
    ...part(
      count((finding) => isLeft(finding) && finding._tag !== "Unlearnt" && !known.has(finding.item.kind)),
      "item",
      "of another kind"
    ),
    ...part(
      count(({ _tag }) => _tag === "Unlearnt"),
      "create",
      "of unknown outcome"
    ),
    ...part(
      count(({ _tag }) => _tag === "InUse"),
      "item",
      "in use"
    )
  ]
  return parts.length === 0 ? "nothing is open" : parts.join(" · ")
}
