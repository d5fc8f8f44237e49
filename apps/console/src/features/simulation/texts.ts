import { Fault, FaultPlan, type FaultRule, type JournalEntry, type TimeMode } from "@webagent/control"
import * as Schema from "effect/Schema"
import { statusText } from "../../state/statuses.ts"
import { count, span } from "../../ui/format.ts"

/** The pace of service time as words. */
export const paceOf = (time: TimeMode): string => {
  if (time.mode === "scaled") return `${count(time.factor)} times as fast`
  return time.mode === "real" ? "real time" : "stands still until you advance it"
}

const encodeRules = Schema.encodeSync(FaultPlan)

type Fields = Readonly<Record<string, unknown>>

const joined = (value: unknown): string => (Array.isArray(value) ? value.join(", ") : String(value))

/** The effect of a fault in words, such as `hang, for 30 seconds, before-apply`. */
export const faultText = (rule: FaultRule): string => {
  const [encoded] = encodeRules([rule])
  const { kind, ...fields } = (encoded?.fault ?? {}) as Fields
  const parts = Object.entries(fields).map(([name, value]) =>
    name === "placement" ? String(value) : `${name} ${joined(value)}`
  )
  // its status says more than its kind
  return (kind === "status" && "status" in fields ? parts : [kind, ...parts]).join(", ")
}

/** The conditions of a rule in words, in the order in which a sentence has them. */
const conditions: Readonly<Record<string, (value: unknown) => string>> = {
  operations: (value) => `of ${joined(value)}`,
  resource: (value) => `of resource ${joined(value)}`,
  attempts: (value) => `attempt ${joined(value)}`,
  nth: (value) => `matching request ${joined(value)}`,
  from: (value) => `from ${joined(value)} on`,
  until: (value) => `until ${joined(value)}`
}

/** The condition of a rule in words, such as `5 % of requests, of v4.createRun`. */
export const conditionText = (rule: FaultRule): string => {
  const [encoded] = encodeRules([rule])
  const when = (encoded?.when ?? {}) as Fields
  const { rate } = when
  const isPicked = "attempts" in when || "nth" in when
  const first =
    rate === undefined
      ? isPicked
        ? "requests"
        : "every request"
      : `${Number((Number(rate) * 100).toFixed(4))} % of requests`
  const others = Object.entries(conditions).flatMap(([name, write]) => (name in when ? [write(when[name])] : []))
  return [first, ...others].join(", ").replace(", of", " of")
}

/** The kinds of faults, and the fields of each. */
export const faultFields: Readonly<Record<string, ReadonlyArray<string>>> = Object.fromEntries(
  Fault.members.map(({ fields }) => [fields.kind.literal, Object.keys(fields).filter((name) => name !== "kind")])
)

/** The records that change, by their names in the journal. */
const movers = { session: "session", turn: "run", browser: "browser" } as const

/** A row of the journal as a sentence. */
export const entryText = (entry: JournalEntry): string => {
  switch (entry.type) {
    case "request":
      return `${entry.method} ${entry.path}`
    case "fault":
      return `${entry.kind} by ${entry.rule} on ${entry.operation}`
    case "move":
      return `${movers[entry.of]} ${entry.id}: ${entry.from === null ? "new:" : `${statusText(entry.from)} to`} ${statusText(entry.to)}`
    case "connection":
      return `browser ${entry.browserId}: ${entry.event}`
    case "control":
      return entry.detail === null ? entry.action : `${entry.action}: ${entry.detail}`
  }
}

const received = { whole: "", part: "cut off", none: "no response", left: "client left" } as const

/** The outcome of a request, such as `404` or `no response`. */
export const outcomeText = (entry: JournalEntry): string => {
  if (entry.type !== "request") return ""
  return [entry.status ?? "", received[entry.answered], entry.fault === null ? "" : `fault ${entry.fault}`]
    .filter((part) => part !== "")
    .join(", ")
}

/** The duration of a request. */
export const tookText = (entry: JournalEntry): string => (entry.type === "request" ? span(entry.duration_ms) : "")

/** The resource of a row: the id to filter by. */
export const resourceOf = (entry: JournalEntry): string | null => {
  switch (entry.type) {
    case "request":
      return entry.resource ?? entry.made
    case "fault":
      return entry.resource
    case "move":
      return entry.id
    case "connection":
      return entry.browserId
    case "control":
      return null
  }
}

/** Checks of the state: a finding is a run or browser that is open now, and a fault only if it stays after a test. */
const ofState: ReadonlySet<string> = new Set(["runs-left-running", "browsers-left-open"])

/** Checks whose findings may be intended: someone who tries the service with curl often reads no result. */
const notes: ReadonlySet<string> = new Set(["results-never-fetched"])

/** The state of a check as a word: `open now` for resources that may still be closed, `note` if it may be intended. */
export const checkStatus = ({ holds, oracle }: { readonly holds: boolean; readonly oracle: string }) =>
  holds ? "passed" : ofState.has(oracle) ? "open now" : notes.has(oracle) ? "note" : "failed"
