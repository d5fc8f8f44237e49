import { counted } from "@webagent/cli/Text"
import type { Exchange, JournalRow, Span, Trace, Wait } from "./Trace.ts"

/** Something on a lane, in milliseconds after the trial's start. `as` says how it is drawn. */
export interface Shape {
  readonly as: "answered" | "refused" | "failed" | "pause" | "retry" | "span" | "bad-span" | "seen" | "fault" | State
  readonly from_ms: number
  readonly to_ms: number
  /** Tooltip text. */
  readonly note?: string
}

type State = "waiting" | "running" | "good" | "bad" | "ended"

/** One row of a waterfall. */
export interface Lane {
  readonly group: "Requests" | "Spans" | "The server's journal"
  readonly verb: string
  readonly what: string
  readonly status: string
  readonly isBad: boolean
  readonly depth: number
  readonly shapes: ReadonlyArray<Shape>
  /** The exchanges of this lane, for inspection one by one. */
  readonly exchanges: ReadonlyArray<Exchange>
  /** Anything else to look at, as it was recorded. */
  readonly records: ReadonlyArray<Span | JournalRow>
}

/** The path of an address below its version: what tells requests of a trial apart. */
export const pathOf = (url: string): string => {
  const parsed = URL.parse(url)
  return parsed === null ? url : `${parsed.pathname.replace(/^\/api(?=\/v\d)/u, "")}${parsed.search}`
}

/** An id is known by its beginning; it stands in full beside the waterfall. */
const short = (path: string) => path.replaceAll(/\b([\da-f]{8})-(?:[\da-f]{4}-){3}[\da-f]{12}\b/giu, "$1…")

/** The failure of an exchange that has not ended yet, in the trace of a trial that is watched. */
export const inFlight = "in flight"

/** Not what the service would have wished to answer: a refusal may be just what was asked for. */
const isBad = ({ failure, status }: Exchange) =>
  failure !== inFlight && (failure !== null || status === null || status >= 500 || status === 429)

const endOf = (exchange: Exchange): Shape["as"] =>
  exchange.failure === inFlight
    ? "running"
    : isBad(exchange)
      ? "failed"
      : (exchange.status ?? 0) >= 400
        ? "refused"
        : "answered"

const shapesOf = (exchange: Exchange): ReadonlyArray<Shape> => [
  {
    as: endOf(exchange),
    from_ms: exchange.at_ms,
    to_ms: exchange.at_ms + exchange.duration_ms,
    note: `${exchange.method} ${pathOf(exchange.url)} ${resultOf(exchange)}`
  }
]

const pauseOf = ({ at_ms, duration_ms, kind, reason }: Wait): Shape => ({
  as: kind === "retry" ? "retry" : "pause",
  from_ms: at_ms,
  to_ms: at_ms + duration_ms,
  note: kind === "retry" ? `waiting to try again after ${reason ?? "nothing"}` : "waiting to look again"
})

const resultOf = ({ failure, status }: Exchange) => failure ?? (status === null ? "no answer" : String(status))

interface Draft {
  readonly exchanges: Array<Exchange>
  readonly pauses: Array<Wait>
}

/** Attempts of a call are one lane, and so are all polls of a thing, with the pauses between them. */
const requestLanes = ({ exchanges, waits }: Trace): ReadonlyArray<Lane> => {
  const drafts: Array<Draft> = []
  const polls = new Map<string, Draft>()
  const calls = new Map<string, Draft>()
  const keyOf = ({ operation, resource }: Wait | Exchange) => `${operation} ${resource}`
  for (const exchange of exchanges) {
    const key = exchange.kind === "poll" ? keyOf(exchange) : `${exchange.method} ${exchange.url}`
    const open = exchange.kind === "poll" ? polls.get(key) : exchange.attempt > 1 ? calls.get(key) : undefined
    if (open === undefined) {
      const draft = { exchanges: [exchange], pauses: [] }
      drafts.push(draft)
      ;(exchange.kind === "poll" ? polls : calls).set(key, draft)
    } else {
      open.exchanges.push(exchange)
    }
  }
  for (const wait of waits) {
    const end_ms = wait.at_ms + wait.duration_ms
    const belongs = ({ exchanges }: Draft) =>
      exchanges.some(
        (exchange) =>
          keyOf(exchange) === keyOf(wait) &&
          (Math.abs(exchange.at_ms - end_ms) < 50 || Math.abs(exchange.at_ms + exchange.duration_ms - wait.at_ms) < 50)
      )
    const owner = drafts.find(belongs) ?? polls.get(keyOf(wait))
    owner?.pauses.push(wait)
  }
  return drafts.map(({ exchanges, pauses }) => {
    const [first] = exchanges
    const last = exchanges.at(-1)
    const count = exchanges.length
    const results = exchanges.map(resultOf)
    // an attempt is there because of how the one before ended
    const changes = results.filter((result, index) => result !== results[index - 1]).join(" → ")
    return {
      group: "Requests",
      verb: first?.method ?? "",
      what: short(pathOf(first?.url ?? "")),
      status: count === 1 ? changes : `${count} ${first?.kind === "poll" ? "polls" : "attempts"} · ${changes}`,
      isBad: last !== undefined && isBad(last),
      depth: 0,
      shapes: [...pauses.map(pauseOf), ...exchanges.flatMap(shapesOf)],
      exchanges,
      records: []
    }
  })
}

const depthOf = (span: Span, spans: ReadonlyMap<number, Span>): number => {
  let depth = 0
  for (let parent = span.parentId; parent !== null && depth < 8; parent = spans.get(parent)?.parentId ?? null) depth++
  return depth
}

const spanLanes = ({ spans }: Trace): ReadonlyArray<Lane> => {
  const byId = new Map(spans.map((span) => [span.id, span]))
  return spans.map((span) => ({
    group: "Spans",
    verb: "",
    what: span.name,
    status: span.ok ? "" : span.ended ? "failed" : "not ended",
    isBad: !span.ok && span.ended,
    depth: depthOf(span, byId),
    shapes: [{ as: span.ok ? "span" : "bad-span", from_ms: span.at_ms, to_ms: span.at_ms + span.duration_ms }],
    exchanges: [],
    records: [span]
  }))
}

const states: Readonly<Record<string, State>> = {
  queued: "waiting",
  created: "waiting",
  pending: "waiting",
  dispatching: "waiting",
  running: "running",
  started: "running",
  active: "running",
  completed: "good",
  finished: "good",
  consumed: "good",
  idle: "good",
  failed: "bad",
  error: "bad",
  timed_out: "bad"
}

const laneOf = (
  row: Pick<Lane, "verb" | "what" | "shapes"> & {
    readonly records: ReadonlyArray<JournalRow>
    readonly status?: string
  }
): Lane => ({
  group: "The server's journal",
  isBad: false,
  depth: 0,
  exchanges: [],
  ...row,
  status: row.status ?? ""
})

const point = (row: JournalRow, as: Shape["as"], duration_ms = 0): Shape => ({
  as,
  from_ms: row.at_ms,
  to_ms: row.at_ms + duration_ms
})

/**
 * Builds the lanes of the server's journal: one lane per resource, with each state until the next, and one lane for all
 * requests and faults.
 */
const journalLanes = ({ duration_ms, journal }: Trace): ReadonlyArray<Lane> => {
  const things = new Map<string, Array<JournalRow>>()
  const requests: Array<JournalRow> = []
  const others: Array<JournalRow> = []
  for (const entry of journal) {
    const { row } = entry
    if (row.type === "move") {
      const key = `${row.of} ${row.id}`
      things.set(key, [...(things.get(key) ?? []), entry])
    } else {
      ;(row.type === "request" || row.type === "fault" ? requests : others).push(entry)
    }
  }
  const faults = requests.filter(({ row }) => row.type === "fault").length
  return [
    ...(requests.length === 0
      ? []
      : [
          laneOf({
            verb: "seen",
            what: "requests and faults",
            status: `${counted(requests.length - faults, "request")}${faults === 0 ? "" : `, ${counted(faults, "fault")}`}`,
            // a fault comes last: the request that it hit began with it
            shapes: [
              ...requests.flatMap((entry) =>
                entry.row.type === "request" ? [point(entry, "seen", entry.row.duration_ms)] : []
              ),
              ...requests.flatMap((entry) => (entry.row.type === "fault" ? [point(entry, "fault")] : []))
            ],
            records: requests
          })
        ]),
    ...[...things].map(([key, moves]) => {
      const [kind = "", id = ""] = key.split(" ")
      const last = moves.at(-1)
      return laneOf({
        verb: kind,
        what: short(id),
        status: last?.row.type === "move" ? last.row.to : "",
        shapes: moves.map((entry, index) => ({
          as: entry.row.type === "move" ? (states[entry.row.to] ?? "ended") : "ended",
          note: entry.row.type === "move" ? entry.row.to : "",
          from_ms: entry.at_ms,
          to_ms: Math.max(entry.at_ms, moves[index + 1]?.at_ms ?? duration_ms)
        })),
        records: moves
      })
    }),
    ...(others.length === 0
      ? []
      : [
          laneOf({
            verb: "",
            what: "connections and control",
            status: String(others.length),
            shapes: others.map((entry) => point(entry, "seen")),
            records: others
          })
        ])
  ]
}

/** The lanes of a trace: what the client sent, its spans, and what the server wrote of it. */
export const of = (trace: Trace): ReadonlyArray<Lane> => [
  ...requestLanes(trace),
  ...spanLanes(trace),
  ...journalLanes(trace)
]

/** From when to when an axis has to reach, in milliseconds. */
export const extent = (lanes: ReadonlyArray<Lane>, duration_ms: number): readonly [from: number, to: number] => {
  const times = lanes.flatMap(({ shapes }) => shapes.flatMap(({ from_ms, to_ms }) => [from_ms, to_ms]))
  return [Math.min(0, ...times), Math.max(duration_ms, 1, ...times)]
}

/** Round times for an axis: about five of them. */
export const ticks = (from: number, to: number): ReadonlyArray<number> => {
  const rough = (to - from) / 5
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough) ?? rough
  const first = Math.ceil(from / step)
  return Array.from({ length: Math.floor(to / step) - first + 1 }, (_, index) => (first + index) * step)
}
