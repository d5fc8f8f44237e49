import * as Findings from "./Findings.ts"
import type { Detector } from "./Detector.ts"
import * as BoundedMap from "../journal/BoundedMap.ts"

/** Runs that aren't over when the oracle is asked: they continue, and cost. They are read from the state. */
export const make = (): Detector => {
  const created = BoundedMap.make<number>()
  return {
    oracle: "runs-left-running",
    ofState: true,
    move: (row) => {
      if (row.of !== "turn") return
      if (row.from === null) created.set(row.id, row.seq)
      else if (row.to === "completed" || row.to === "failed" || row.to === "cancelled") created.delete(row.id)
    },
    findings: ({ now_ms, runs }) => ({
      count: () => runs.length,
      list: () =>
        runs.map(({ createdAt_ms, id, sessionId, status }) => {
          const seq = created.get(id)
          return {
            resource: id,
            sentence: `Run ${id} of session ${sessionId} is ${status}, ${Findings.lasted(now_ms - createdAt_ms)} after its creation.`,
            seqs: seq === undefined ? [] : [seq]
          }
        })
    }),
    well: "No run is left running.",
    ill: (count) =>
      `${Findings.counted(count, "run is", "runs are")} still running. Wait for each run, or cancel it before the test ends.`
  }
}
