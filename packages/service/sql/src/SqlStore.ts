import {
  type Browser,
  Conflict,
  type Event,
  type IdempotencyRecord,
  KeyTaken,
  idempotencyLifetime_ms,
  type Node,
  type StoredMessage,
  type Records,
  type Session,
  type Step,
  Store,
  type StoreUnavailable,
  Turn
} from "@webagent/engine"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type * as Statement from "effect/sql/Statement"
import { Reader } from "./Reader.ts"
import { storeTime } from "./storeTime.ts"
import { read, transaction, unavailable } from "./unavailable.ts"

// a record is written by this module alone, so it is not checked again with each read
const parsed = <A>(text: unknown): A => JSON.parse(String(text)) as A

/** When a turn ended; null while it is not over. */
const endedAt = (turn: Turn.Turn) => (Turn.isTerminal(turn.status) ? (turn.finishedAt_ms ?? turn.createdAt_ms) : null)

const stoppedAt = (record: { readonly status: string; readonly finishedAt_ms: number | null }) =>
  record.status === "stopped" ? record.finishedAt_ms : null

/** How many events get their cursors at a time. */
const eventsAtOnce = 10_000

/** What differs between SQLite and Postgres. */
const dialectOf = (sql: SqlClient.SqlClient) =>
  sql.onDialectOrElse({
    pg: () => ({
      /** The statement that begins a transaction on one snapshot. */
      atOneMoment: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
      /** Skips rows that another node is changing, and locks the others. */
      skipLocked: sql.literal("FOR UPDATE SKIP LOCKED"),
      browsersOpen: sql.literal(""),
      /**
       * Gives cursors to events that have none, when they are read. The order in which overlapping commits become
       * visible is known only afterwards, and a lock around all commits would make each wait for the one before.
       */
      numbered: Effect.gen(function* () {
        if ((yield* sql`SELECT 1 FROM events WHERE cursor IS NULL LIMIT 1`).length === 0) return
        yield* sql.withTransaction(
          Effect.gen(function* () {
            // one reader at a time
            yield* sql`SELECT last FROM event_cursor FOR UPDATE`
            const given = yield* sql`UPDATE events SET cursor = last + place FROM event_cursor,
                (SELECT n, row_number() OVER (ORDER BY n) AS place FROM events WHERE cursor IS NULL
                  ORDER BY n LIMIT ${eventsAtOnce}) AS fresh
              WHERE events.n = fresh.n RETURNING 1`
            yield* sql`UPDATE event_cursor SET last = last + ${given.length}`
          })
        )
      }),
      /** Restarts the cursors at 1. */
      restarted: sql`UPDATE event_cursor SET last = 0`
    }),
    orElse: () => ({
      atOneMoment: undefined,
      skipLocked: sql.literal(""),
      browsersOpen: sql.literal("INDEXED BY browsers_open"),
      // commits run one at a time, so each event gets its cursor when it is stored
      numbered: Effect.void,
      restarted: sql`DELETE FROM sqlite_sequence WHERE name = 'events'`
    })
  })

/** How long the store remembers a node whose lease has ended. */
const keepNodes_ms = 86_400_000

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const reader = yield* Reader
  const { atOneMoment, browsersOpen, numbered, restarted, skipLocked } = dialectOf(sql)
  const now = storeTime(sql, yield* Clock.Clock)

  /** The record with this id, by one indexed statement. */
  const find =
    <A>(table: string, column = "id") =>
    (id: string): Effect.Effect<Option.Option<A>, StoreUnavailable> =>
      read(
        Effect.map(reader.get(`SELECT record FROM ${table} WHERE ${column} = ?`, id), (row) =>
          row === undefined ? Option.none() : Option.some(parsed<A>(row["record"]))
        )
      )

  const records = <A>(rows: Effect.Effect<ReadonlyArray<Readonly<Record<string, unknown>>>, SqlError>) =>
    read(Effect.map(rows, (found) => found.map(({ record }) => parsed<A>(record))))

  const ids = (rows: Effect.Effect<ReadonlyArray<Readonly<Record<string, unknown>>>, SqlError>) =>
    Effect.map(rows, (found) => found.map(({ id }) => String(id)))

  /** Whether a statement changed a row. */
  const changed = Effect.map((rows: ReadonlyArray<unknown>) => rows.length === 1)

  /** Writes a record if its revision follows the stored one; true if it was written. */
  const next = (table: "sessions" | "browsers", row: Readonly<Record<string, string | number | null>>) =>
    changed(
      row["revision"] === 1
        ? sql`INSERT INTO ${sql(table)} ${sql.insert(row)} ON CONFLICT (id) DO NOTHING RETURNING n`
        : sql`UPDATE ${sql(table)} SET ${sql.update(row, ["id"])}
            WHERE id = ${row["id"]} AND revision = ${Number(row["revision"]) - 1} RETURNING n`
    )

  const sessionRow = (session: Session.Session) => ({
    id: session.id,
    revision: session.revision,
    stopped_at_ms: stoppedAt(session),
    lease_node: session.lease?.node ?? null,
    lease_turn: session.lease?.turnId ?? null,
    idle_since_ms: session.idleSince_ms,
    record: JSON.stringify(session)
  })

  const turnRow = (turn: Turn.Turn) => ({
    id: turn.id,
    session_id: turn.sessionId,
    seq: turn.seq,
    owner: turn.owner,
    status: turn.status,
    ended_at_ms: endedAt(turn),
    usd: Number(turn.cost ?? 0),
    record: JSON.stringify(turn)
  })

  const browserRow = (browser: Browser.Browser) => ({
    id: browser.id,
    revision: browser.revision,
    owner: browser.owner,
    node: browser.node,
    stopped_at_ms: stoppedAt(browser),
    record: JSON.stringify(browser)
  })

  const messageRow = (message: StoredMessage) => ({
    id: message.id,
    turn_id: message.turnId,
    record: JSON.stringify(message)
  })

  const stepRow = (step: Turn.TurnStep) => ({
    turn_id: step.turnId,
    ordinal: step.ordinal,
    record: JSON.stringify(step)
  })

  const keyRow = (record: IdempotencyRecord) => ({
    key: record.key,
    created_at_ms: record.createdAt_ms,
    record: JSON.stringify(record)
  })

  const eventRow = (event: Event) => ({ record: JSON.stringify(event) })

  const readNow = <A>(use: (now_ms: Statement.Fragment) => Effect.Effect<A, SqlError>) => read(Effect.flatMap(now, use))
  const writeNow = <A>(use: (now_ms: Statement.Fragment) => Effect.Effect<A, SqlError>) =>
    Effect.mapError(Effect.flatMap(now, use), unavailable)

  /** A turn that is new, or a change of one that this session has. */
  const putTurn = (turn: Turn.Turn, isNew: boolean) =>
    changed(
      isNew
        ? sql`INSERT INTO turns ${sql.insert(turnRow(turn))} ON CONFLICT DO NOTHING RETURNING n`
        : sql`INSERT INTO turns ${sql.insert(turnRow(turn))} ON CONFLICT (id) DO UPDATE SET
            status = excluded.status, ended_at_ms = excluded.ended_at_ms, usd = excluded.usd, record = excluded.record
            WHERE turns.session_id = excluded.session_id RETURNING n`
    )

  const put = Effect.fnUntraced(function* (step: Step) {
    const { also, browser, events, forgetKey, key, message, session, turnSteps = [], turns = [] } = step
    if (key !== undefined) {
      // the same create at another node waits here until this commit is over
      const written = yield* sql`INSERT INTO idempotency_keys ${sql.insert(keyRow(key))}
        ON CONFLICT (key) DO UPDATE SET created_at_ms = excluded.created_at_ms, record = excluded.record
        WHERE idempotency_keys.created_at_ms <= ${key.createdAt_ms - idempotencyLifetime_ms} RETURNING n`
      if (written.length === 0) {
        const [known] = yield* sql`SELECT record FROM idempotency_keys WHERE key = ${key.key}`
        return yield* new KeyTaken({ record: parsed(known?.["record"]) })
      }
    }
    if (session !== undefined) {
      if (!(yield* next("sessions", sessionRow(session)))) return yield* new Conflict({ id: session.id })
      for (const turn of turns) {
        if (!(yield* putTurn(turn, session.revision === 1))) return yield* new Conflict({ id: turn.id })
      }
    }
    if (browser !== undefined && !(yield* next("browsers", browserRow(browser)))) {
      return yield* new Conflict({ id: browser.id })
    }
    for (const each of turnSteps) {
      yield* sql`INSERT INTO turn_steps ${sql.insert(stepRow(each))}
        ON CONFLICT (turn_id, ordinal) DO UPDATE SET record = excluded.record`
    }
    if (message !== undefined) {
      const added = sql`INSERT INTO messages ${sql.insert(messageRow(message))} ON CONFLICT (id) DO NOTHING RETURNING n`
      if (!(yield* changed(added))) return yield* new Conflict({ id: message.id })
    }
    if (forgetKey !== undefined) yield* sql`DELETE FROM idempotency_keys WHERE key = ${forgetKey}`
    for (const some of Arr.chunksOf(events, 100)) {
      yield* sql`INSERT INTO events ${sql.insert(Arr.map(some, eventRow))}`
    }
    if (also !== undefined) yield* also
  })

  const commit: Store["Service"]["commit"] = (step) => transaction(sql, put(step))

  const nodeOf = ({ draining, record }: Readonly<Record<string, unknown>>): Node => ({
    ...parsed<Node>(record),
    draining: Number(draining) === 1
  })

  /** The nodes that fit, by id. One that left before it renewed has no record. */
  const nodesWhere = (fit: (now_ms: Statement.Fragment) => Statement.Fragment) =>
    readNow((now_ms) =>
      Effect.map(
        sql`SELECT draining, record FROM nodes WHERE ${fit(now_ms)} AND record IS NOT NULL ORDER BY id`,
        Arr.map(nodeOf)
      )
    )

  const forgetTurns = Effect.fnUntraced(function* (gone: ReadonlyArray<string>) {
    if (gone.length === 0) return
    yield* sql`DELETE FROM turn_steps WHERE ${sql.in("turn_id", gone)}`
    yield* sql`DELETE FROM messages WHERE ${sql.in("turn_id", gone)}`
    yield* sql`DELETE FROM turns WHERE ${sql.in("id", gone)}`
  })

  /** Deletes the oldest matching rows of a table, at most `limit`, and returns their number. */
  const forget = (table: string, key: string, column: string, until: number, limit: number) =>
    Effect.map(
      sql`DELETE FROM ${sql(table)} WHERE ${sql(key)} IN
        (SELECT ${sql(key)} FROM ${sql(table)} WHERE ${sql(column)} <= ${until}
          ORDER BY ${sql(column)} LIMIT ${limit} ${skipLocked})
        RETURNING 1`,
      (rows) => rows.length
    )

  const prune: Store["Service"]["prune"] = (retention) => {
    const { eventsUntil, finishedUntil_ms, keysUntil_ms, limit, turnsUntilId, turnsUntil_ms } = retention
    const sessions = Effect.gen(function* () {
      if (finishedUntil_ms === undefined) return 0
      const gone = yield* ids(sql`SELECT id FROM sessions WHERE stopped_at_ms <= ${finishedUntil_ms}
        AND lease_node IS NULL AND NOT EXISTS (SELECT 1 FROM turns WHERE session_id = sessions.id AND ended_at_ms IS NULL)
        ORDER BY stopped_at_ms LIMIT ${limit} ${skipLocked}`)
      if (gone.length === 0) return 0
      yield* forgetTurns(yield* ids(sql`SELECT id FROM turns WHERE ${sql.in("session_id", gone)}`))
      yield* sql`DELETE FROM sessions WHERE ${sql.in("id", gone)}`
      return gone.length
    })
    const turns = Effect.gen(function* () {
      if (turnsUntil_ms === undefined) return 0
      const gone = yield* ids(sql`SELECT id FROM turns
        WHERE ended_at_ms <= ${turnsUntil_ms} AND (ended_at_ms < ${turnsUntil_ms} OR id <= ${turnsUntilId ?? "\uffff"})
        AND NOT EXISTS (SELECT 1 FROM sessions WHERE lease_turn = turns.id AND id = turns.session_id)
        ORDER BY ended_at_ms, id LIMIT ${limit} ${skipLocked}`)
      yield* forgetTurns(gone)
      return gone.length
    })
    const forgotten = Effect.gen(function* () {
      return {
        sessions: yield* sessions,
        turns: yield* turns,
        browsers:
          finishedUntil_ms === undefined ? 0 : yield* forget("browsers", "n", "stopped_at_ms", finishedUntil_ms, limit),
        keys:
          keysUntil_ms === undefined ? 0 : yield* forget("idempotency_keys", "n", "created_at_ms", keysUntil_ms, limit),
        events: eventsUntil === undefined ? 0 : yield* forget("events", "cursor", "cursor", eventsUntil, limit)
      }
    })
    return Effect.andThen(read(numbered), transaction(sql, forgotten))
  }

  const replace = Effect.fnUntraced(function* (records: Records) {
    for (const table of [...Object.values(tableOf), "events", "nodes"]) yield* sql`DELETE FROM ${sql(table)}`
    yield* restarted
    const fill = <K extends keyof Records>(kind: K, row: (record: Records[K][number]) => Record<string, unknown>) =>
      Effect.forEach(records[kind], (record) => sql`INSERT INTO ${sql(tableOf[kind])} ${sql.insert(row(record))}`, {
        discard: true
      })
    yield* fill("sessions", sessionRow)
    yield* fill("turns", turnRow)
    yield* fill("turnSteps", stepRow)
    yield* fill("messages", messageRow)
    yield* fill("browsers", browserRow)
    yield* fill("idempotencyRecords", keyRow)
  })

  const all = Effect.gen(function* () {
    const of = <A>(table: string, order = "n") =>
      Effect.map(sql`SELECT record FROM ${sql(table)} ORDER BY ${sql.literal(order)}`, (rows) =>
        rows.map(({ record }) => parsed<A>(record))
      )
    return {
      sessions: yield* of<Session.Session>("sessions"),
      turns: yield* of<Turn.Turn>("turns"),
      turnSteps: yield* of<Turn.TurnStep>("turn_steps", "turn_id, ordinal"),
      messages: yield* of<StoredMessage>("messages"),
      browsers: yield* of<Browser.Browser>("browsers"),
      idempotencyRecords: yield* of<IdempotencyRecord>("idempotency_keys")
    }
  })

  return Store.of({
    commit,
    session: find("sessions"),
    // one statement, so that the session and its turns are of one snapshot
    sessionState: (id) =>
      read(
        Effect.map(
          sql`SELECT 0 AS seq, record FROM sessions WHERE id = ${id}
            UNION ALL SELECT seq, record FROM turns WHERE session_id = ${id} AND ended_at_ms IS NULL
            UNION ALL SELECT seq, record FROM turns WHERE session_id = ${id} AND ended_at_ms IS NOT NULL
              AND id = (SELECT lease_turn FROM sessions WHERE id = ${id})
            ORDER BY seq`,
          ([session, ...turns]) =>
            session === undefined || session["seq"] !== 0
              ? Option.none()
              : Option.some({ session: parsed(session["record"]), turns: turns.map(({ record }) => parsed(record)) })
        )
      ),
    turn: find("turns"),
    turnsOf: (sessionId) => records(sql`SELECT record FROM turns WHERE session_id = ${sessionId} ORDER BY seq`),
    stepsOf: (turnId) => records(sql`SELECT record FROM turn_steps WHERE turn_id = ${turnId} ORDER BY ordinal`),
    message: find("messages"),
    browser: find("browsers"),
    idempotencyRecord: find("idempotency_keys", "key"),

    unfinished: (limit) =>
      read(
        Effect.all({
          sessions: ids(sql`SELECT session_id AS id, min(n) AS since FROM (
              SELECT session_id, n FROM turns WHERE ended_at_ms IS NULL
              UNION ALL SELECT session_id, n FROM turns WHERE id IN
                (SELECT lease_turn FROM sessions WHERE lease_node IS NOT NULL)
            ) AS waiting GROUP BY session_id ORDER BY since LIMIT ${limit}`),
          browsers: ids(sql`SELECT id FROM browsers ${browsersOpen}
            WHERE stopped_at_ms IS NULL ORDER BY n LIMIT ${limit}`)
        })
      ),
    renew: (node, ttl_ms, isKnown = false) =>
      writeNow((now_ms) =>
        isKnown
          ? changed(
              sql`UPDATE nodes SET until_ms = ${now_ms} + ${ttl_ms}, record = ${JSON.stringify(node)},
                draining = draining | ${node.draining ? 1 : 0} WHERE id = ${node.id} AND lost = 0 RETURNING id`
            )
          : Effect.andThen(
              sql`DELETE FROM nodes WHERE until_ms < ${now_ms} - ${keepNodes_ms}`,
              changed(
                sql`INSERT INTO nodes (id, until_ms, draining, record)
                  VALUES (${node.id}, ${now_ms} + ${ttl_ms}, ${node.draining ? 1 : 0}, ${JSON.stringify(node)})
                  ON CONFLICT (id) DO UPDATE SET until_ms = excluded.until_ms, record = excluded.record,
                    draining = nodes.draining | excluded.draining WHERE nodes.lost = 0 RETURNING id`
              )
            )
      ),
    nodes: nodesWhere((now_ms) => sql`until_ms > ${now_ms}`),
    silent: nodesWhere((now_ms) => sql`until_ms <= ${now_ms} AND lost = 0`),
    node: (id) =>
      Effect.map(
        nodesWhere((now_ms) => sql`id = ${id} AND until_ms > ${now_ms}`),
        Arr.head
      ),
    drain: (node, isDraining = true) =>
      writeNow((now_ms) =>
        changed(
          sql`UPDATE nodes SET draining = ${isDraining ? 1 : 0} WHERE id = ${node} AND until_ms > ${now_ms} AND record IS NOT NULL
            RETURNING id`
        )
      ),
    leave: (node) =>
      writeNow((now_ms) =>
        Effect.asVoid(
          sql`INSERT INTO nodes (id, until_ms, lost) VALUES (${node}, ${now_ms}, 1)
            ON CONFLICT (id) DO UPDATE SET until_ms = excluded.until_ms, lost = 1`
        )
      ),
    isLost: (node) =>
      writeNow((now_ms) =>
        Effect.gen(function* () {
          const [known] = yield* sql`SELECT lost, until_ms > ${now_ms} AS lives FROM nodes WHERE id = ${node}`
          if (known === undefined || known["lost"] === 1) return true
          if (known["lives"]) return false
          // the node may renew its lease at this very moment
          return yield* changed(
            sql`UPDATE nodes SET lost = 1 WHERE id = ${node} AND until_ms <= ${now_ms} RETURNING id`
          )
        })
      ),
    cancelledAt: (node) =>
      records(sql`SELECT turns.record FROM sessions JOIN turns ON turns.id = sessions.lease_turn
        WHERE sessions.lease_node = ${node} AND turns.status = 'cancelled'`),
    abandoned: (limit) =>
      readNow((now_ms) =>
        Effect.all({
          sessions: ids(sql`SELECT session_id AS id, min(n) AS since FROM (
              SELECT turns.session_id, turns.n FROM turns JOIN sessions ON sessions.id = turns.session_id
                WHERE turns.ended_at_ms IS NULL AND sessions.lease_node IS NULL
              UNION ALL SELECT turns.session_id, turns.n FROM sessions JOIN turns ON turns.id = sessions.lease_turn
                WHERE sessions.lease_node IS NOT NULL
                  AND sessions.lease_node NOT IN (SELECT id FROM nodes WHERE until_ms > ${now_ms})
            ) AS waiting GROUP BY session_id ORDER BY since LIMIT ${limit}`),
          browsers: ids(sql`SELECT id FROM browsers ${browsersOpen} WHERE stopped_at_ms IS NULL
            AND coalesce(node, '') NOT IN (SELECT id FROM nodes WHERE until_ms > ${now_ms}) ORDER BY n LIMIT ${limit}`)
        })
      ),

    eventsAfter: (after, limit) =>
      read(
        Effect.map(
          Effect.andThen(
            numbered,
            sql`SELECT cursor, record FROM events WHERE cursor > ${after} ORDER BY cursor LIMIT ${limit}`
          ),
          (rows) => rows.map(({ cursor, record }) => ({ cursor: Number(cursor), event: parsed<Event>(record) }))
        )
      ),
    prune,

    records: Effect.provideService(transaction(sql, all), SqlClient.BeginTransaction, atOneMoment),
    replace: (records) => transaction(sql, replace(records))
  })
})

const tableOf: Readonly<Record<keyof Records, string>> = {
  sessions: "sessions",
  turns: "turns",
  turnSteps: "turn_steps",
  messages: "messages",
  browsers: "browsers",
  idempotencyRecords: "idempotency_keys"
}

/** The store of a database. */
export const layer: Layer.Layer<Store, never, SqlClient.SqlClient | Reader> = Layer.effect(Store, make)
