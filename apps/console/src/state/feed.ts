import type { PastEvent } from "@webagent/admin"
import * as Atom from "effect/reactivity/Atom"
import { registry } from "./react.ts"
import { statusText } from "./statuses.ts"

/** An event as the server sends it. */
interface SentEvent {
  /** Its position. */
  readonly id: string
  readonly event: string
  readonly data: unknown
}

/** An event without its record, so that a page can keep many. */
export interface FeedRow {
  /** Counts up in this page; negative for an event of the server's log. */
  readonly n: number
  /** The position of the event. */
  readonly position: string
  /** Kind of the event, such as `run`, or `gap` for a connection that was lost. */
  readonly kind: string
  /** When this page received it, or when it happened if it is from the server's log. */
  readonly at_ms: number
  /** Id of the record. */
  readonly id: string
  /** Short description of the record afterwards. */
  readonly text: string
  readonly run: string | null
  readonly key: string | null
  readonly node: string | null
}

/** Most events that a page keeps, and how many more it collects before it drops the oldest ones. */
const most = 1000
const slack = 250

/** Events that say nothing about a record. */
const silent: ReadonlySet<string> = new Set(["ping", "journal"])

/** The newest events since the page was opened, oldest first. Those before are in the server's log. */
export const feed: Atom.Writable<ReadonlyArray<FeedRow>> = Atom.make<ReadonlyArray<FeedRow>>([]).pipe(Atom.keepAlive)

/** The position before which events are in the server's log only; undefined before the first connection. */
export const feedStart: Atom.Writable<number | undefined> = Atom.make<number | undefined>(undefined).pipe(
  Atom.keepAlive
)

let last = 0

type Data = Readonly<Record<string, unknown>>

const textOf = (data: Data, ...names: ReadonlyArray<string>): string | null => {
  for (const name of names) {
    const value = data[name]
    if (typeof value === "string" && value !== "") return value.slice(0, 300)
  }
  return null
}

const describe = (kind: string, data: Data): string => {
  const status = statusText(textOf(data, "status") ?? "")
  if (kind === "run") return [status, textOf(data, "error", "title", "task")].filter(Boolean).join(": ")
  if (kind === "browser") {
    const driver = textOf(data, "driver")
    const state = driver === null ? status : `${status}, driven by ${driver}`
    return [state, textOf(data, "title", "address")].filter(Boolean).join(": ")
  }
  if (kind === "step") return `${String(data["number"])}. ${textOf(data, "failure", "summary", "title") ?? ""}`
  if (kind === "modelCall") return `${String(data["number"])}. ${textOf(data, "failure", "model") ?? ""}`
  return status
}

/** Shortens an event to a row. */
export const rowOf = ({ data: sent, event: kind, id: position }: SentEvent, at_ms: number): FeedRow => {
  const data: Data = typeof sent === "object" && sent !== null ? (sent as Data) : {}
  return {
    n: ++last,
    position,
    kind,
    at_ms,
    id: textOf(data, "id", "runId", "browserId") ?? "",
    text: describe(kind, data),
    run: kind === "run" ? textOf(data, "id") : textOf(data, "runId"),
    key: textOf(data, "owner"),
    node: textOf(data, "node")
  }
}

/** Events up to this position are in the log only. */
const startAfter = (position: string): void => {
  const end = Number(position)
  if (Number.isSafeInteger(end)) registry.set(feedStart, end + 1)
}

const add = (rows: ReadonlyArray<FeedRow>): void => {
  const all = [...registry.get(feed), ...rows]
  const dropped =
    all.length > most + slack ? all.slice(0, -most).findLast(({ position }) => position !== "") : undefined
  if (dropped === undefined) return registry.set(feed, all)
  startAfter(dropped.position)
  // events of one moment have the same position
  return registry.set(
    feed,
    all.slice(-most).filter(({ position }) => position !== dropped.position)
  )
}

/** Adds events that arrived together. The first one is the position at which the connection began. */
export const putFeed = (events: ReadonlyArray<SentEvent>): void => {
  const [first] = events
  if (first !== undefined && registry.get(feedStart) === undefined) startAfter(first.id)
  const changes = events.filter(({ event }) => !silent.has(event))
  const reset = changes.findLast(({ event }) => event === "reset")
  if (reset !== undefined) {
    registry.set(feed, [])
    startAfter(reset.id)
  }
  const fresh = reset === undefined ? changes : changes.filter(({ id }) => Number(id) > Number(reset.id))
  if (fresh.length > 0) add(fresh.map((event) => rowOf(event, Date.now())))
}

const changeOf = ({ control, from, step, to }: PastEvent): string => {
  if (control !== null) return `control ${control}`
  if (step !== null) return `step ${step} ${statusText(to)}`
  return from === null ? `new: ${statusText(to)}` : `${statusText(from)} to ${statusText(to)}`
}

/** A change of the server's log as a row. The log has no nodes. */
export const rowOfPast = (event: PastEvent): FeedRow => ({
  n: -Number(event.position),
  position: event.position,
  kind: event.kind,
  at_ms: Date.parse(event.at),
  id: event.id,
  text: changeOf(event),
  run: event.kind === "run" || event.kind === "step" ? event.id : null,
  key: event.owner,
  node: null
})

/**
 * Adds a row for a connection that was lost and is back. Call the returned function when the missed events have arrived:
 * it returns their number and writes it in the row.
 */
export const putGap = (lost_ms: number): (() => number) => {
  const now_ms = Date.now()
  const n = ++last
  const gap: FeedRow = {
    n,
    position: "",
    kind: "gap",
    at_ms: now_ms,
    id: "",
    text: "",
    run: null,
    key: null,
    node: null
  }
  const seconds = Math.max(1, Math.round((now_ms - lost_ms) / 1000))
  const text = `The connection was lost for ${seconds} s`
  add([{ ...gap, text: `${text}. Catching up…` }])
  return () => {
    const missed = last - n
    registry.set(
      feed,
      registry
        .get(feed)
        .map((row) =>
          row.n === n ? { ...row, text: `${text}. Events that arrived afterwards: ${missed}, in the rows above` } : row
        )
    )
    return missed
  }
}
