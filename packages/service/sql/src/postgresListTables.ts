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
  `CREATE TABLE turn_list (
    n BIGINT PRIMARY KEY,
    created_at_ms BIGINT NOT NULL,
    owner TEXT,
    status TEXT,
    model TEXT NOT NULL,
    node TEXT,
    failure TEXT,
    ended_at_ms BIGINT,
    nano BIGINT NOT NULL,
    tokens_in BIGINT NOT NULL,
    tokens_out BIGINT NOT NULL
  ) WITH (fillfactor = 90)`,
  `CREATE INDEX turn_list_created ON turn_list (created_at_ms, n)`,
  `CREATE INDEX turn_list_owner ON turn_list (owner, created_at_ms, n) WHERE owner IS NOT NULL`,
  `CREATE INDEX turn_list_status ON turn_list (status, created_at_ms, n) WHERE status IS NOT NULL`,
  `CREATE INDEX turn_list_model ON turn_list (model, created_at_ms, n)`,
  `CREATE INDEX turn_list_node ON turn_list (node, created_at_ms, n) WHERE node IS NOT NULL`,
  `CREATE INDEX turn_list_failure ON turn_list (failure, created_at_ms, n) WHERE failure IS NOT NULL`,
  `CREATE INDEX turn_list_cost ON turn_list (nano) WHERE nano > 0`,
  `CREATE INDEX turn_list_spend ON turn_list (ended_at_ms) INCLUDE (owner, model, nano, tokens_in, tokens_out)
    WHERE ended_at_ms IS NOT NULL`,
  `CREATE TABLE turn_tags (
    tag TEXT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    n BIGINT NOT NULL,
    PRIMARY KEY (tag, created_at_ms, n)
  )`,
  // a column: calculating the words of a row whenever it is looked at takes 20 times as long
  `CREATE TABLE turn_texts (n BIGINT PRIMARY KEY, words TSVECTOR NOT NULL)`,
  `CREATE INDEX turn_texts_words ON turn_texts USING gin (words)`,
  `CREATE TABLE session_list (
    n BIGINT PRIMARY KEY,
    created_at_ms BIGINT NOT NULL,
    owner TEXT
  )`,
  `CREATE INDEX session_list_created ON session_list (created_at_ms, n)`,
  `CREATE INDEX session_list_owner ON session_list (owner, created_at_ms, n) WHERE owner IS NOT NULL`,
  `CREATE INDEX sessions_active ON sessions (n) WHERE stopped_at_ms IS NULL`,
  `CREATE TABLE browser_list (
    n BIGINT PRIMARY KEY,
    created_at_ms BIGINT NOT NULL,
    owner TEXT,
    status TEXT NOT NULL,
    node TEXT
  )`,
  `CREATE INDEX browser_list_created ON browser_list (created_at_ms, n)`,
  `CREATE INDEX browser_list_owner ON browser_list (owner, created_at_ms, n) WHERE owner IS NOT NULL`,
  `CREATE INDEX browser_list_status ON browser_list (status, created_at_ms, n)`,
  `CREATE INDEX browser_list_node ON browser_list (node, created_at_ms, n) WHERE node IS NOT NULL`
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
  `CREATE FUNCTION turn_listed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
    DECLARE body JSONB := readable(NEW.record);
    BEGIN
      INSERT INTO turn_list SELECT ${turnRow("NEW", "body")};
      INSERT INTO turn_tags SELECT tag.value, ${createdAt("body", "createdAt_ms")}, NEW.n FROM ${tagsIn("body")}
        WHERE length(tag.value) <= ${longestTag} ON CONFLICT DO NOTHING;
      INSERT INTO turn_texts VALUES (NEW.n, words_of(body));
      RETURN NULL;
    END $$`,
  `CREATE FUNCTION turn_moved() RETURNS TRIGGER LANGUAGE plpgsql AS $$
    DECLARE body JSONB;
    BEGIN
      IF NEW.ended_at_ms IS NULL THEN
        UPDATE turn_list SET nano = ${nano("NEW.usd")} WHERE n = NEW.n;
      ELSE
        body := readable(NEW.record);
        UPDATE turn_list SET (status, ended_at_ms, nano, failure, tokens_in, tokens_out) =
          (SELECT NEW.status, NEW.ended_at_ms, ${nano("NEW.usd")}, body ->> 'failure', ${tokens("body")})
          WHERE n = NEW.n;
      END IF;
      RETURN NULL;
    END $$`,
  `CREATE FUNCTION turn_leased() RETURNS TRIGGER LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE turn_list SET node = NEW.lease_node WHERE n = (SELECT n FROM turns WHERE id = NEW.lease_turn);
      RETURN NULL;
    END $$`,
  `CREATE FUNCTION turn_unlisted() RETURNS TRIGGER LANGUAGE plpgsql AS $$
    DECLARE body JSONB := readable(OLD.record);
    BEGIN
      DELETE FROM turn_tags WHERE n = OLD.n AND created_at_ms = ${createdAt("body", "createdAt_ms")}
        AND tag IN (SELECT tag.value FROM ${tagsIn("body")});
      DELETE FROM turn_list WHERE n = OLD.n;
      DELETE FROM turn_texts WHERE n = OLD.n;
      RETURN NULL;
    END $$`,
  `CREATE FUNCTION session_listed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
    DECLARE body JSONB := readable(NEW.record);
    BEGIN
      INSERT INTO session_list SELECT ${sessionRow("NEW", "body")};
      RETURN NULL;
    END $$`,
  `CREATE FUNCTION session_unlisted() RETURNS TRIGGER LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM session_list WHERE n = OLD.n;
      RETURN NULL;
    END $$`,
  `CREATE FUNCTION browser_listed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
    DECLARE body JSONB := readable(NEW.record);
    BEGIN
      INSERT INTO browser_list SELECT ${browserRow("NEW", "body")};
      RETURN NULL;
    END $$`,
  `CREATE FUNCTION browser_moved() RETURNS TRIGGER LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE browser_list SET status = coalesce(readable(NEW.record) ->> 'status', 'stopped'), node = NEW.node
        WHERE n = NEW.n;
      RETURN NULL;
    END $$`,
  `CREATE FUNCTION browser_unlisted() RETURNS TRIGGER LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM browser_list WHERE n = OLD.n;
      RETURN NULL;
    END $$`
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
