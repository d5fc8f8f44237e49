import { Turn } from "@webagent/engine"
import * as Findings from "./Findings.ts"
import { caller, type Detector, type MoveRow, type RequestRow, succeeded } from "./Detector.ts"
import * as BoundedMap from "../journal/BoundedMap.ts"

interface Session {
  /** Its turns that are not terminal: nearly always one, so an array takes less memory than a set. */
  live: ReadonlyArray<string>
  stopped: boolean
  /** The row of its last move, or that of one of its turns. */
  seq: number
}

/** Reads of one run, or task, with its result; these may come after a terminal status. */
const results: ReadonlySet<string> = new Set(["v4.getRun", "v2.getTask"])

const runReads: ReadonlySet<string> = new Set([...results, "v4.getRunStatus", "v2.getTaskStatus"])

/**
 * A status read by a caller that had been told a terminal one: of a v4 run by its status or the run itself; of a v3
 * session, which is idle once all its turns are terminal, by an earlier read; of a v2 session by one after it stopped.
 * A new turn of the session is news.
 */
export const make = (): Detector => {
  const findings = Findings.make()
  const ended = BoundedMap.make<number>()
  const sessions = BoundedMap.make<Session>()
  /** The row of the answer that told a caller. */
  const terminalRows = BoundedMap.make<number>()

  const turnMoved = ({ id, sessionId, seq, to }: MoveRow) => {
    if (Turn.isTerminal(to)) ended.set(id, seq)
    if (sessionId === null) return
    const session = sessions.get(sessionId) ?? { live: [], stopped: false, seq }
    sessions.set(sessionId, session)
    if (Turn.isTerminal(to)) session.live = session.live.filter((live) => live !== id)
    else if (!session.live.includes(id)) session.live = session.live.length === 0 ? [id] : [...session.live, id]
    session.seq = seq
  }

  const sessionMoved = ({ id, seq, to }: MoveRow) => {
    const session = sessions.get(id) ?? { live: [], stopped: false, seq }
    sessions.set(id, session)
    session.stopped = to === "stopped"
    session.seq = seq
  }

  /** The row from which on this operation shows its resource as terminal. */
  const terminalSince = ({ operation, resource }: RequestRow): number | undefined => {
    if (runReads.has(operation)) return ended.get(resource ?? "")
    const session = sessions.get(resource ?? "")
    if (session === undefined || session.live.length > 0) return undefined
    return operation === "v3.getSession" || session.stopped ? session.seq : undefined
  }

  return {
    oracle: "polls-after-terminal",
    move: (row) => {
      if (row.of === "turn") turnMoved(row)
      else if (row.of === "session") sessionMoved(row)
    },
    request: (row, intact) => {
      const { operation, resource } = row
      if (resource === null) return
      const isRun = runReads.has(operation)
      if (!isRun && operation !== "v3.getSession" && operation !== "v2.getSession") return
      const since = terminalSince(row)
      if (since === undefined || row.after < since) return
      const matter = `${caller(row)} ${isRun ? "run" : operation} ${resource}`
      const by = terminalRows.get(matter)
      // what was said before the last news was not the end of it
      if (by === undefined || by < since) {
        if (intact && succeeded(row)) terminalRows.set(matter, row.seq)
      } else if (!results.has(operation) && row.after >= by) {
        findings.add(matter, {
          resource,
          sentence: `${operation} polled ${resource} after its caller had read a terminal status.`,
          seqs: [by, row.seq]
        })
      }
    },
    findings: () => findings,
    well: "No client polled after a terminal status.",
    ill: (count) => `${Findings.counted(count, "status read")} came after a terminal status.`
  }
}
