import {
  IdSource,
  makeSchedule,
  mostSchedules,
  Owner,
  type ScheduledRun,
  ScheduleNotFound,
  Schedules,
  schedulesFull,
  type SchedulesService
} from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as OwnedRows from "./OwnedRows.ts"
import { parsed } from "./Rows.ts"
import { read, transaction } from "./unavailable.ts"
import { isStorable } from "./WorkspaceRows.ts"

type Row = Readonly<Record<string, unknown>>

/** A stored schedule. Nodes of the version before write a text in place of the problem, and read only that. */
interface StoredSchedule extends Omit<ScheduledRun, "lastProblem"> {
  readonly lastProblem?: ScheduledRun["lastProblem"]
  readonly lastError: string | null
}

const scheduleOf = (row: Row): ScheduledRun => {
  const { lastError, lastProblem = null, ...stored } = parsed<StoredSchedule>(row["record"])
  return { ...stored, lastProblem: lastError === null ? lastProblem : { kind: "refused", message: lastError } }
}

const recordOf = (schedule: ScheduledRun) => JSON.stringify({ ...schedule, lastError: null } satisfies StoredSchedule)

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const ids = yield* IdSource
  const owned = OwnedRows.make(sql, "schedules")
  const { forChange, seenBy } = owned

  const row = Effect.fnUntraced(function* (id: string, lock = sql.literal("")) {
    const owner = yield* Owner
    const [found] = isStorable(id)
      ? yield* sql<Row>`SELECT record FROM schedules WHERE id = ${id} AND ${seenBy(owner)} ${lock}`
      : []
    return found === undefined ? yield* new ScheduleNotFound({ id }) : scheduleOf(found)
  })

  const write = (schedule: ScheduledRun) =>
    sql`UPDATE schedules SET due_at_ms = ${schedule.dueAt_ms}, record = ${recordOf(schedule)}
      WHERE id = ${schedule.id}`

  const all = (rows: Effect.Effect<ReadonlyArray<Row>, SqlError>) =>
    read(Effect.map(rows, (records) => records.map(scheduleOf)))

  const schedules: SchedulesService = {
    create: Effect.fnUntraced(function* (fields, keep) {
      const owner = yield* Owner
      const now_ms = yield* Clock.currentTimeMillis
      const schedule = makeSchedule(yield* ids.next("schedule"), owner, fields, now_ms)
      const row = { id: schedule.id, owner, due_at_ms: schedule.dueAt_ms, record: recordOf(schedule) }
      const insert = Effect.as(sql`INSERT INTO schedules ${sql.insert(row)}`, schedule)
      return yield* owned.create({ owner, most: mostSchedules, full: schedulesFull, insert, keep })
    }),
    find: (id) => read(row(id)),
    list: Effect.flatMap(Owner, (owner) =>
      all(sql<Row>`SELECT record FROM schedules WHERE ${seenBy(owner)} ORDER BY n`)
    ),
    update: (id, changes) =>
      transaction(
        sql,
        Effect.gen(function* () {
          const stored = yield* row(id, forChange)
          const updatedAt_ms = Math.max(yield* Clock.currentTimeMillis, stored.updatedAt_ms)
          const schedule: ScheduledRun = { ...stored, ...changes, updatedAt_ms }
          yield* write(schedule)
          return schedule
        })
      ),
    remove: (id) =>
      transaction(sql, Effect.andThen(row(id, forChange), Effect.asVoid(sql`DELETE FROM schedules WHERE id = ${id}`))),
    due: (until_ms, limit) =>
      all(sql<Row>`SELECT record FROM schedules WHERE due_at_ms <= ${until_ms} ORDER BY due_at_ms LIMIT ${limit}`),
    settle: ({ dueAt_ms, id }, outcome) =>
      transaction(
        sql,
        Effect.gen(function* () {
          const [found] = yield* sql<Row>`SELECT record FROM schedules
            WHERE id = ${id} AND due_at_ms = ${dueAt_ms} ${forChange}`
          if (found === undefined) return false
          yield* write({ ...scheduleOf(found), ...outcome })
          return true
        })
      ),
    nextAt: read(
      Effect.map(sql<Row>`SELECT min(due_at_ms) AS at_ms FROM schedules`, ([found]) => {
        const at_ms = found?.["at_ms"] ?? null
        return at_ms === null ? null : Number(at_ms)
      })
    )
  }
  return schedules
})

/** Schedules in a database. */
export const layer: Layer.Layer<never, never, SqlClient.SqlClient | IdSource> = Layer.effect(Schedules, make)
