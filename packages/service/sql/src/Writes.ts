import type { IdempotencyRecord, Step, Turn } from "@webagent/engine"
import * as Arr from "effect/Array"
import { browserRow, eventRow, keyRow, messageRow, modelCallRow, sessionRow, stepRow, turnRow } from "./Rows.ts"

type Value = string | number | null

type Row = Readonly<Record<string, Value>>

/** The record that refuses a step: one that another step changed or made, or a used key. */
type Refusal =
  | { readonly of: "record"; readonly id: string }
  | { readonly of: "key"; readonly record: IdempotencyRecord }

/** A statement of a step, for both databases; `?` stands for each value. */
export interface Write {
  readonly _tag: "Write"
  readonly text: string
  readonly values: ReadonlyArray<Value>
  /** The step is refused if the statement returns no row. Statements without a refusal return no rows. */
  readonly refusal?: Refusal
  /** True if it must run after the other ordered statements before it. */
  readonly isOrdered?: boolean
}

const ofRecord = (id: string): Refusal => ({ of: "record", id })

/** Statement texts by table, number of rows and conflict clause: all rows of a table have the same columns. */
const texts = new Map<string, string>()

const textOf = (form: string, make: () => string): string => {
  const existing = texts.get(form)
  if (existing !== undefined) return existing
  const text = make()
  texts.set(form, text)
  return text
}

const write = (text: string, values: ReadonlyArray<Value>, refusal?: Refusal): Write =>
  refusal === undefined ? { _tag: "Write", text, values } : { _tag: "Write", text, values, refusal }

const marks = (count: number) => `(${Array(count).fill("?").join(", ")})`

/** Inserts rows. A statement with a refusal returns the rows that it wrote. */
const insert = (table: string, rows: Arr.NonEmptyReadonlyArray<Row>, onConflict = "", refusal?: Refusal): Write => {
  const text = textOf(`insert ${table} ${rows.length}${onConflict}`, () => {
    const columns = Object.keys(rows[0])
    const tuples = rows.map(() => marks(columns.length)).join(", ")
    return `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${tuples}${onConflict}${refusal === undefined ? "" : " RETURNING n"}`
  })
  return write(
    text,
    rows.flatMap((row) => Object.values(row)),
    refusal
  )
}

/** Writes a record if its revision follows the stored one. */
const next = (table: string, { id, revision, ...row }: Row & { readonly id: string; readonly revision: number }) => {
  if (revision === 1) return insert(table, [{ id, revision, ...row }], " ON CONFLICT (id) DO NOTHING", ofRecord(id))
  // SQLite writes the indexes of a column that is set, although its value is the same
  const { stopped_at_ms, ...rest } = row
  const changes: Row = stopped_at_ms === null ? { revision, ...rest } : { revision, ...row }
  const columns = Object.keys(changes)
  const text = textOf(`update ${table} ${columns.length}`, () => {
    const set = columns.map((column) => `${column} = ?`).join(", ")
    return `UPDATE ${table} SET ${set} WHERE id = ? AND revision = ? RETURNING n`
  })
  return write(text, [...Object.values(changes), id, revision - 1], ofRecord(id))
}

/** Writes a turn that is new, or a change of one that this session has. */
const putTurn = (turn: Turn.Turn, isNew: boolean): Write => {
  const row = turnRow(turn)
  const changes = ["status", "record", "waiting_since_ms"]
  if (row.usd !== 0) changes.push("usd")
  if (row.ended_at_ms !== null) changes.push("ended_at_ms")
  const set = changes.map((column) => `${column} = excluded.${column}`).join(", ")
  const onConflict = isNew ? "DO NOTHING" : `(id) DO UPDATE SET ${set} WHERE turns.session_id = excluded.session_id`
  return insert("turns", [row], ` ON CONFLICT ${onConflict}`, ofRecord(turn.id))
}

/** The records without those that a later one replaces, because one statement of Postgres writes a row only once. */
const latest = <A extends { readonly turnId: string; readonly ordinal: number }>(records: ReadonlyArray<A>) =>
  records.length < 2
    ? records
    : [...new Map(records.map((record) => [`${record.turnId} ${record.ordinal}`, record])).values()]

/** The statements that write a step, in their order. */
export const writesOf = ({
  browser,
  events,
  forgetKey,
  key,
  message,
  modelCalls = [],
  session,
  turnSteps = [],
  turns = [],
  unplaced
}: Step): ReadonlyArray<Write> => {
  const writes: Array<Write> = []
  if (key !== undefined) {
    // the same create at another node waits here until this commit is over
    writes.push(insert("idempotency_keys", [keyRow(key)], " ON CONFLICT DO NOTHING", { of: "key", record: key }))
  }
  if (session !== undefined) {
    writes.push(next("sessions", sessionRow(session)))
    // in the order of their cost by day, so that commits that end several turns don't wait for each other in a circle
    for (const turn of turns.toSorted(({ model: left }, { model: right }) => (left < right ? -1 : 1))) {
      writes.push(putTurn(turn, session.revision === 1))
    }
  }
  if (browser !== undefined) writes.push(next("browsers", browserRow(browser)))
  if (unplaced !== undefined) {
    const { id, revision } = unplaced
    writes.push(write("DELETE FROM browsers WHERE id = ? AND revision = ? RETURNING n", [id, revision], ofRecord(id)))
  }
  const again = " ON CONFLICT (turn_id, ordinal) DO UPDATE SET record = excluded.record"
  for (const each of latest(turnSteps)) writes.push(insert("turn_steps", [stepRow(each)], again))
  for (const each of latest(modelCalls)) writes.push(insert("model_calls", [modelCallRow(each)], again))
  if (message !== undefined) {
    writes.push(insert("messages", [messageRow(message)], " ON CONFLICT (id) DO NOTHING", ofRecord(message.id)))
  }
  if (forgetKey !== undefined) writes.push(write("DELETE FROM idempotency_keys WHERE key = ?", [forgetKey]))
  for (const some of Arr.chunksOf(events, 100)) {
    writes.push({ ...insert("events", Arr.map(some, eventRow)), isOrdered: true })
  }
  return writes
}
