import { type AuditEntry, AuditLog, type RunNote, RunNotes } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { read, unavailable } from "./unavailable.ts"

interface AuditRow {
  readonly id: number
  readonly at_ms: number
  readonly key_name: string
  readonly address: string
  readonly action: string
  readonly targets: string
  readonly count: number
  readonly status: number
}

const auditLog = Layer.effect(
  AuditLog,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      add: ({ action, address, at_ms, count, key, status, targets }: AuditEntry) =>
        sql`INSERT INTO audit_log ${sql.insert({
          at_ms,
          key_name: key,
          address,
          action,
          targets: JSON.stringify(targets),
          count,
          status
        })}`.pipe(Effect.mapError(unavailable), Effect.asVoid),
      list: ({ action, from_ms, key, target, to_ms }, before, limit) => {
        const conditions: ReadonlyArray<Fragment> = [
          sql`1 = 1`,
          ...(before === null ? [] : [sql`id < ${before}`]),
          ...(key === undefined ? [] : [sql`key_name = ${key}`]),
          ...(action === undefined ? [] : [sql`action = ${action}`]),
          ...(target === undefined ? [] : [sql`id IN (SELECT id FROM audit_targets WHERE target = ${target})`]),
          ...(from_ms === undefined ? [] : [sql`at_ms >= ${from_ms}`]),
          ...(to_ms === undefined ? [] : [sql`at_ms < ${to_ms}`])
        ]
        return Effect.map(
          read(sql<AuditRow>`SELECT * FROM audit_log WHERE ${sql.and(conditions)} ORDER BY id DESC LIMIT ${limit}`),
          (rows) =>
            rows.map(({ at_ms, count, id, key_name: name, status, targets, ...row }) => ({
              ...row,
              id: Number(id),
              at_ms: Number(at_ms),
              key: name,
              targets: JSON.parse(targets) as ReadonlyArray<string>,
              count: Number(count),
              status: Number(status)
            }))
        )
      },
      prune: (until_ms, limit) =>
        sql`DELETE FROM audit_log WHERE id IN (SELECT id FROM audit_log WHERE at_ms <= ${until_ms}
          ORDER BY at_ms LIMIT ${limit}) RETURNING 1`.pipe(
          Effect.mapError(unavailable),
          Effect.map(({ length }) => length)
        )
    }
  })
)

interface NoteRow {
  readonly mark: string | null
  readonly share: string | null
}

const jsonOf = (value: unknown) => (value === null ? null : JSON.stringify(value))

const fieldOf = <Name extends keyof RunNote>(row: NoteRow | undefined, name: Name): RunNote[Name] =>
  JSON.parse(row?.[name] ?? "null") as RunNote[Name]

const runNotes = Layer.effect(
  RunNotes,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    /** Sets one column, so that a mark and a link that are set at the same time don't overwrite each other. */
    const set = (turnId: string, name: keyof NoteRow, value: string | null) =>
      sql`INSERT INTO run_notes ${sql.insert({ turn_id: turnId, [name]: value })}
        ON CONFLICT (turn_id) DO UPDATE SET ${sql(name)} = excluded.${sql(name)}`
    return {
      get: (turnId) =>
        Effect.map(read(sql<NoteRow>`SELECT mark, share FROM run_notes WHERE turn_id = ${turnId}`), ([row]) => ({
          mark: fieldOf(row, "mark"),
          share: fieldOf(row, "share")
        })),
      set: (turnId, { mark, share }) =>
        Effect.gen(function* () {
          if (mark !== undefined) yield* set(turnId, "mark", jsonOf(mark))
          if (share !== undefined) yield* set(turnId, "share", jsonOf(share))
        }).pipe(Effect.mapError(unavailable)),
      // ids grow with time, so the newest runs are the last ones
      shares: (after, limit) =>
        Effect.map(
          read(
            sql<NoteRow & { readonly turn_id: string }>`SELECT turn_id, share FROM run_notes WHERE share IS NOT NULL
              ${after === null ? sql`` : sql`AND turn_id < ${after}`} ORDER BY turn_id DESC LIMIT ${limit}`
          ),
          (rows) =>
            rows.flatMap((row) => {
              const share = fieldOf(row, "share")
              return share === null ? [] : [{ turnId: row.turn_id, share }]
            })
        )
    }
  })
)

/** Marks and share links of runs, and the audit log, in a database. */
export const layer: Layer.Layer<never, never, SqlClient.SqlClient> = Layer.merge(auditLog, runNotes)
