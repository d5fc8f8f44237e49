import * as Effect from "effect/Effect"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import { postgresTypes } from "./ColumnTypes.ts"
import {
  accessTables,
  consoleSessionTables,
  noteTables,
  ofTurn,
  profileTables,
  recordTables,
  scheduleTables
} from "./commonTables.ts"
import { postgresFileOwners, postgresFileTables } from "./fileTables.ts"
import { postgresListTables } from "./postgresListTables.ts"
import { postgresGoneSpend, postgresSpendTables } from "./spendTables.ts"
import { webhookTables } from "./webhookTables.ts"
import { triggerFunction } from "./triggerFunction.ts"

const migration = (...statements: ReadonlyArray<string>) =>
  SqlClient.SqlClient.use((sql) => Effect.forEach(statements, (text) => sql.unsafe(text), { discard: true }))

const { id, serial } = postgresTypes

/** The order of creation, roughly: two that are created at once may have it the other way round. */
const n = `n ${serial}`

/**
 * Statements that bring every database from the version before to this one. Never change one that was released. Servers
 * of the version before run while they are carried out, and after it: add what those can do without, and remove in a
 * later version what none of them needs any more.
 *
 * As in SQLite, `record` is the whole record, as JSON; the other columns are what is looked for.
 */
const migrations = {
  "1_access": migration(...accessTables(postgresTypes)),
  "2_store": migration(
    `CREATE TABLE sessions (
      ${n},
      id ${id} NOT NULL UNIQUE,
      revision BIGINT NOT NULL,
      stopped_at_ms BIGINT,
      lease_node ${id},
      lease_turn ${id},
      idle_since_ms BIGINT,
      record TEXT NOT NULL
    )`,
    `CREATE INDEX sessions_stopped ON sessions (stopped_at_ms) WHERE stopped_at_ms IS NOT NULL`,
    `CREATE INDEX sessions_leased ON sessions (lease_node) WHERE lease_node IS NOT NULL`,
    `CREATE INDEX sessions_idle ON sessions (idle_since_ms) WHERE idle_since_ms IS NOT NULL`,
    `CREATE TABLE turns (
      ${n},
      id ${id} NOT NULL UNIQUE,
      session_id ${id} NOT NULL,
      seq BIGINT NOT NULL,
      owner TEXT,
      status TEXT NOT NULL,
      ended_at_ms BIGINT,
      usd DOUBLE PRECISION NOT NULL,
      record TEXT NOT NULL
    )`,
    `CREATE UNIQUE INDEX turns_of ON turns (session_id, seq)`,
    `CREATE INDEX turns_open ON turns (status, n) INCLUDE (session_id) WHERE ended_at_ms IS NULL`,
    `CREATE INDEX turns_ended ON turns (ended_at_ms, id) WHERE ended_at_ms IS NOT NULL`,
    `CREATE INDEX turns_owned ON turns (owner, ended_at_ms) INCLUDE (usd) WHERE owner IS NOT NULL`,
    ofTurn("turn_steps", postgresTypes),
    ...recordTables(postgresTypes),
    // an event gets its cursor when it is read: only then is it known which commits were before it
    `CREATE TABLE events (${n}, cursor BIGINT UNIQUE, record TEXT NOT NULL)`,
    `CREATE INDEX events_unread ON events (n) WHERE cursor IS NULL`,
    `CREATE TABLE event_cursor (last BIGINT NOT NULL)`,
    `INSERT INTO event_cursor VALUES (0)`,
    `CREATE TABLE nodes (
      id ${id} PRIMARY KEY,
      until_ms BIGINT NOT NULL,
      draining INTEGER NOT NULL DEFAULT 0,
      lost INTEGER NOT NULL DEFAULT 0,
      record TEXT
    )`,
    `CREATE TABLE request_rates (name ${id} PRIMARY KEY, full_at_ms BIGINT NOT NULL)`
  ),
  "3_steps": migration(
    ofTurn("model_calls", postgresTypes),
    `ALTER TABLE events ADD COLUMN turn_id ${id}`,
    // servers of the version before write no turn_id
    triggerFunction(
      "name_turn_of_event",
      "IF NEW.record::json ->> 'of' = 'turn' THEN NEW.turn_id := NEW.record::json ->> 'id'; END IF;",
      { returns: "NEW" }
    ),
    `CREATE TRIGGER events_turn BEFORE INSERT ON events FOR EACH ROW WHEN (NEW.turn_id IS NULL)
      EXECUTE FUNCTION name_turn_of_event()`,
    `UPDATE events SET turn_id = record::json ->> 'id' WHERE record::json ->> 'of' = 'turn'`,
    `CREATE INDEX events_of ON events (turn_id, cursor) WHERE turn_id IS NOT NULL`
  ),
  "4_lists": migration(...postgresListTables),
  "5_notes": migration(...noteTables(postgresTypes)),
  "6_console_sessions": migration(...consoleSessionTables(postgresTypes)),
  "7_profiles": migration(
    ...profileTables(postgresTypes),
    // the bytes are compressed and encrypted already
    `ALTER TABLE profile_chunks ALTER bytes SET STORAGE EXTERNAL`
  ),
  "8_spend": migration(...postgresSpendTables),
  "9_files": migration(...postgresFileTables),
  "10_uses": migration(
    `ALTER TABLE api_keys ADD COLUMN last_used_at_ms BIGINT`,
    `CREATE TABLE audit_targets (
      target TEXT NOT NULL,
      id BIGINT NOT NULL REFERENCES audit_log ON DELETE CASCADE,
      PRIMARY KEY (target, id)
    )`,
    `CREATE INDEX audit_targets_id ON audit_targets (id)`,
    // servers of the version before write entries too
    triggerFunction(
      "note_audit_targets",
      "INSERT INTO audit_targets SELECT DISTINCT value, NEW.id FROM json_array_elements_text(NEW.targets::json);"
    ),
    `CREATE TRIGGER audit_log_targets AFTER INSERT ON audit_log FOR EACH ROW EXECUTE FUNCTION note_audit_targets()`,
    `INSERT INTO audit_targets SELECT DISTINCT value, id FROM audit_log, json_array_elements_text(targets::json)
      ON CONFLICT DO NOTHING`
  ),
  "11_loans": migration(
    `ALTER TABLE profiles ADD COLUMN lent_at_ms BIGINT`,
    `UPDATE profiles SET lent_at_ms = last_used_at_ms WHERE writer IS NOT NULL`,
    // servers of the version before lend profiles without it
    triggerFunction("note_loan", "NEW.lent_at_ms := NEW.last_used_at_ms;", { returns: "NEW" }),
    `CREATE TRIGGER profiles_lent BEFORE UPDATE OF writer ON profiles FOR EACH ROW WHEN (NEW.writer IS NOT NULL
      AND NEW.writer IS DISTINCT FROM OLD.writer AND NEW.lent_at_ms IS NOT DISTINCT FROM OLD.lent_at_ms)
      EXECUTE FUNCTION note_loan()`,
    `ALTER TABLE idempotency_keys ADD COLUMN also ${id}`,
    `CREATE UNIQUE INDEX idempotency_keys_also ON idempotency_keys (also) WHERE also IS NOT NULL`,
    ...postgresGoneSpend
  ),
  "12_webhooks": migration(...webhookTables(postgresTypes)),
  "13_schedules": migration(...scheduleTables(postgresTypes)),
  "14_questions": migration(
    `ALTER TABLE turns ADD COLUMN waiting_since_ms BIGINT`,
    `CREATE INDEX turns_waiting ON turns (waiting_since_ms) WHERE waiting_since_ms IS NOT NULL`
  ),
  "15_file_owners": migration(...postgresFileOwners)
}

/** Every migration, oldest first. */
export const loader = Migrator.fromRecord(migrations)

/** The number of the newest migration: the schema that this version reads and writes. */
export const newest = Object.keys(migrations).length

/** The oldest schema whose servers can use a database of this version: no later migration takes anything from them. */
export const oldest = 2
