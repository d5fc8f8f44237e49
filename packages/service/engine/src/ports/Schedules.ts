import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { ScheduledRun, ScheduleFields } from "../domain/ScheduledRun.ts"
import { NoRoom } from "./Profiles.ts"
import type { Keep, KeyTaken, StoreUnavailable } from "./Store.ts"

/** No schedule of the caller has this id. */
export class ScheduleNotFound extends Data.TaggedError("ScheduleNotFound")<{ readonly id: string }> {}

/** Changes of a schedule by its owner. */
export type ScheduleChanges = Partial<ScheduleFields & Pick<ScheduledRun, "isActive">>

/** The outcome of a time that was due. */
export type ScheduleOutcome = Pick<ScheduledRun, "dueAt_ms" | "lastDueAt_ms" | "lastProblem" | "lastRunId">

/** The most schedules of one owner. */
export const mostSchedules = 100

type OfSchedule<A, E = never> = Effect.Effect<A, E | ScheduleNotFound | StoreUnavailable>

/** Storage of schedules. Each caller sees its own; `due`, `settle` and `nextAt` are for the nodes, and see all. */
export interface SchedulesService {
  readonly create: (
    fields: ScheduleFields,
    keep?: Keep<ScheduledRun>
  ) => Effect.Effect<ScheduledRun, NoRoom | KeyTaken | StoreUnavailable>
  readonly find: (id: string) => OfSchedule<ScheduledRun>
  /** The caller's schedules, oldest first. */
  readonly list: Effect.Effect<ReadonlyArray<ScheduledRun>, StoreUnavailable>
  readonly update: (id: string, changes: ScheduleChanges) => OfSchedule<ScheduledRun>
  readonly remove: (id: string) => OfSchedule<void>
  /** The schedules that are due at a time or before, the longest first. */
  readonly due: (until_ms: number, limit: number) => Effect.Effect<ReadonlyArray<ScheduledRun>, StoreUnavailable>
  /**
   * Stores the outcome of a due time; false if another node did, or if the owner changed the schedule meanwhile. Inside
   * a commit of the store it's part of that commit.
   */
  readonly settle: (
    schedule: Pick<ScheduledRun, "id" | "dueAt_ms">,
    outcome: ScheduleOutcome
  ) => Effect.Effect<boolean, StoreUnavailable>
  /** The earliest time that is due; null if there is none. */
  readonly nextAt: Effect.Effect<number | null, StoreUnavailable>
}

/** The port to the storage of schedules; null on a server without schedules. */
export const Schedules: Context.Reference<SchedulesService | null> = Context.Reference("@webagent/engine/Schedules", {
  defaultValue: (): SchedulesService | null => null
})

/** The error of a schedule above the limit. */
export const schedulesFull = (): NoRoom =>
  new NoRoom({ message: `There are ${mostSchedules} schedules, the most that one API key may have. Delete one first` })
