import { ConsoleControlApi, type JournalEntry, type TimeView } from "@webagent/control"
import * as Effect from "effect/Effect"
import * as Atom from "effect/reactivity/Atom"
import * as AtomHttpApi from "effect/reactivity/AtomHttpApi"
import * as Stream from "effect/Stream"
import { httpClient } from "../../state/client.ts"
import { epoch, newestRow } from "../../state/live.ts"
import { registry } from "../../state/react.ts"
import { settled } from "../../state/runs.ts"
import { requestOf } from "./journalFilter.ts"

/** The control of a simulated service, at the console's own address. */
export class Simulation extends AtomHttpApi.Service<Simulation>()("@webagent/console/Simulation", {
  api: ConsoleControlApi,
  httpClient,
  baseUrl: location.origin
}) {}

/** A time that was read, and when the page read it. */
export interface ReadTime extends TimeView {
  readonly read_ms: number
}

/** Profile, time, verdicts and open resources. They're read again when the journal has grown. */
export const facts = Simulation.runtime.atom((get) => {
  get(epoch)
  get(settled("journal"))
  return Effect.gen(function* () {
    const { behaviour, record, state } = yield* Simulation
    const { journal, open, profile, time, verdicts } = yield* Effect.all(
      {
        profile: behaviour.getProfile(),
        time: state.getTime(),
        verdicts: record.getVerdicts(),
        open: record.getOpen(),
        journal: record.getJournal({ query: { limit: 0 } })
      },
      { concurrency: 5 }
    )
    const read: ReadTime = { ...time, read_ms: Date.now() }
    return { profile, time: read, verdicts, open, journal }
  })
})

/** The value of `facts`. */
export type Facts = Atom.Success<typeof facts>

/** Service time at a moment of the page. */
export const serviceNow_ms = ({ now_ms, read_ms, time }: ReadTime, page_ms: number): number => {
  if (time.mode === "manual") return now_ms
  return now_ms + (page_ms - read_ms) * (time.mode === "scaled" ? time.factor : 1)
}

/** Reads everything again after a change of this page, before the journal's event arrives. */
export const readAgain = (): void => registry.refresh(facts)

export const setProfile = Simulation.mutation("behaviour", "setProfile")
export const setFaults = Simulation.mutation("behaviour", "setFaults")
export const refuseConnections = Simulation.mutation("behaviour", "refuseConnections")
export const setTime = Simulation.mutation("state", "setTime")
export const advanceTime = Simulation.mutation("state", "advanceTime")
export const reset = Simulation.mutation("state", "reset")
export const cancelRun = Simulation.mutation("operations", "cancelRun")
export const stopSession = Simulation.mutation("operations", "stopSession")
export const dropConnections = Simulation.mutation("operations", "dropConnections")

/** A part of the journal, oldest first. */
export interface JournalRows {
  readonly entries: ReadonlyArray<JournalEntry>
  /** Number of the last row that was looked at. */
  readonly next: number
  /** Number of the row before the first that was looked at. */
  readonly start: number
  /** Number of the row before the first that the service still has. */
  readonly dropped: number
}

/** Number of rows from the end at which an unfiltered journal begins. */
export const journalWindow = Atom.make(1000)

/** Rows that are read in one request. */
const pageSize = 1000

/** Most rows that a page keeps. */
const mostRows = 5000

/** Reads on from where the page is, or from the start after a reset. */
const readOn = Effect.fnUntraced(function* (text: string, window: number, before: JournalRows | undefined) {
  const { record } = yield* Simulation
  const filter = requestOf(text)
  const { dropped, written } = yield* record.getJournal({ query: { limit: 0 } })
  const start = text === "" ? Math.max(dropped, written - window) : dropped
  // the numbers begin again after a reset
  const isReset = before !== undefined && written < before.next
  let rows: JournalRows =
    before === undefined || isReset ? { entries: [], next: start, start, dropped } : { ...before, dropped }
  while (rows.next < written) {
    const page = yield* record.getJournal({ query: { ...filter, after: rows.next, limit: pageSize } })
    if (page.next <= rows.next) break
    rows = { ...rows, entries: [...rows.entries, ...page.entries].slice(-mostRows), next: page.next }
  }
  return rows
})

/** The newest rows that fit a filter. They grow with the journal. */
export const journalRows = Atom.family((text: string) =>
  Simulation.runtime.atom((get) => {
    get(epoch)
    const window = get(journalWindow)
    let rows: JournalRows | undefined
    return get.stream(newestRow).pipe(
      // events that arrive during a read ask for one more, not for one each
      Stream.buffer({ capacity: 1, strategy: "sliding" }),
      Stream.mapEffect(() =>
        Effect.tap(readOn(text, window, rows), (read) => {
          rows = read
          return Effect.void
        })
      )
    )
  })
)

/** One row of the journal; undefined if the service no longer has it. */
export const journalRow = Atom.family((seq: number) =>
  Simulation.runtime.atom(
    Effect.gen(function* () {
      const { record } = yield* Simulation
      const { entries } = yield* record.getJournal({ query: { after: seq - 1, limit: 1 } })
      return entries.find((entry) => entry.seq === seq)
    })
  )
)
