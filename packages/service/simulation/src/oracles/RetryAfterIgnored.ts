import * as Findings from "./Findings.ts"
import { caller, type Detector, tolerance_ms } from "./Detector.ts"
import * as BoundedMap from "../journal/BoundedMap.ts"

interface RetryAfter {
  readonly seq: number
  readonly until_ms: number
  readonly status: number
}

/**
 * A request of the same caller before the `Retry-After` of an answer was over: for the same operation on the same
 * resource, or the same create again. What a caller does elsewhere meanwhile, another create too, is not held against
 * it, since one part of a program cannot know what another was told.
 */
export const make = (): Detector => {
  const findings = Findings.make()
  const pauses = BoundedMap.make<RetryAfter>()
  return {
    oracle: "retry-after-ignored",
    request: (row) => {
      // most requests come from clients that were not told to wait
      if (row.retryAfter_ms === null && pauses.size() === 0) return
      const matter = `${caller(row)} ${row.operation} ${row.create ?? row.resource ?? ""}`
      const last = pauses.get(matter)
      if (last !== undefined && row.after >= last.seq) {
        const early_ms = last.until_ms - row.at_ms
        if (early_ms > tolerance_ms) {
          findings.add(matter, {
            resource: row.resource,
            sentence: `${row.operation} came ${Findings.lasted(early_ms)} before the Retry-After of a ${last.status} ended.`,
            seqs: [last.seq, row.seq]
          })
        } else {
          pauses.delete(matter)
        }
      }
      if (row.retryAfter_ms !== null && row.status !== null && row.answered !== "none" && row.answered !== "left") {
        const until_ms = row.at_ms + row.duration_ms + row.retryAfter_ms
        pauses.set(matter, { seq: row.seq, until_ms, status: row.status })
      }
    },
    findings: () => findings,
    well: "Every Retry-After was respected.",
    ill: (count) => `${Findings.counted(count, "request")} came before a Retry-After ended.`
  }
}
