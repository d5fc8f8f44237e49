import { postgresTypes } from "./ColumnTypes.ts"
import { listedTables, listIndexes } from "./listTables.ts"
import { triggerFunction } from "./triggerFunction.ts"

/**
 * Statements that make the tables of lists in Postgres. They are empty at first, so that no lock is held for long:
 * `ListFill` fills them afterwards. Triggers keep lists in the commit of a record, also of a server of the version
 * before.
 */

/** Longest tag that lists find, because an index has no longer values. */
const longestTag = 200

/** Characters of a task that lists search. */
const searchedLength = 100_000

// separated by spaces, because Postgres would read an address or a number with a sign as one word
const punctuation = String.raw`!"#$%&''()*+,-./:;<=>?@[\]^_${"`"}{|}~`

const createdAt = (record: string, field: string) => `coalesce(round((${record} ->> '${field}')::numeric)::bigint, 0)`

/** Money as an integer, in billionths of a USD, because sums of them are exact. */
const nano = (usd: string) => `round((${usd} * 1e9)::numeric)::bigint`

const tokens = (record: string) =>
  `coalesce((${record} #>> '{tokens,input}')::numeric::bigint, 0), coalesce((${record} #>> '{tokens,output}')::numeric::bigint, 0)`

/** The row of a turn list; `of` is a row of turns with its record as JSON in `json`. Its status is null until it is over. */
const turnRow = (of: string, json: string) => `${of}.n, ${createdAt(json, "createdAt_ms")}, ${of}.owner,
  CASE WHEN ${of}.ended_at_ms IS NOT NULL THEN ${of}.status END, coalesce(${json} ->> 'model', ''), ${json} ->> 'node', ${json} ->> 'failure', ${of}.ended_at_ms, ${nano(`${of}.usd`)},
  ${tokens(json)}`

/** The tags of a turn, as `tag.value`. */
const tagsIn = (json: string) =>
  `jsonb_array_elements_text(CASE jsonb_typeof(${json} -> 'tags') WHEN 'array' THEN ${json} -> 'tags' ELSE '[]' END) AS tag (value)`

const sessionRow = (of: string, json: string) => `${of}.n, ${createdAt(json, "createdAt_ms")}, ${json} ->> 'owner'`

const browserRow = (of: string, json: string) => `${of}.n, ${createdAt(json, "startedAt_ms")}, ${of}.owner,
  coalesce(${json} ->> 'status', 'stopped'), ${of}.node`

const tables = [
  ...listedTables(postgresTypes, " WITH (fillfactor = 90)"),
  ...listIndexes(", n"),
  `CREATE INDEX turn_list_spend ON turn_list (ended_at_ms) INCLUDE (owner, model, nano, tokens_in, tokens_out)
    WHERE ended_at_ms IS NOT NULL`,
  // a column: calculating the words of a row whenever it is looked at takes 20 times as long
  `CREATE TABLE turn_texts (n BIGINT PRIMARY KEY, words TSVECTOR NOT NULL)`,
  `CREATE INDEX turn_texts_words ON turn_texts USING gin (words)`,
  `CREATE INDEX sessions_active ON sessions (n) WHERE stopped_at_ms IS NULL`
]

const functions = [
  // jsonb has no text with U+0000 or half a surrogate pair, and refuses records that are nested too deep
  String.raw`CREATE FUNCTION readable(record TEXT) RETURNS JSONB LANGUAGE plpgsql IMMUTABLE AS $$
    BEGIN
      RETURN record::jsonb;
    EXCEPTION WHEN OTHERS THEN
      BEGIN
        RETURN regexp_replace(record, '(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})', '\1 ', 'gi')::jsonb;
      EXCEPTION WHEN OTHERS THEN
        RETURN '{}'::jsonb;
      END;
    END $$`,
  `CREATE FUNCTION words_of(body JSONB) RETURNS TSVECTOR LANGUAGE sql IMMUTABLE AS $$
    SELECT to_tsvector('pg_catalog.simple', translate(left(coalesce(body ->> 'task', ''), ${searchedLength}),
      '${punctuation}', repeat(' ', 32))) $$`,
  triggerFunction(
    "turn_listed",
    `INSERT INTO turn_list SELECT ${turnRow("NEW", "body")};
      INSERT INTO turn_tags SELECT tag.value, ${createdAt("body", "createdAt_ms")}, NEW.n FROM ${tagsIn("body")}
        WHERE length(tag.value) <= ${longestTag} ON CONFLICT DO NOTHING;
      INSERT INTO turn_texts VALUES (NEW.n, words_of(body));`,
    { declare: "body JSONB := readable(NEW.record)" }
  ),
  triggerFunction(
    "turn_moved",
    `IF NEW.ended_at_ms IS NULL THEN
        UPDATE turn_list SET nano = ${nano("NEW.usd")} WHERE n = NEW.n;
      ELSE
        body := readable(NEW.record);
        UPDATE turn_list SET (status, ended_at_ms, nano, failure, tokens_in, tokens_out) =
          (SELECT NEW.status, NEW.ended_at_ms, ${nano("NEW.usd")}, body ->> 'failure', ${tokens("body")})
          WHERE n = NEW.n;
      END IF;`,
    { declare: "body JSONB" }
  ),
  triggerFunction(
    "turn_leased",
    "UPDATE turn_list SET node = NEW.lease_node WHERE n = (SELECT n FROM turns WHERE id = NEW.lease_turn);"
  ),
  triggerFunction(
    "turn_unlisted",
    `DELETE FROM turn_tags WHERE n = OLD.n AND created_at_ms = ${createdAt("body", "createdAt_ms")}
        AND tag IN (SELECT tag.value FROM ${tagsIn("body")});
      DELETE FROM turn_list WHERE n = OLD.n;
      DELETE FROM turn_texts WHERE n = OLD.n;`,
    { declare: "body JSONB := readable(OLD.record)" }
  ),
  triggerFunction("session_listed", `INSERT INTO session_list SELECT ${sessionRow("NEW", "body")};`, {
    declare: "body JSONB := readable(NEW.record)"
  }),
  triggerFunction("session_unlisted", "DELETE FROM session_list WHERE n = OLD.n;"),
  triggerFunction("browser_listed", `INSERT INTO browser_list SELECT ${browserRow("NEW", "body")};`, {
    declare: "body JSONB := readable(NEW.record)"
  }),
  triggerFunction(
    "browser_moved",
    `UPDATE browser_list SET status = coalesce(readable(NEW.record) ->> 'status', 'stopped'), node = NEW.node
        WHERE n = NEW.n;`
  ),
  triggerFunction("browser_unlisted", "DELETE FROM browser_list WHERE n = OLD.n;")
]

const trigger = (name: string, when: string, condition = "") =>
  `CREATE TRIGGER ${name} AFTER ${when} FOR EACH ROW ${condition} EXECUTE FUNCTION ${name}()`

const triggers = [
  trigger("turn_listed", "INSERT ON turns"),
  // nothing of a list changes with most steps of a run
  trigger("turn_moved", "UPDATE ON turns", "WHEN (NEW.usd <> OLD.usd OR NEW.ended_at_ms IS NOT NULL)"),
  trigger("turn_unlisted", "DELETE ON turns"),
  trigger(
    "turn_leased",
    "UPDATE ON sessions",
    `WHEN (NEW.lease_node IS NOT NULL
      AND (NEW.lease_node IS DISTINCT FROM OLD.lease_node OR NEW.lease_turn IS DISTINCT FROM OLD.lease_turn))`
  ),
  trigger("session_listed", "INSERT ON sessions"),
  trigger("session_unlisted", "DELETE ON sessions"),
  trigger("browser_listed", "INSERT ON browsers"),
  trigger("browser_moved", "UPDATE ON browsers"),
  trigger("browser_unlisted", "DELETE ON browsers")
]

// the triggers wait for the transactions that write now, so every later row is listed by its own
const progress = [
  `CREATE TABLE list_fill (name TEXT PRIMARY KEY, last BIGINT NOT NULL, until BIGINT NOT NULL)`,
  ...["turns", "sessions", "browsers"].map(
    (name) => `INSERT INTO list_fill SELECT '${name}', 0, coalesce(max(n), 0) FROM ${name}`
  )
]

/** The statements, in their order. */
export const postgresListTables: ReadonlyArray<string> = [...tables, ...functions, ...triggers, ...progress]

/** The statement that fills the lists of a table's records after `last`, up to and including `until`. */
export const fillOf = (table: string, last: number, until: number): string => {
  // a record that changes now is read as it is afterwards, and each is parsed once
  const rows = (columns: string) => `WITH t AS MATERIALIZED (SELECT ${columns}, readable(record) AS body
    FROM ${table} WHERE n > ${last} AND n <= ${until} FOR SHARE)`
  if (table === "sessions") {
    return `${rows("n")} INSERT INTO session_list SELECT ${sessionRow("t", "t.body")} FROM t
      ON CONFLICT DO NOTHING`
  }
  if (table === "browsers") {
    return `${rows("n, owner, node")} INSERT INTO browser_list SELECT ${browserRow("t", "t.body")} FROM t
      ON CONFLICT DO NOTHING`
  }
  return `${rows("n, owner, status, ended_at_ms, usd")},
    tags AS (INSERT INTO turn_tags SELECT tag.value, ${createdAt("t.body", "createdAt_ms")}, t.n
      FROM t, ${tagsIn("t.body")} WHERE length(tag.value) <= ${longestTag} ON CONFLICT DO NOTHING),
    texts AS (INSERT INTO turn_texts SELECT t.n, words_of(t.body) FROM t ON CONFLICT DO NOTHING)
    INSERT INTO turn_list SELECT ${turnRow("t", "t.body")} FROM t ON CONFLICT DO NOTHING`
}
