import { type ColumnTypes, sqliteTypes } from "./ColumnTypes.ts"

/**
 * Statements that make the tables of lists in SQLite, and fill them. A list has a narrow row per record and its own
 * indexes, because a page would otherwise read whole records, and a commit that changes nothing of a list would write
 * its indexes. Triggers keep lists in the commit of the record.
 */

/** A record as JSON that SQLite can read: it refuses one that is nested more than 1,000 levels deep. */
const readable = (record: string) => `CASE WHEN json_valid(${record}) THEN ${record} ELSE '{}' END`

/** Money as an integer, in billionths of a USD, because sums of them are exact. */
const nano = (usd: string) => `CAST(round(${usd} * 1e9) AS INTEGER)`

const tokens = (record: string) =>
  `coalesce(${record} ->> '$.tokens.input', 0), coalesce(${record} ->> '$.tokens.output', 0)`

/**
 * The row of a turn list; `of` is a row of turns with a readable record. Its status is null until the turn is over:
 * every step of a run would otherwise write it and its index.
 */
const turnRow = (of: string) => `SELECT ${of}.n, coalesce(${of}.record ->> '$.createdAt_ms', 0), ${of}.owner,
  CASE WHEN ${of}.ended_at_ms IS NOT NULL THEN ${of}.status END, coalesce(${of}.record ->> '$.model', ''), ${of}.record ->> '$.node', ${of}.record ->> '$.failure', ${of}.ended_at_ms,
  ${nano(`${of}.usd`)}, ${tokens(`${of}.record`)}`

const sessionRow = (of: string) => `SELECT ${of}.n, coalesce(${of}.record ->> '$.createdAt_ms', 0),
  ${of}.record ->> '$.owner'`

const browserRow = (of: string) => `SELECT ${of}.n, coalesce(${of}.record ->> '$.startedAt_ms', 0), ${of}.owner,
  coalesce(${of}.record ->> '$.status', 'stopped'), ${of}.node`

const rowsOf = (table: string, columns: string) =>
  `(SELECT ${columns}, ${readable("record")} AS record FROM ${table}) AS row`

// the limit has SQLite calculate the record once, and not for every field of it
const newRow = (columns: string) =>
  `(SELECT ${columns
    .split(", ")
    .map((column) => `new.${column}`)
    .join(", ")}, ${readable("new.record")} AS record LIMIT 1) AS row`

/** Its tags; `rows` are turns with readable records, as `row`. */
const tagsOf = (rows: string) => `INSERT OR IGNORE INTO turn_tags
  SELECT tag.value, coalesce(row.record ->> '$.createdAt_ms', 0), row.n FROM ${rows}, json_each(row.record, '$.tags') AS tag
  WHERE tag.type = 'text'`

const turnColumns = "n, owner, status, ended_at_ms, usd"

/** The tables that both databases have. `end` is the end of the list of turns. */
export const listedTables = ({ integer, keyed, strict }: ColumnTypes, end = strict): ReadonlyArray<string> => [
  `CREATE TABLE turn_list (
    n ${integer} PRIMARY KEY,
    created_at_ms ${integer} NOT NULL,
    owner TEXT,
    status TEXT,
    model TEXT NOT NULL,
    node TEXT,
    failure TEXT,
    ended_at_ms ${integer},
    nano ${integer} NOT NULL,
    tokens_in ${integer} NOT NULL,
    tokens_out ${integer} NOT NULL
  )${end}`,
  `CREATE TABLE turn_tags (
    tag TEXT NOT NULL,
    created_at_ms ${integer} NOT NULL,
    n ${integer} NOT NULL,
    PRIMARY KEY (tag, created_at_ms, n)
  )${keyed}`,
  `CREATE TABLE session_list (
    n ${integer} PRIMARY KEY,
    created_at_ms ${integer} NOT NULL,
    owner TEXT
  )${strict}`,
  `CREATE TABLE browser_list (
    n ${integer} PRIMARY KEY,
    created_at_ms ${integer} NOT NULL,
    owner TEXT,
    status TEXT NOT NULL,
    node TEXT
  )${strict}`
]

/** The indexes that both databases have. `last` is the number of the row, which SQLite adds to each index by itself. */
export const listIndexes = (last = ""): ReadonlyArray<string> => [
  `CREATE INDEX turn_list_created ON turn_list (created_at_ms${last})`,
  `CREATE INDEX turn_list_owner ON turn_list (owner, created_at_ms${last}) WHERE owner IS NOT NULL`,
  `CREATE INDEX turn_list_status ON turn_list (status, created_at_ms${last}) WHERE status IS NOT NULL`,
  `CREATE INDEX turn_list_model ON turn_list (model, created_at_ms${last})`,
  `CREATE INDEX turn_list_node ON turn_list (node, created_at_ms${last}) WHERE node IS NOT NULL`,
  `CREATE INDEX turn_list_failure ON turn_list (failure, created_at_ms${last}) WHERE failure IS NOT NULL`,
  `CREATE INDEX turn_list_cost ON turn_list (nano) WHERE nano > 0`,
  `CREATE INDEX session_list_created ON session_list (created_at_ms${last})`,
  `CREATE INDEX session_list_owner ON session_list (owner, created_at_ms${last}) WHERE owner IS NOT NULL`,
  `CREATE INDEX browser_list_created ON browser_list (created_at_ms${last})`,
  `CREATE INDEX browser_list_owner ON browser_list (owner, created_at_ms${last}) WHERE owner IS NOT NULL`,
  `CREATE INDEX browser_list_status ON browser_list (status, created_at_ms${last})`,
  `CREATE INDEX browser_list_node ON browser_list (node, created_at_ms${last}) WHERE node IS NOT NULL`
]

const texts = [
  // words only; a text index in the commit of each create would take longer than the create, so it is filled afterwards
  `CREATE VIRTUAL TABLE turn_texts USING fts5 (task, content = '', contentless_delete = 1,
    tokenize = "unicode61 remove_diacritics 0 categories 'L* N* M*'")`,
  `CREATE TABLE text_fill (last INTEGER NOT NULL) STRICT`,
  `INSERT INTO text_fill VALUES (0)`
]

const fills = [
  `INSERT INTO turn_list ${turnRow("row")} FROM ${rowsOf("turns", turnColumns)}`,
  tagsOf(rowsOf("turns", "n")),
  `INSERT INTO session_list ${sessionRow("row")} FROM ${rowsOf("sessions", "n")}`,
  `INSERT INTO browser_list ${browserRow("row")} FROM ${rowsOf("browsers", "n, owner, node")}`
]

const triggers = [
  `CREATE TRIGGER turn_listed AFTER INSERT ON turns BEGIN
    INSERT INTO turn_list ${turnRow("row")} FROM ${newRow(turnColumns)};
  END`,
  `CREATE TRIGGER turn_tagged AFTER INSERT ON turns WHEN instr(new.record, '"tags":["') > 0 BEGIN
    ${tagsOf(newRow("n"))};
  END`,
  // each touches only the indexes of what changed
  `CREATE TRIGGER turn_used AFTER UPDATE OF usd ON turns WHEN new.usd <> old.usd AND new.ended_at_ms IS NULL BEGIN
    UPDATE turn_list SET nano = ${nano("new.usd")} WHERE n = new.n;
  END`,
  `CREATE TRIGGER turn_ended AFTER UPDATE OF record ON turns WHEN new.ended_at_ms IS NOT NULL BEGIN
    UPDATE turn_list SET (status, ended_at_ms, nano, failure, tokens_in, tokens_out) = (SELECT new.status,
      new.ended_at_ms, ${nano("new.usd")}, row.record ->> '$.failure', ${tokens("row.record")} FROM ${newRow("n")})
    WHERE n = new.n;
  END`,
  `CREATE TRIGGER turn_leased AFTER UPDATE OF lease_node ON sessions WHEN new.lease_node IS NOT NULL
    AND (new.lease_node IS NOT old.lease_node OR new.lease_turn IS NOT old.lease_turn) BEGIN
    UPDATE turn_list SET node = new.lease_node WHERE n = (SELECT n FROM turns WHERE id = new.lease_turn);
  END`,
  `CREATE TRIGGER turn_unlisted AFTER DELETE ON turns BEGIN
    DELETE FROM turn_tags WHERE n = old.n AND created_at_ms = (SELECT created_at_ms FROM turn_list WHERE n = old.n)
      AND tag IN (SELECT value FROM json_each(${readable("old.record")}, '$.tags'));
    DELETE FROM turn_list WHERE n = old.n;
    DELETE FROM turn_texts WHERE rowid = old.n;
    UPDATE text_fill SET last = (SELECT coalesce(max(n), 0) FROM turns) WHERE last > (SELECT coalesce(max(n), 0) FROM turns);
  END`,
  `CREATE TRIGGER session_listed AFTER INSERT ON sessions BEGIN
    INSERT INTO session_list ${sessionRow("row")} FROM ${newRow("n")};
  END`,
  `CREATE TRIGGER session_unlisted AFTER DELETE ON sessions BEGIN
    DELETE FROM session_list WHERE n = old.n;
  END`,
  `CREATE TRIGGER browser_listed AFTER INSERT ON browsers BEGIN
    INSERT INTO browser_list ${browserRow("row")} FROM ${newRow("n, owner, node")};
  END`,
  `CREATE TRIGGER browser_moved AFTER UPDATE OF record ON browsers BEGIN
    UPDATE browser_list SET (status, node) = (SELECT coalesce(row.record ->> '$.status', 'stopped'), row.node
      FROM ${newRow("node")}) WHERE n = new.n;
  END`,
  `CREATE TRIGGER browser_unlisted AFTER DELETE ON browsers BEGIN
    DELETE FROM browser_list WHERE n = old.n;
  END`
]

/** The statements, in their order. */
export const listTables: ReadonlyArray<string> = [
  ...listedTables(sqliteTypes),
  ...texts,
  ...fills,
  ...listIndexes(),
  `CREATE INDEX turn_list_spend ON turn_list (ended_at_ms, owner, model, nano, tokens_in, tokens_out)
    WHERE ended_at_ms IS NOT NULL`,
  `CREATE INDEX sessions_active ON sessions (stopped_at_ms) WHERE stopped_at_ms IS NULL`,
  ...triggers
]
