import * as DateTime from "effect/DateTime"
import type { RunHeader } from "@webagent/report/RunReport"
import type { Outage } from "@webagent/report/Outage"
import { trialKey } from "../RunnerOptions.ts"
import type { Trial } from "@webagent/report/Trial"
import type { LoggedEvent } from "./EventLog.ts"

/** State of a run that was killed. */
export interface Resumption {
  readonly header: RunHeader
  /** The trials that had ended, by `trialKey`. */
  readonly done: ReadonlyMap<string, Trial>
  /** Running time before the kill, in milliseconds, without the time between a kill and a resumption. */
  readonly worked_ms: number
  /** The trials that ran when it was killed. */
  readonly interrupted: ReadonlyArray<{ readonly suite: string; readonly scenario: string }>
  /** When nothing answered at the target. */
  readonly outages: ReadonlyArray<Outage>
  /** Cost of trials that were interrupted and will run again: USD, each an exact decimal. */
  readonly lost_usd: ReadonlyArray<string>
}

/** Derives the state for resuming a run from its events; undefined if there are none, or if the run finished. */
export const of = (events: ReadonlyArray<LoggedEvent>): Resumption | undefined => {
  let header: RunHeader | undefined
  let before: DateTime.Utc | undefined
  let worked_ms = 0
  const done = new Map<string, Trial>()
  const running = new Map<string, Resumption["interrupted"][number]>()
  let lost: Array<string> = []
  let outages: ReadonlyArray<Outage> = []
  for (const { at, event } of events) {
    if (event._tag === "RunFinished") return undefined
    if (event._tag === "RunStarted") {
      header = event.header
      // what the process before left is in this header
      running.clear()
      lost = []
    }
    // each process that has worked on it began with its own RunStarted
    else if (before !== undefined) worked_ms += Math.max(0, DateTime.toEpochMillis(at) - DateTime.toEpochMillis(before))
    before = at
    if (event._tag === "OutageStarted") outages = [...outages, event.outage]
    if (event._tag === "OutageFinished") outages = [...outages.slice(0, -1), event.outage]
    if (event._tag === "TrialStarted") {
      const { index, scenario, suite } = event
      running.set(trialKey(suite, scenario, index), { suite, scenario })
    }
    if (event._tag !== "TrialFinished") continue
    const { trial } = event
    const key = trialKey(event.suite, event.scenario, trial.index)
    running.delete(key)
    // what a stopped run did not get to is no trial that has ended
    if (trial.verdict !== "skipped") done.set(key, trial)
    else if (trial.cost_usd !== "0") lost.push(trial.cost_usd)
  }
  return header === undefined
    ? undefined
    : {
        header,
        done,
        worked_ms,
        interrupted: [...running.values()],
        // the probes ended when the run was killed
        outages: outages.map((outage) => ({
          ...outage,
          to: outage.to ?? DateTime.formatIso(before ?? DateTime.makeUnsafe(outage.from))
        })),
        lost_usd: lost
      }
}
