import { assert, describe, it } from "@effect/vitest"
import { AdmissionRefused, Browser, type IdempotencyRecord, type Step, Store } from "@webagent/engine"
import { storeContract } from "@webagent/store-contract"
import { creation } from "@webagent/store-contract/Creation"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import * as Stream from "effect/Stream"
import * as FileGarbage from "../src/FileGarbage.ts"
import { Postgres, PostgresDatabase, SqlStore } from "../src/index.ts"
import { newest } from "../src/postgresMigrations.ts"
import { transaction } from "../src/unavailable.ts"
import { apiKeysOver } from "./apiKeys.ts"
import { notesOver } from "./notes.ts"
import { profilesOver } from "./profiles.ts"
import { webhooksOver } from "./webhooks.ts"
import { workspacesOver } from "./workspaces.ts"
import { startPostgres } from "./postgres.ts"
import { repeatedCreatesOver } from "./repeatedCreates.ts"
import { retentionOver } from "./retention.ts"

const { address, database, postgres } = startPostgres()

storeContract("SqlStore over Postgres", Layer.orDie(Layer.provide(SqlStore.layer, database)))
apiKeysOver("Postgres", database)
notesOver("Postgres", database)
profilesOver("Postgres", database)
webhooksOver("Postgres", database)
workspacesOver("Postgres", database)
retentionOver("Postgres", database)
repeatedCreatesOver("Postgres", database)

/** A node over a database: its store, and its SQL. */
const node = (url: Redacted.Redacted, options: Partial<Postgres.PostgresOptions> = {}) =>
  Effect.map(
    Layer.build(Layer.fresh(Layer.provideMerge(SqlStore.layer, PostgresDatabase.layer({ url, ...options })))),
    (context) => ({
      store: Effect.runSync(Effect.provideContext(Effect.service(Store), context)),
      sql: Effect.runSync(Effect.provideContext(Effect.service(SqlClient.SqlClient), context))
    })
  )

const keyed = (key: string, id: string): IdempotencyRecord => ({
  key,
  body: "body",
  createdAt_ms: 0,
  made: { _tag: "Browser", browser: Browser.make({ id, proxyCountryCode: null, startedAt_ms: 0 }) }
})

/** What became of a commit. */
const outcome = (store: Store["Service"], step: Step) =>
  Effect.map(Effect.result(store.commit(step)), (committed) =>
    Result.isSuccess(committed)
      ? "carried out"
      : committed.failure._tag === "StoreUnavailable"
        ? committed.failure.applied
        : committed.failure._tag
  )

/** Why a database is refused. */
const refusal = (url: Redacted.Redacted) =>
  Effect.map(Effect.flip(Effect.provide(Effect.void, PostgresDatabase.layer({ url }))), ({ message }) => message)

describe("a Postgres database", () => {
  it.live("is set up once by servers that start together on an empty one", () =>
    Effect.gen(function* () {
      const url = yield* address
      const nodes = yield* Effect.all([node(url), node(url), node(url)], { concurrency: 3 })
      for (const { sql } of nodes) assert.lengthOf(yield* sql`SELECT 1 FROM migrations`, newest)
      assert.deepStrictEqual(yield* PostgresDatabase.migrate(url), { from: newest, to: newest })
    })
  )

  it.live("passes over bytes of files that another node is about to delete", () =>
    Effect.gen(function* () {
      const url = yield* address
      const [one, two] = [yield* node(url), yield* node(url)]
      yield* one.sql`INSERT INTO file_garbage VALUES ('a', 0), ('b', 0)`
      const locked = yield* Deferred.make<void>()
      const holder = yield* Effect.forkChild(
        one.sql.withTransaction(
          Effect.gen(function* () {
            yield* one.sql`UPDATE file_garbage SET due_ms = 0 WHERE id = 'a'`
            yield* Deferred.succeed(locked, undefined)
            yield* Effect.never
          })
        )
      )
      yield* Deferred.await(locked)
      const removed: Array<string> = []
      const remove = (id: string) => Effect.sync(() => void removed.push(id))
      yield* FileGarbage.collect(two.sql, { write: () => Effect.succeed(0), read: () => Stream.empty, remove })
      assert.deepStrictEqual(removed, ["b"])
      yield* Fiber.interrupt(holder)
    })
  )

  it.live("is read by session for the state of a session, not by the open turns of all", () =>
    Effect.gen(function* () {
      const { sql, store } = yield* node(yield* address)
      const scans = Effect.map(
        sql<{ readonly name: string; readonly scans: number }>`SELECT indexrelname::text AS name, idx_scan::int AS scans
          FROM pg_stat_user_indexes WHERE indexrelname IN ('turns_of', 'turns_open') ORDER BY 1`,
        (rows) => rows.map(({ scans: count }) => count)
      )
      const before = yield* scans
      let after = before
      // Postgres counts scans at most once per second
      while (after.join() === before.join()) {
        yield* store.sessionState("none")
        yield* Effect.sleep("100 millis")
        after = yield* scans
      }
      assert.strictEqual(after[1], before[1])
    })
  )

  it.live("is refused in one sentence if it belongs to a newer or older version or another program", () =>
    Effect.gen(function* () {
      const url = yield* address
      const { sql } = yield* node(url)
      yield* sql`INSERT INTO migrations (migration_id, name) VALUES (999, 'later')`
      const shown = PostgresDatabase.shown(url)
      assert.strictEqual(
        yield* refusal(url),
        `${shown} was written by a newer version (schema 999, this one knows ${newest}). Update webagent-server, or use a backup.`
      )
      // a node of the version before goes on
      assert.isTrue(yield* Effect.map(sql`SELECT 1 FROM turns`, (rows) => rows.length === 0))
      yield* sql`DELETE FROM migrations WHERE migration_id > 1`
      assert.strictEqual(
        yield* refusal(url),
        `${shown} is of an older version (schema 1, this one needs ${newest}). Run: webagent-server migrate --data ${shown}`
      )
      const other = yield* address
      yield* SqlClient.SqlClient.use((sql) => sql`CREATE TABLE orders (id INTEGER)`).pipe(
        Effect.provide(Postgres.layer({ url: other }))
      )
      assert.strictEqual(
        yield* refusal(other),
        `${PostgresDatabase.shown(other)} is the database of another program. Choose another one.`
      )
    })
  )

  it.live("stays empty for a command that needs an existing one", () =>
    Effect.gen(function* () {
      const url = yield* address
      const opened = Effect.provide(Effect.void, PostgresDatabase.layerExisting({ url }))
      const { message } = yield* Effect.flip(opened)
      assert.strictEqual(message, `${PostgresDatabase.shown(url)} is empty. Check its name, or start a server with it.`)
      yield* Effect.provide(Effect.void, PostgresDatabase.layer({ url }))
      yield* opened
    })
  )

  it.live("names the privilege that its user lacks", () =>
    Effect.gen(function* () {
      const url = new URL(Redacted.value(yield* address))
      yield* SqlClient.SqlClient.use((sql) => sql`CREATE ROLE reader LOGIN`).pipe(
        Effect.provide(Postgres.layer({ url: Redacted.make(url.href) }))
      )
      url.username = "reader"
      const name = PostgresDatabase.shown(Redacted.make(url.href))
      assert.strictEqual(
        yield* refusal(Redacted.make(url.href)),
        `The user of ${name} may not create tables there. Run as the owner of the database: GRANT CREATE ON SCHEMA public TO reader`
      )
    })
  )

  it.live("shows its address without a password, even if that is wrong", () =>
    Effect.gen(function* () {
      const url = Redacted.make("postgres://ann:s3cret@db.example:5433/service?sslmode=require&password=s3cret")
      assert.strictEqual(PostgresDatabase.shown(url), "postgres://ann@db.example:5433/service")
      const socket = Redacted.make("postgres://ann@localhost/service?password=s3cret&host=%2Fvar%2Frun%2Fpostgresql")
      assert.strictEqual(PostgresDatabase.shown(socket), "postgres://ann@localhost/service?host=/var/run/postgresql")
      for (const wrong of [
        "postgres://ann:s3cret@[/service",
        "postgres:ann:s3cret@db/service",
        "postgres:/ann:s3cret@db/service",
        "postgres://ann:12/s3cret@db/service",
        "postgres://ann:12?s3cret@db/service",
        "postgres://ann:12#s3cret@db/service",
        '"postgres://ann:s3cret@db/service"',
        "mysql://ann:s3cret@db/service"
      ]) {
        assert.isTrue(PostgresDatabase.isAddress(wrong))
        assert.strictEqual(PostgresDatabase.shown(Redacted.make(wrong)), "the address")
        assert.strictEqual(
          yield* refusal(Redacted.make(wrong)),
          "The address of the Postgres database is wrong. Use postgres://user:password@host:5432/name, and %XX for each of @ : / ? # % in the password."
        )
      }
    })
  )
})

describe("nodes that share a Postgres database", () => {
  it.live("accept one of the creates that arrive at all of them with the same key", () =>
    Effect.gen(function* () {
      const url = yield* address
      const [one, two] = yield* Effect.all([node(url), node(url)])
      for (let round = 0; round < 10; round++) {
        const told = yield* Effect.forEach(
          Array.from({ length: 6 }, (_, index) => `${round}-${index}`),
          (name, index) => {
            const { store } = index % 2 === 0 ? one : two
            const step = { ...creation(name), key: keyed(`k${round}`, `b${name}`) }
            return Effect.result(store.commit(step))
          },
          { concurrency: "unbounded" }
        )
        const refused = told.flatMap((each) => (Result.isFailure(each) ? [each.failure] : []))
        assert.lengthOf(refused, 5)
        const [first] = refused
        for (const each of refused) {
          assert.strictEqual(each._tag, "KeyTaken")
          assert.deepStrictEqual(each, first)
        }
      }
      assert.lengthOf((yield* one.store.records).sessions, 10)
    })
  )

  it.live("report each event once and in order to followers while both nodes commit", () =>
    Effect.gen(function* () {
      const url = yield* address
      const [one, two] = yield* Effect.all([node(url), node(url)])
      const chains = 12
      const links = 6
      // each chain goes on at the other node when the one has committed
      const writing = Effect.forEach(
        Array.from({ length: chains }, (_, chain) => chain),
        (chain) =>
          Effect.forEach(
            Array.from({ length: links }, (_, link) => link),
            (link) => ((chain + link) % 2 === 0 ? one : two).store.commit(creation(`${chain}-${link}`)),
            { discard: true }
          ),
        { concurrency: "unbounded", discard: true }
      )
      const writer = yield* Effect.forkChild(writing)
      const told: Array<string> = []
      let cursor = 0
      while (told.length < chains * links * 2) {
        for (const each of yield* two.store.eventsAfter(cursor, 7)) {
          assert.isAbove(each.cursor, cursor)
          cursor = each.cursor
          told.push(each.event.id)
        }
      }
      yield* Fiber.join(writer)
      assert.lengthOf(new Set(told), chains * links * 2)
      for (let chain = 0; chain < chains; chain++) {
        const order = told.filter((id) => id.startsWith(`s${chain}-`))
        assert.deepStrictEqual(order, order.toSorted())
      }
    })
  )

  it.live("wait for each other's event numbers, but not for each other's locks", () =>
    Effect.gen(function* () {
      const url = yield* address
      const [one, two] = yield* Effect.all([node(url), node(url)])
      yield* one.store.commit(creation("1"))
      const locked = yield* Deferred.make<void>()
      const released = yield* Deferred.make<void>()
      const numbering = yield* Effect.forkChild(
        one.sql.withTransaction(
          Effect.gen(function* () {
            yield* one.sql`SELECT last FROM event_cursor FOR UPDATE`
            yield* Deferred.succeed(locked, undefined)
            yield* Deferred.await(released)
          })
        )
      )
      yield* Deferred.await(locked)
      const reading = yield* Effect.forkChild(two.store.eventsAfter(0, 10))
      yield* Effect.sleep("100 millis")
      const waiting = yield* two.sql`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'`
      assert.deepStrictEqual(waiting, [])
      yield* Deferred.succeed(released, undefined)
      yield* Fiber.join(numbering)
      assert.deepStrictEqual(
        (yield* Fiber.join(reading)).map(({ cursor, event }) => [cursor, event.of]),
        [
          [1, "session"],
          [2, "turn"]
        ]
      )
    })
  )

  it.live("know the turn of an event that an earlier version's server wrote", () =>
    Effect.gen(function* () {
      const { sql, store } = yield* node(yield* address)
      const { events } = creation("1")
      for (const event of events) yield* sql`INSERT INTO events (record) VALUES (${JSON.stringify(event)})`
      assert.deepStrictEqual(
        (yield* store.eventsOf("t1", 0, 10)).map(({ event }) => event),
        events.slice(1)
      )
    })
  )

  it.live("delete old records at the same time, each once, without waiting for each other's locks", () =>
    Effect.gen(function* () {
      const url = yield* address
      const [one, two] = yield* Effect.all([node(url), node(url)])
      for (let count = 0; count < 40; count++) {
        const made = creation(`${count}`)
        const { session, turns = [] } = made
        if (session === undefined) continue
        yield* one.store.commit({
          events: made.events,
          session: { ...session, status: "stopped", finishedAt_ms: count },
          turns: turns.map((turn) => ({ ...turn, status: "completed" as const, finishedAt_ms: count })),
          key: keyed(`k${count}`, `b${count}`)
        })
      }
      const locked = yield* Deferred.make<void>()
      const holder = yield* Effect.forkChild(
        one.sql.withTransaction(
          Effect.gen(function* () {
            yield* one.sql`SELECT 1 FROM sessions WHERE id = 's0' FOR UPDATE`
            yield* Deferred.succeed(locked, undefined)
            yield* Effect.never
          })
        )
      )
      yield* Deferred.await(locked)
      const pruned = yield* Effect.forEach(
        [one, two, one, two],
        ({ store }) => store.prune({ finishedUntil_ms: 100, keysUntil_ms: 100, limit: 10 }),
        { concurrency: "unbounded" }
      )
      yield* Fiber.interrupt(holder)
      const rest = yield* two.store.prune({ finishedUntil_ms: 100, keysUntil_ms: 100, limit: 100 })
      const all = [...pruned, rest]
      assert.strictEqual(
        all.reduce((sum, { sessions }) => sum + sessions, 0),
        40
      )
      assert.strictEqual(
        all.reduce((sum, { keys }) => sum + keys, 0),
        40
      )
      const left = yield* one.store.records
      assert.deepStrictEqual([left.sessions, left.turns, left.idempotencyRecords], [[], [], []])
    })
  )

  it.live("wait for a frozen node no longer than its transaction may be idle", () =>
    Effect.gen(function* () {
      const url = yield* address
      const [frozen, other] = yield* Effect.all([node(url, { patience_ms: 60_000 }), node(url)])
      const held = yield* Deferred.make<void>()
      const awake = yield* Deferred.make<void>()
      const step: Step = {
        ...creation("1"),
        key: keyed("k", "b1"),
        also: Effect.andThen(Deferred.succeed(held, undefined), Deferred.await(awake))
      }
      const late = yield* Effect.forkChild(outcome(frozen.store, step))
      yield* Deferred.await(held)
      assert.strictEqual(yield* outcome(other.store, { ...creation("2"), key: keyed("k", "b2") }), "carried out")
      // it wakes, and has nothing
      yield* Deferred.succeed(awake, undefined)
      assert.include(["no", "unknown"], yield* Fiber.join(late))
      assert.isTrue(Option.isNone(yield* other.store.session("s1")))
    })
  )
})

describe("a Postgres database", () => {
  it.live("closes connections that stop reading, which would keep their locks and block messages between nodes", () =>
    Effect.gen(function* () {
      const options = { url: yield* address, connections: 1 }
      // the socket of this test has no such time, so it is what the connection asked for
      const [setting] = yield* SqlClient.SqlClient.use(
        (sql) => sql`SELECT reset_val FROM pg_settings WHERE name = 'tcp_user_timeout'`
      ).pipe(Effect.provide(PostgresDatabase.layer(options)))
      assert.deepStrictEqual({ ...setting }, { reset_val: "30000" })
    })
  )
})

describe("an unavailable Postgres database", () => {
  it.live("reports for each commit whether it may have been applied, and works when it is back", () =>
    Effect.gen(function* () {
      const server = yield* postgres
      const { store } = yield* node(yield* address, { patience_ms: 4000 })
      assert.strictEqual(yield* outcome(store, creation("before")), "carried out")
      const away = (name: string) =>
        Effect.gen(function* () {
          const told = [outcome(store, creation(name)), Effect.flip(store.session("sbefore"))] as const
          const [committed, read] = yield* Effect.all(told, { concurrency: 2 })
          return [committed, read.applied]
        })
      yield* server.kill
      assert.deepStrictEqual(yield* away("away"), ["no", "no"])
      yield* server.start
      assert.strictEqual(yield* outcome(store, creation("killed")), "carried out")

      // asked to commit, and not answered
      const unanswered = { ...creation("unanswered"), also: server.freeze }
      assert.strictEqual(yield* outcome(store, unanswered), "unknown")
      // it may carry the commit out when it thaws, if the store had a connection
      const [stalled, unread] = yield* away("stalled")
      assert.include(["no", "unknown"], stalled)
      assert.strictEqual(unread, "no")
      yield* server.thaw
      assert.strictEqual(yield* outcome(store, creation("frozen")), "carried out")

      // the connection goes with the commit
      const cut = { ...creation("cut"), also: server.kill }
      assert.strictEqual(yield* outcome(store, cut), "unknown")
      yield* server.start
      assert.isTrue(Option.isNone(yield* store.session("scut")))
      assert.isTrue(Option.isNone(yield* store.session("saway")))
      for (const name of ["before", "killed", "frozen"]) {
        assert.isTrue(Option.isSome(yield* store.session(`s${name}`)), name)
      }
    })
  )

  it.live("reports a refused commit on a cut connection as unavailable, and stores nothing of it", () =>
    Effect.gen(function* () {
      const url = yield* address
      const { sql, store } = yield* node(url, { patience_ms: 4000 })
      const { sql: other } = yield* node(url)
      const cut = Effect.orDie(other`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`)
      const refused = Effect.andThen(cut, new AdmissionRefused({ message: "Too many runs", retryAfter_ms: 1000 }))
      assert.strictEqual(yield* outcome(store, { ...creation("refused"), also: refused }), "no")
      // what an admission reads within the commit is a transaction in the transaction
      const nested = Effect.andThen(cut, transaction(sql, Effect.asVoid(sql`SELECT 1`)))
      assert.strictEqual(yield* outcome(store, { ...creation("nested"), also: nested }), "no")
      for (const name of ["refused", "nested"]) assert.isTrue(Option.isNone(yield* store.session(`s${name}`)), name)
    })
  )

  it.live("doesn't keep a node from closing", () =>
    Effect.gen(function* () {
      const server = yield* postgres
      const url = yield* address
      const frozen = Effect.scoped(
        Effect.gen(function* () {
          const { store } = yield* node(url, { patience_ms: 4000 })
          assert.strictEqual(yield* outcome(store, { ...creation("1"), also: server.freeze }), "unknown")
          // a commit that is under way when the node closes
          yield* Effect.forkChild(store.commit(creation("2")))
        })
      )
      yield* Effect.ensuring(frozen, server.thaw)
    })
  )
})
