import * as Effect from "effect/Effect"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import { fileTables } from "./fileTables.ts"
import { listTables } from "./listTables.ts"
import { spendTables } from "./spendTables.ts"
import { webhookTables } from "./webhookTables.ts"

/** Statements that bring every file from the version before to this one. Never change one that was released. */
const migration = (...statements: ReadonlyArray<string>) =>
  SqlClient.SqlClient.use((sql) => Effect.forEach(statements, (text) => sql.unsafe(text), { discard: true }))

const migrations = {
  "1_access": migration(
    `CREATE TABLE api_keys (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL,
      hash BLOB NOT NULL UNIQUE,
      prefix TEXT NOT NULL,
      scopes TEXT NOT NULL,
      limits TEXT NOT NULL,
      created_at_ms INTEGER NOT NULL,
      revoked_at_ms INTEGER
    ) STRICT`,
    `CREATE UNIQUE INDEX api_keys_by_name ON api_keys (name) WHERE revoked_at_ms IS NULL`,
    `CREATE TABLE secrets (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT`
  ),
  // `n` is the order of creation. `record` is the whole record; the other columns are what is looked for.
  "2_store": migration(
    `CREATE TABLE sessions (
      n INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      revision INTEGER NOT NULL,
      stopped_at_ms INTEGER,
      lease_node TEXT,
      lease_turn TEXT,
      record TEXT NOT NULL
    ) STRICT`,
    `CREATE INDEX sessions_stopped ON sessions (stopped_at_ms) WHERE stopped_at_ms IS NOT NULL`,
    `CREATE INDEX sessions_active ON sessions (n) WHERE stopped_at_ms IS NULL`,
    `CREATE INDEX sessions_leased ON sessions (lease_node) WHERE lease_node IS NOT NULL`,
    `CREATE TABLE turns (
      n INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      session_id TEXT NOT NULL,
      seq INTEGER NOT NULL,
      owner TEXT,
      status TEXT NOT NULL,
      ended_at_ms INTEGER,
      usd REAL NOT NULL,
      record TEXT NOT NULL
    ) STRICT`,
    `CREATE UNIQUE INDEX turns_of ON turns (session_id, seq)`,
    `CREATE INDEX turns_open ON turns (session_id) WHERE ended_at_ms IS NULL`,
    `CREATE INDEX turns_ended ON turns (ended_at_ms) WHERE ended_at_ms IS NOT NULL`,
    `CREATE INDEX turns_owned ON turns (owner, ended_at_ms) WHERE owner IS NOT NULL`,
    `CREATE TABLE turn_steps (
      turn_id TEXT NOT NULL,
      ordinal INTEGER NOT NULL,
      record TEXT NOT NULL,
      PRIMARY KEY (turn_id, ordinal)
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE messages (
      n INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      turn_id TEXT NOT NULL,
      record TEXT NOT NULL
    ) STRICT`,
    `CREATE INDEX messages_of ON messages (turn_id)`,
    `CREATE TABLE browsers (
      n INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      revision INTEGER NOT NULL,
      owner TEXT,
      node TEXT,
      stopped_at_ms INTEGER,
      record TEXT NOT NULL
    ) STRICT`,
    `CREATE INDEX browsers_open ON browsers (owner, node) WHERE stopped_at_ms IS NULL`,
    `CREATE INDEX browsers_stopped ON browsers (stopped_at_ms) WHERE stopped_at_ms IS NOT NULL`,
    `CREATE TABLE idempotency_keys (
      n INTEGER PRIMARY KEY,
      key TEXT NOT NULL UNIQUE,
      created_at_ms INTEGER NOT NULL,
      record TEXT NOT NULL
    ) STRICT`,
    `CREATE INDEX idempotency_keys_made ON idempotency_keys (created_at_ms)`,
    `CREATE TABLE events (cursor INTEGER PRIMARY KEY AUTOINCREMENT, record TEXT NOT NULL) STRICT`,
    `CREATE TABLE nodes (id TEXT PRIMARY KEY, until_ms INTEGER NOT NULL) STRICT`
  ),
  // what is asked for often is read from an index alone, however many records there are
  "3_indexes": migration(
    `DROP INDEX turns_owned`,
    `CREATE INDEX turns_owned ON turns (owner, ended_at_ms, usd) WHERE owner IS NOT NULL`,
    `DROP INDEX turns_ended`,
    `CREATE INDEX turns_ended ON turns (ended_at_ms, id) WHERE ended_at_ms IS NOT NULL`,
    `CREATE INDEX turns_open_by_status ON turns (ended_at_ms, status) WHERE ended_at_ms IS NULL`,
    `ALTER TABLE sessions ADD COLUMN idle_since_ms INTEGER`,
    `UPDATE sessions SET idle_since_ms = max(record ->> 'createdAt_ms',
        (SELECT ifnull(max(ended_at_ms), 0) FROM turns WHERE session_id = sessions.id))
      WHERE stopped_at_ms IS NULL AND lease_node IS NULL
        AND NOT EXISTS (SELECT 1 FROM turns WHERE session_id = sessions.id AND ended_at_ms IS NULL)`,
    `UPDATE sessions SET record = json_set(record, '$.idleSince_ms', idle_since_ms)`,
    `CREATE INDEX sessions_idle ON sessions (idle_since_ms) WHERE idle_since_ms IS NOT NULL`,
    `DROP INDEX sessions_active`
  ),
  "4_nodes": migration(
    `ALTER TABLE nodes ADD COLUMN draining INTEGER NOT NULL DEFAULT 0`,
    `ALTER TABLE nodes ADD COLUMN lost INTEGER NOT NULL DEFAULT 0`,
    `ALTER TABLE nodes ADD COLUMN record TEXT`,
    `CREATE TABLE request_rates (name TEXT PRIMARY KEY, full_at_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID`
  ),
  "5_steps": migration(
    `CREATE TABLE model_calls (
      turn_id TEXT NOT NULL,
      ordinal INTEGER NOT NULL,
      record TEXT NOT NULL,
      PRIMARY KEY (turn_id, ordinal)
    ) STRICT, WITHOUT ROWID`,
    `ALTER TABLE events ADD COLUMN turn_id TEXT`,
    `UPDATE events SET turn_id = record ->> 'id' WHERE record ->> 'of' = 'turn'`,
    `CREATE INDEX events_of ON events (turn_id, cursor) WHERE turn_id IS NOT NULL`
  ),
  "6_lists": migration(...listTables),
  "7_notes": migration(
    `CREATE TABLE audit_log (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      at_ms INTEGER NOT NULL,
      key_name TEXT NOT NULL,
      address TEXT NOT NULL,
      action TEXT NOT NULL,
      targets TEXT NOT NULL,
      count INTEGER NOT NULL,
      status INTEGER NOT NULL
    ) STRICT`,
    `CREATE INDEX audit_log_at ON audit_log (at_ms)`,
    `CREATE INDEX audit_log_key ON audit_log (key_name, id)`,
    `CREATE TABLE run_notes (turn_id TEXT PRIMARY KEY, mark TEXT, share TEXT) STRICT, WITHOUT ROWID`
  ),
  "8_console_sessions": migration(
    `CREATE TABLE console_sessions (
      hash TEXT PRIMARY KEY,
      key_name TEXT NOT NULL,
      key_created_at_ms INTEGER,
      begun_at_ms INTEGER NOT NULL,
      used_at_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX console_sessions_used ON console_sessions (used_at_ms)`,
    `CREATE INDEX console_sessions_key ON console_sessions (key_name, begun_at_ms)`
  ),
  "9_profiles": migration(
    `CREATE TABLE profiles (
      n INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      owner TEXT,
      name TEXT,
      user_id TEXT,
      search TEXT NOT NULL,
      writer TEXT,
      save TEXT,
      domains TEXT,
      created_at_ms INTEGER NOT NULL,
      updated_at_ms INTEGER NOT NULL,
      last_used_at_ms INTEGER,
      saved_at_ms INTEGER,
      saved_by TEXT
    ) STRICT`,
    `CREATE INDEX profiles_owned ON profiles (owner, n)`,
    `CREATE TABLE profile_saves (
      save TEXT PRIMARY KEY,
      profile TEXT NOT NULL,
      key_id TEXT NOT NULL,
      data_key BLOB NOT NULL,
      chunks INTEGER NOT NULL
    ) STRICT`,
    `CREATE INDEX profile_saves_of ON profile_saves (profile)`,
    `CREATE TABLE profile_chunks (
      save TEXT NOT NULL,
      i INTEGER NOT NULL,
      bytes BLOB NOT NULL,
      PRIMARY KEY (save, i)
    ) STRICT`
  ),
  "10_spend": migration(...spendTables),
  "11_files": migration(...fileTables),
  "12_uses": migration(
    `ALTER TABLE api_keys ADD COLUMN last_used_at_ms INTEGER`,
    `CREATE TABLE audit_targets (
      target TEXT NOT NULL,
      id INTEGER NOT NULL,
      PRIMARY KEY (target, id)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX audit_targets_id ON audit_targets (id)`,
    `CREATE TRIGGER audit_log_targets AFTER INSERT ON audit_log BEGIN
      INSERT INTO audit_targets SELECT DISTINCT value, NEW.id FROM json_each(NEW.targets);
    END`,
    `CREATE TRIGGER audit_log_gone AFTER DELETE ON audit_log BEGIN
      DELETE FROM audit_targets WHERE id = OLD.id;
    END`,
    `INSERT INTO audit_targets SELECT DISTINCT json_each.value, audit_log.id FROM audit_log, json_each(targets)`
  ),
  "13_loans": migration(
    `ALTER TABLE profiles ADD COLUMN lent_at_ms INTEGER`,
    `UPDATE profiles SET lent_at_ms = last_used_at_ms WHERE writer IS NOT NULL`,
    `ALTER TABLE idempotency_keys ADD COLUMN also TEXT`,
    `CREATE UNIQUE INDEX idempotency_keys_also ON idempotency_keys (also) WHERE also IS NOT NULL`
  ),
  "14_webhooks": migration(...webhookTables),
  "15_schedules": migration(
    `CREATE TABLE schedules (
      n INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      owner TEXT,
      due_at_ms INTEGER,
      record TEXT NOT NULL
    ) STRICT`,
    `CREATE INDEX schedules_owned ON schedules (owner, n)`,
    `CREATE INDEX schedules_due ON schedules (due_at_ms) WHERE due_at_ms IS NOT NULL`
  ),
  "16_questions": migration(
    `ALTER TABLE turns ADD COLUMN waiting_since_ms INTEGER`,
    `CREATE INDEX turns_waiting ON turns (waiting_since_ms) WHERE waiting_since_ms IS NOT NULL`
  )
}

/** Every migration, oldest first. */
export const loader = Migrator.fromRecord(migrations)

/** The number of the newest migration: the schema that this version reads and writes. */
export const newest = Object.keys(migrations).length
