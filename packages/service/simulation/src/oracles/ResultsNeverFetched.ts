import * as Findings from "./Findings.ts"
import { type Detector, succeeded } from "./Detector.ts"
import * as BoundedMap from "../journal/BoundedMap.ts"

interface Ended {
  readonly id: string
  readonly sessionId: string
  readonly status: string
  readonly seq: number
}

/**
 * Runs that completed or failed and that no client has read since, through any version. A cancelled run has no result.
 * A run that was started in the console doesn't count, because a person sees its result there.
 * A read that began before the run ended and ended after it counts as having shown the result.
 */
export const make = (): Detector => {
  let forgotten = 0
  const ofConsole = BoundedMap.make<true>()
  const bySession = new Map<string, ReadonlyArray<string>>()

  const release = ({ id, sessionId }: Ended) => {
    const rest = (bySession.get(sessionId) ?? []).filter((other) => other !== id)
    if (rest.length === 0) bySession.delete(sessionId)
    else bySession.set(sessionId, rest)
  }

  const unread = BoundedMap.make<Ended>(BoundedMap.capacity, (ended) => {
    forgotten++
    release(ended)
  })

  const read = (id: string) => {
    const ended = unread.get(id)
    if (ended === undefined) return
    unread.delete(id)
    release(ended)
  }

  return {
    oracle: "results-never-fetched",
    move: ({ by, id, of, seq, sessionId, to }) => {
      if (by === "console") ofConsole.set(id, true)
      if (of !== "turn" || (to !== "completed" && to !== "failed") || sessionId === null) return
      if (ofConsole.get(id) === true) return
      unread.set(id, { id, sessionId, status: to, seq })
      bySession.set(sessionId, [...(bySession.get(sessionId) ?? []), id])
    },
    request: (row, intact) => {
      if (row.resource === null || !intact || !succeeded(row)) return
      if (row.operation === "v4.getRun" || row.operation === "v2.getTask") read(row.resource)
      else if (row.operation === "v2.getSession" || row.operation === "v3.getSession") {
        for (const id of bySession.get(row.resource) ?? []) read(id)
      }
    },
    findings: () => ({
      count: () => unread.size() + forgotten,
      list: () =>
        [...unread.values()].slice(0, Findings.shown).map(({ id, seq, sessionId, status }) => ({
          resource: id,
          sentence: `Run ${id} of session ${sessionId} ${status}, and no request has read its result since. Read the run or its session.`,
          seqs: [seq]
        }))
    }),
    well: "Every finished run was read.",
    ill: (count) => `${Findings.counted(count, "run")} finished and ${count === 1 ? "was" : "were"} never read.`
  }
}
