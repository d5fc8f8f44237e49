import { triggerFunction } from "./triggerFunction.ts"

/**
 * Statements that keep the cost of finished turns by day, owner and model. A commit adds the difference that it makes,
 * by a trigger of the list, so a sum has each turn once, however often it is written, and keeps it when the turn is
 * deleted. No owner is an empty text, because a primary key has no null.
 */

const sums = "turns, nano, tokens_in, tokens_out"

const dayOf = (ended_at_ms: string) => `${ended_at_ms} / 86400000 * 86400000`

const added = sums
  .split(", ")
  .map((column) => `${column} = spend_days.${column} + excluded.${column}`)
  .join(", ")

const totals = (cast: string) =>
  `count(*), ${["nano", "tokens_in", "tokens_out"].map((column) => `CAST(sum(${column}) AS ${cast})`).join(", ")}`

/** The amounts that a changed row of the list adds to its day. */
const difference = ["nano", "tokens_in", "tokens_out"].map(
  (column) => `new.${column} - CASE WHEN old.ended_at_ms IS NULL THEN 0 ELSE old.${column} END`
)

/** The statements of SQLite, in their order. */
export const spendTables: ReadonlyArray<string> = [
  `CREATE TABLE spend_days (
    day_ms INTEGER NOT NULL,
    owner TEXT NOT NULL,
    model TEXT NOT NULL,
    turns INTEGER NOT NULL,
    nano INTEGER NOT NULL,
    tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    PRIMARY KEY (day_ms, owner, model)
  ) STRICT, WITHOUT ROWID`,
  `INSERT INTO spend_days SELECT ${dayOf("ended_at_ms")}, coalesce(owner, ''), model, ${totals("INTEGER")}
    FROM turn_list INDEXED BY turn_list_spend WHERE ended_at_ms IS NOT NULL GROUP BY 1, 2, 3`,
  `DROP INDEX turn_list_spend`,
  `CREATE TRIGGER turn_spent AFTER UPDATE OF ended_at_ms, nano, tokens_in, tokens_out ON turn_list
    WHEN new.ended_at_ms IS NOT NULL AND (old.ended_at_ms IS NULL OR new.nano <> old.nano
      OR new.tokens_in <> old.tokens_in OR new.tokens_out <> old.tokens_out) BEGIN
    INSERT INTO spend_days VALUES (${dayOf("new.ended_at_ms")}, coalesce(new.owner, ''), new.model,
      old.ended_at_ms IS NULL, ${difference.join(", ")})
      ON CONFLICT DO UPDATE SET ${added};
  END`,
  `CREATE TRIGGER turn_spent_at_once AFTER INSERT ON turn_list WHEN new.ended_at_ms IS NOT NULL BEGIN
    INSERT INTO spend_days VALUES (${dayOf("new.ended_at_ms")}, coalesce(new.owner, ''), new.model,
      1, new.nano, new.tokens_in, new.tokens_out) ON CONFLICT DO UPDATE SET ${added};
  END`
]

/** Number of rows of a sum, so that commits of different connections seldom wait for each other. */
const shards = 16

/** The shard of the background fill, which no commit writes. */
const fillShard = -1

const intoDays = `INSERT INTO spend_days (day_ms, owner, model, shard, ${sums})`

const onDay = `ON CONFLICT (day_ms, owner, model, shard) DO UPDATE SET ${added}`

/** The statements of Postgres, in their order. `ListFill` adds the turns that are in the list already. */
export const postgresSpendTables: ReadonlyArray<string> = [
  `CREATE TABLE spend_days (
    day_ms BIGINT NOT NULL,
    owner TEXT NOT NULL,
    model TEXT NOT NULL,
    shard INTEGER NOT NULL,
    turns BIGINT NOT NULL,
    nano BIGINT NOT NULL,
    tokens_in BIGINT NOT NULL,
    tokens_out BIGINT NOT NULL,
    PRIMARY KEY (day_ms, owner, model, shard)
  ) WITH (fillfactor = 70)`,
  // it has the row, so it sees whether the fill, which locks rows before it adds them, was there first
  triggerFunction(
    "turn_spent",
    `IF before.ended_at_ms IS NULL THEN
        before.nano := 0;
        before.tokens_in := 0;
        before.tokens_out := 0;
      ELSIF (NEW.nano, NEW.tokens_in, NEW.tokens_out) = (before.nano, before.tokens_in, before.tokens_out) THEN
        RETURN NULL;
      END IF;
      IF EXISTS (SELECT 1 FROM list_fill WHERE name = 'spend' AND last < NEW.n AND NEW.n <= until) THEN
        RETURN NULL;
      END IF;
      ${intoDays}
        VALUES (${dayOf("NEW.ended_at_ms")}, coalesce(NEW.owner, ''), NEW.model, pg_backend_pid() % ${shards},
          CASE WHEN before.ended_at_ms IS NULL THEN 1 ELSE 0 END, NEW.nano - before.nano,
          NEW.tokens_in - before.tokens_in, NEW.tokens_out - before.tokens_out)
        ${onDay};`,
    { declare: "before turn_list := CASE WHEN TG_OP = 'UPDATE' THEN OLD END" }
  ),
  `CREATE TRIGGER turn_spent AFTER INSERT OR UPDATE ON turn_list FOR EACH ROW WHEN (NEW.ended_at_ms IS NOT NULL)
    EXECUTE FUNCTION turn_spent()`,
  // the trigger waits for the transactions that write now, so every later row is added by its own
  `INSERT INTO list_fill SELECT 'spend', 0, coalesce(max(n), 0) FROM turns`,
  `DROP INDEX turn_list_spend`
]

/** Statements that add the cost of a turn that is deleted before `ListFill` has added it. */
export const postgresGoneSpend: ReadonlyArray<string> = [
  // it has the row, so the fill either has added it, or does not see it any more
  triggerFunction(
    "turn_gone",
    `IF EXISTS (SELECT 1 FROM list_fill WHERE name = 'spend' AND last < OLD.n AND OLD.n <= until) THEN
        ${intoDays}
          VALUES (${dayOf("OLD.ended_at_ms")}, coalesce(OLD.owner, ''), OLD.model, pg_backend_pid() % ${shards},
            1, OLD.nano, OLD.tokens_in, OLD.tokens_out)
          ${onDay};
      END IF;`
  ),
  `CREATE TRIGGER turn_gone AFTER DELETE ON turn_list FOR EACH ROW WHEN (OLD.ended_at_ms IS NOT NULL)
    EXECUTE FUNCTION turn_gone()`
]

/** The statement that adds the cost of the list's turns after `last`, up to and including `until`. */
export const spendFillOf = (last: number, until: number): string =>
  // a turn that changes now is read as it is afterwards
  `WITH l AS MATERIALIZED (SELECT * FROM turn_list WHERE n > ${last} AND n <= ${until} FOR SHARE)
    ${intoDays}
    SELECT ${dayOf("ended_at_ms")}, coalesce(owner, ''), model, ${fillShard}, ${totals("BIGINT")}
    FROM l WHERE ended_at_ms IS NOT NULL GROUP BY 1, 2, 3 ${onDay}`
