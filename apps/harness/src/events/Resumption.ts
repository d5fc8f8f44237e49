import * as DateTime from "effect/DateTime"
import type { RunHeader } from "../runner/RunReport.ts"
import { trialKey } from "../runner/Runner.ts"
import type { Trial } from "../runner/Trial.ts"
import type { LoggedEvent } from "./EventLog.ts"

/** What is known of a run that was killed. */
export interface Resumption {
  readonly header: RunHeader
  /** The trials that had ended, by `trialKey`. */
  readonly done: ReadonlyMap<string, Trial>
  /** How long it is known to have been at work, in milliseconds; the time between a kill and a resumption is not. */
  readonly worked_ms: number
}

/** What the events of a run say of how to take it up again; undefined where there are none, or it came to its end. */
export const of = (events: ReadonlyArray<LoggedEvent>): Resumption | undefined => {
  let header: RunHeader | undefined
  let before: DateTime.Utc | undefined
  let worked_ms = 0
  const done = new Map<string, Trial>()
  for (const { at, event } of events) {
    if (event._tag === "RunFinished") return undefined
    if (event._tag === "RunStarted") header = event.header
    // each process that has worked on it began with its own RunStarted
    else if (before !== undefined) worked_ms += Math.max(0, DateTime.toEpochMillis(at) - DateTime.toEpochMillis(before))
    before = at
    // what a stopped run did not get to is no trial that has ended
    if (event._tag === "TrialFinished" && event.trial.verdict !== "skipped") {
      done.set(trialKey(event.suite, event.scenario, event.trial.index), event.trial)
    }
  }
  return header === undefined ? undefined : { header, done, worked_ms }
}
