import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { errors } from "./Errors.ts"
import { oncePerKey } from "./IdempotencyKey.ts"
import { FilterText, Instant } from "./Page.ts"
import { Run, StartRun } from "./Run.ts"

/** A task that is run at times that a cron expression names. */
export const ScheduleView = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  /** Five fields: minute, hour, day of month, month and day of week. */
  cron: Schema.String,
  timeZone: Schema.String,
  /** The rule for times that passed while no server ran: `skip` them, or run `once` for all of them. */
  missed: Schema.String,
  /** The request of each run. */
  run: StartRun,
  /** False while it's paused. */
  active: Schema.Boolean,
  /** Name of the key that its runs belong to; null on a server whose records have no owners. */
  owner: Schema.NullOr(Schema.String),
  /** Time of the next run; null while it's paused, and if there is no further time. */
  nextAt: Schema.NullOr(Instant),
  /** The time that was due last; null before the first one. */
  lastDueAt: Schema.NullOr(Instant),
  /** The run that was made last; null before the first one. */
  lastRunId: Schema.NullOr(Schema.String),
  /** The reason why the last time made no run; null if it made one. */
  lastError: Schema.NullOr(Schema.String),
  createdAt: Instant,
  updatedAt: Instant
}).annotate({ identifier: "Schedule" })
export type ScheduleView = typeof ScheduleView.Type

const Name = FilterText
const CronText = Schema.NonEmptyString.check(Schema.isMaxLength(200)).annotate({ examples: ["0 6 * * 1-5"] })
const ZoneText = Schema.NonEmptyString.check(Schema.isMaxLength(100)).annotate({ examples: ["Europe/Berlin"] })
const Missed = Schema.Literals(["skip", "once"])

/** A new schedule. */
export const CreateSchedule = Schema.Struct({
  name: Name,
  cron: CronText,
  /** `UTC` by default. */
  timeZone: Schema.optionalKey(ZoneText),
  /** `skip` by default. */
  missed: Schema.optionalKey(Missed),
  run: StartRun
}).annotate({ identifier: "CreateSchedule" })

/** Changes of a schedule. */
export const UpdateSchedule = Schema.Struct({
  name: Schema.optionalKey(Name),
  cron: Schema.optionalKey(CronText),
  timeZone: Schema.optionalKey(ZoneText),
  missed: Schema.optionalKey(Missed),
  run: Schema.optionalKey(StartRun),
  /** False to pause it. */
  active: Schema.optionalKey(Schema.Boolean)
})
  .check(
    Schema.isMinProperties(1, {
      message: "There is nothing to change: send at least one of name, cron, timeZone, missed, run and active."
    })
  )
  .annotate({ identifier: "UpdateSchedule" })

const ofSchedule = { params: { schedule_id: FilterText }, error: [errors.notFound, errors.unavailable] }

/** Schedules of the request's key. A key with the scope `admin` sees those of every key. */
export class SchedulesGroup extends HttpApiGroup.make("schedules").add(
  HttpApiEndpoint.get("list", "/schedules", {
    success: Schema.Array(ScheduleView),
    error: [errors.notFound, errors.unavailable]
  }).annotate(OpenApi.Summary, "List schedules with their next and last run, oldest first"),
  HttpApiEndpoint.post("create", "/schedules", {
    payload: CreateSchedule,
    success: ScheduleView.pipe(HttpApiSchema.status(201)),
    error: [errors.notFound, errors.conflict, errors.unavailable]
  })
    .annotate(OpenApi.Summary, "Create a schedule")
    .annotateMerge(oncePerKey),
  HttpApiEndpoint.get("get", "/schedules/:schedule_id", { ...ofSchedule, success: ScheduleView }).annotate(
    OpenApi.Summary,
    "Read a schedule"
  ),
  HttpApiEndpoint.patch("update", "/schedules/:schedule_id", {
    ...ofSchedule,
    payload: UpdateSchedule,
    success: ScheduleView
  }).annotate(OpenApi.Summary, "Change a schedule, pause it, or let it run again"),
  HttpApiEndpoint.delete("remove", "/schedules/:schedule_id", {
    ...ofSchedule,
    success: HttpApiSchema.NoContent
  }).annotate(OpenApi.Summary, "Delete a schedule, but keep its runs"),
  HttpApiEndpoint.post("run", "/schedules/:schedule_id/run", {
    ...ofSchedule,
    success: Run.pipe(HttpApiSchema.status(201)),
    error: [errors.notFound, errors.conflict, errors.unavailable]
  })
    .annotate(OpenApi.Summary, "Start a run of a schedule now; its next time stays")
    .annotateMerge(oncePerKey)
) {}
