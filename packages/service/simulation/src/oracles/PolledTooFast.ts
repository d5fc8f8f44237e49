import * as Findings from "./Findings.ts"
import { caller, type Detector, succeeded, tolerance_ms } from "./Detector.ts"
import * as BoundedMap from "../journal/BoundedMap.ts"

const polls: ReadonlySet<string> = new Set(["v4.getRunStatus", "v3.getSession", "v2.getSession", "v2.getTaskStatus"])

/**
 * Two polls of one resource by one caller that arrived closer together than the profile's `pollInterval` allows, the
 * second after the first was answered. A poll that got no good answer may be repeated sooner.
 */
export const make = (pollInterval_ms: () => number | undefined): Detector => {
  const findings = Findings.make()
  const before = BoundedMap.make<{ readonly seq: number; readonly at_ms: number }>()
  return {
    oracle: "polled-too-fast",
    request: (row, intact) => {
      const interval_ms = pollInterval_ms()
      if (interval_ms === undefined || row.resource === null || !polls.has(row.operation)) return
      const matter = `${caller(row)} ${row.operation} ${row.resource}`
      const last = before.get(matter)
      if (last !== undefined && row.after >= last.seq && row.at_ms - last.at_ms < interval_ms - tolerance_ms) {
        findings.add(matter, {
          resource: row.resource,
          sentence: `${row.operation} polled ${row.resource} after ${Findings.lasted(row.at_ms - last.at_ms)}; the profile asks for ${Findings.lasted(interval_ms)}.`,
          seqs: [last.seq, row.seq]
        })
      }
      if (intact && succeeded(row)) before.set(matter, { seq: row.seq, at_ms: row.at_ms })
    },
    findings: () => findings,
    get well() {
      const interval_ms = pollInterval_ms()
      return interval_ms === undefined
        ? "The profile sets no pollInterval."
        : `No poll came sooner than ${Findings.lasted(interval_ms)} after the one before.`
    },
    ill: (count) => `${Findings.counted(count, "poll")} came sooner than the profile's pollInterval allows.`
  }
}
