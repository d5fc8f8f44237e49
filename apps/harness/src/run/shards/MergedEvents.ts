import * as DateTime from "effect/DateTime"
import type { LoggedEvent } from "../events/EventLog.ts"
import type { RunEvent } from "@webagent/report/RunEvent"
import { type Merged, movedResult } from "./Merge.ts"

/** The events of one shard, and the folder that they lie in. */
export interface ShardEvents {
  readonly directory: string
  readonly events: ReadonlyArray<LoggedEvent>
}

const movedEvent = (event: RunEvent, directory: string, { trialOf }: Merged): RunEvent => {
  if (event._tag === "TrialFinished") return { ...event, trial: trialOf(directory, event.trial) }
  if (event._tag !== "ScenarioFinished") return event
  return { ...event, result: movedResult(event.result, (trial) => trialOf(directory, trial)) }
}

/** Merges the events of all shards in order of time, with a single start and finish for the whole run. */
export const mergeEvents = (shards: ReadonlyArray<ShardEvents>, merged: Merged): ReadonlyArray<LoggedEvent> => {
  const between = shards
    .flatMap(({ directory, events }) =>
      events
        .filter(({ event: { _tag } }) => _tag !== "RunStarted" && _tag !== "RunFinished")
        .map(({ at, event }) => ({ at, event: movedEvent(event, directory, merged) }))
    )
    .toSorted((a, b) => DateTime.toEpochMillis(a.at) - DateTime.toEpochMillis(b.at))
  const { report } = merged
  const times = shards.flatMap(({ events }) => events.map(({ at }) => DateTime.toEpochMillis(at)))
  // a shard may hold many thousands of events: too many for the arguments of one call
  const first = times.reduce((least, time) => Math.min(least, time), Number.POSITIVE_INFINITY)
  const last = times.reduce((most, time) => Math.max(most, time), Number.NEGATIVE_INFINITY)
  if (times.length === 0) return []
  return [
    { at: DateTime.makeUnsafe(first), event: { _tag: "RunStarted", header: report.header } },
    ...between,
    { at: DateTime.makeUnsafe(last), event: { _tag: "RunFinished", report } }
  ]
}
