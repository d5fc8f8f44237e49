import type { ColumnTypes } from "./ColumnTypes.ts"

/** API keys and secrets. */
export const accessTables = ({ bytes, integer, serial, strict }: ColumnTypes): ReadonlyArray<string> => [
  `CREATE TABLE api_keys (
    id ${serial},
    name TEXT NOT NULL,
    hash ${bytes} NOT NULL UNIQUE,
    prefix TEXT NOT NULL,
    scopes TEXT NOT NULL,
    limits TEXT NOT NULL,
    created_at_ms ${integer} NOT NULL,
    revoked_at_ms ${integer}
  )${strict}`,
  `CREATE UNIQUE INDEX api_keys_by_name ON api_keys (name) WHERE revoked_at_ms IS NULL`,
  `CREATE TABLE secrets (name TEXT PRIMARY KEY, value ${bytes} NOT NULL)${strict}`
]

/** A table of numbered records of a turn. */
export const ofTurn = (table: string, { id, integer, keyed }: ColumnTypes): string => `CREATE TABLE ${table} (
    turn_id ${id} NOT NULL,
    ordinal ${integer} NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (turn_id, ordinal)
  )${keyed}`

/** Messages, browsers and idempotency keys. */
export const recordTables = ({ id, integer, serial, strict }: ColumnTypes): ReadonlyArray<string> => [
  `CREATE TABLE messages (
    n ${serial},
    id ${id} NOT NULL UNIQUE,
    turn_id ${id} NOT NULL,
    record TEXT NOT NULL
  )${strict}`,
  `CREATE INDEX messages_of ON messages (turn_id)`,
  `CREATE TABLE browsers (
    n ${serial},
    id ${id} NOT NULL UNIQUE,
    revision ${integer} NOT NULL,
    owner TEXT,
    node ${id},
    stopped_at_ms ${integer},
    record TEXT NOT NULL
  )${strict}`,
  `CREATE INDEX browsers_open ON browsers (owner, node) WHERE stopped_at_ms IS NULL`,
  `CREATE INDEX browsers_stopped ON browsers (stopped_at_ms) WHERE stopped_at_ms IS NOT NULL`,
  `CREATE TABLE idempotency_keys (
    n ${serial},
    key ${id} NOT NULL UNIQUE,
    created_at_ms ${integer} NOT NULL,
    record TEXT NOT NULL
  )${strict}`,
  `CREATE INDEX idempotency_keys_made ON idempotency_keys (created_at_ms)`
]

/** The audit log, whose numbers are never used again, and notes of runs. */
export const noteTables = ({ id, integer, keyed, numbered, strict }: ColumnTypes): ReadonlyArray<string> => [
  `CREATE TABLE audit_log (
    id ${numbered},
    at_ms ${integer} NOT NULL,
    key_name TEXT NOT NULL,
    address TEXT NOT NULL,
    action TEXT NOT NULL,
    targets TEXT NOT NULL,
    count ${integer} NOT NULL,
    status INTEGER NOT NULL
  )${strict}`,
  `CREATE INDEX audit_log_at ON audit_log (at_ms)`,
  `CREATE INDEX audit_log_key ON audit_log (key_name, id)`,
  `CREATE TABLE run_notes (turn_id ${id} PRIMARY KEY, mark TEXT, share TEXT)${keyed}`
]

/** The sessions of the console. */
export const consoleSessionTables = ({ integer, keyed }: ColumnTypes): ReadonlyArray<string> => [
  `CREATE TABLE console_sessions (
    hash TEXT PRIMARY KEY,
    key_name TEXT NOT NULL,
    key_created_at_ms ${integer},
    begun_at_ms ${integer} NOT NULL,
    used_at_ms ${integer} NOT NULL
  )${keyed}`,
  `CREATE INDEX console_sessions_used ON console_sessions (used_at_ms)`,
  `CREATE INDEX console_sessions_key ON console_sessions (key_name, begun_at_ms)`
]

/** Browser profiles and their encrypted states. */
export const profileTables = ({ bytes, id, integer, serial, strict }: ColumnTypes): ReadonlyArray<string> => [
  `CREATE TABLE profiles (
    n ${serial},
    id ${id} NOT NULL UNIQUE,
    owner TEXT,
    name TEXT,
    user_id TEXT,
    search TEXT NOT NULL,
    writer ${id},
    save ${id},
    domains TEXT,
    created_at_ms ${integer} NOT NULL,
    updated_at_ms ${integer} NOT NULL,
    last_used_at_ms ${integer},
    saved_at_ms ${integer},
    saved_by TEXT
  )${strict}`,
  `CREATE INDEX profiles_owned ON profiles (owner, n)`,
  `CREATE TABLE profile_saves (
    save ${id} PRIMARY KEY,
    profile ${id} NOT NULL,
    key_id TEXT NOT NULL,
    data_key ${bytes} NOT NULL,
    chunks INTEGER NOT NULL
  )${strict}`,
  `CREATE INDEX profile_saves_of ON profile_saves (profile)`,
  `CREATE TABLE profile_chunks (
    save ${id} NOT NULL,
    i INTEGER NOT NULL,
    bytes ${bytes} NOT NULL,
    PRIMARY KEY (save, i)
  )${strict}`
]

/** Schedules. */
export const scheduleTables = ({ id, integer, serial, strict }: ColumnTypes): ReadonlyArray<string> => [
  `CREATE TABLE schedules (
    n ${serial},
    id ${id} NOT NULL UNIQUE,
    owner ${id},
    due_at_ms ${integer},
    record TEXT NOT NULL
  )${strict}`,
  `CREATE INDEX schedules_owned ON schedules (owner, n)`,
  `CREATE INDEX schedules_due ON schedules (due_at_ms) WHERE due_at_ms IS NOT NULL`
]
