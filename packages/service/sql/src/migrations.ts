import * as Effect from "effect/Effect"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import { sqliteTypes } from "./ColumnTypes.ts"
import {
  accessTables,
  consoleSessionTables,
  noteTables,
  ofTurn,
  profileTables,
  recordTables,
  scheduleTables
} from "./commonTables.ts"
import { fileOwners, fileTables } from "./fileTables.ts"
import { listTables } from "./listTables.ts"
import { spendTables } from "./spendTables.ts"
import { webhookTables } from "./webhookTables.ts"

/** Statements that bring every file from the version before to this one. Never change one that was released. */
const migration = (...statements: ReadonlyArray<string>) =>
  SqlClient.SqlClient.use((sql) => Effect.forEach(statements, (text) => sql.unsafe(text), { discard: true }))

const migrations = {
  "1_access": migration(...accessTables(sqliteTypes)),
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
    ofTurn("turn_steps", sqliteTypes),
    ...recordTables(sqliteTypes),
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
    ofTurn("model_calls", sqliteTypes),
    `ALTER TABLE events ADD COLUMN turn_id TEXT`,
    `UPDATE events SET turn_id = record ->> 'id' WHERE record ->> 'of' = 'turn'`,
    `CREATE INDEX events_of ON events (turn_id, cursor) WHERE turn_id IS NOT NULL`
  ),
  "6_lists": migration(...listTables),
  "7_notes": migration(...noteTables(sqliteTypes)),
  "8_console_sessions": migration(...consoleSessionTables(sqliteTypes)),
  "9_profiles": migration(...profileTables(sqliteTypes)),
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
  "14_webhooks": migration(...webhookTables(sqliteTypes)),
  "15_schedules": migration(...scheduleTables(sqliteTypes)),
  "16_questions": migration(
    `ALTER TABLE turns ADD COLUMN waiting_since_ms INTEGER`,
    `CREATE INDEX turns_waiting ON turns (waiting_since_ms) WHERE waiting_since_ms IS NOT NULL`
  ),
  "17_file_owners": migration(...fileOwners(sqliteTypes))
}

/** Every migration, oldest first. */
export const loader = Migrator.fromRecord(migrations)

/** The number of the newest migration: the schema that this version reads and writes. */
export const newest = Object.keys(migrations).length
