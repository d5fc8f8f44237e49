import { assert, describe, it } from "@effect/vitest"
import { Store } from "@webagent/engine"
import { creation } from "@webagent/store-contract/Creation"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import { renameSync, rmSync, symlinkSync } from "node:fs"
import { Database, SqlStore } from "../src/index.ts"
import { file } from "./files.ts"

/** Makes the database fail when it stores the turn `t3`. */
const failing = (how: "ABORT" | "ROLLBACK") =>
  SqlClient.SqlClient.use((sql) =>
    sql.unsafe(`CREATE TRIGGER fails BEFORE INSERT ON turns WHEN new.id = 't3' BEGIN
      SELECT RAISE(${how}, 'the disk is full');
    END`)
  )

/** Commits all steps at once. Returns what became of each. */
const commitAll = (steps: ReadonlyArray<Parameters<Store["Service"]["commit"]>[0]>) =>
  Effect.flatMap(Store, (store) =>
    Effect.forEach(steps, (step) => Effect.result(store.commit(step)), { concurrency: "unbounded" })
  ).pipe(
    Effect.map((results) =>
      results.map((result) =>
        Result.match(result, {
          onSuccess: () => "stored",
          onFailure: (error) => (error._tag === "StoreUnavailable" ? `failed, applied: ${error.applied}` : error._tag)
        })
      )
    )
  )

const storedSessions = Effect.map(
  Effect.flatMap(Store, ({ records }) => records),
  ({ sessions, turns }) => ({ sessions: sessions.map(({ id }) => id), turns: turns.map(({ id }) => id) })
)

const withStore = <A, E>(use: Effect.Effect<A, E, Store | SqlClient.SqlClient>) =>
  Effect.flatMap(file, (path) =>
    Effect.provide(use, Layer.provideMerge(SqlStore.layer, Database.layer({ file: path })))
  )

describe("GroupCommit", () => {
  it.live("stores the other steps of a group if one is refused", () =>
    withStore(
      Effect.gen(function* () {
        yield* commitAll([creation("1")])
        // its session is written before its turn is refused
        const { events, session } = creation("9")
        const { turns } = creation("1", {})
        const late = { events, session, turns: turns.map((turn) => ({ ...turn, sessionId: session.id })) }
        assert.deepStrictEqual(yield* commitAll([creation("2"), late, creation("3")]), ["stored", "Conflict", "stored"])
        assert.deepStrictEqual(yield* storedSessions, { sessions: ["s1", "s2", "s3"], turns: ["t1", "t2", "t3"] })
      })
    )
  )

  it.live("stores the other steps of a group if a statement of one fails", () =>
    withStore(
      Effect.gen(function* () {
        yield* failing("ABORT")
        const steps = ["2", "3", "4"].map((name) => creation(name))
        assert.deepStrictEqual(yield* commitAll(steps), ["stored", "failed, applied: no", "stored"])
        assert.deepStrictEqual((yield* storedSessions).sessions, ["s2", "s4"])
      })
    )
  )

  it.live("fails all steps of a group if the database rolls back its transaction, and stores later ones", () =>
    withStore(
      Effect.gen(function* () {
        yield* failing("ROLLBACK")
        const steps = ["2", "3", "4"].map((name) => creation(name))
        assert.deepStrictEqual(yield* commitAll(steps), Array(3).fill("failed, applied: no"))
        assert.deepStrictEqual(yield* commitAll([creation("4")]), ["stored"])
        assert.deepStrictEqual((yield* storedSessions).sessions, ["s4"])
      })
    )
  )

  it.live("stores more steps than a group takes", () =>
    withStore(
      Effect.gen(function* () {
        const steps = Array.from({ length: 150 }, (_, index) => creation(String(index)))
        assert.deepStrictEqual([...new Set(yield* commitAll(steps))], ["stored"])
        assert.strictEqual((yield* storedSessions).turns.length, 150)
      })
    )
  )

  it.live("joins a step to its surrounding transaction without waiting for a group", () =>
    withStore(
      Effect.gen(function* () {
        const store = yield* Store
        const sql = yield* SqlClient.SqlClient
        const within = (name: string) => sql.withTransaction(store.commit(creation(name)))
        const stored = Effect.timeoutOption(within("1"), "20 seconds")
        assert.isTrue(Option.isSome(yield* stored))
        yield* Effect.exit(sql.withTransaction(Effect.andThen(store.commit(creation("2")), Effect.fail("undone"))))
        assert.deepStrictEqual((yield* storedSessions).sessions, ["s1"])
      })
    )
  )

  /** Commits without an interruption, as the engine does. True if the commit ends within 20 seconds. */
  const commitEnds = (store: Store["Service"], name: string) =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkDetach(Effect.uninterruptible(store.commit(creation(name))))
      return Option.isSome(yield* Effect.timeoutOption(Fiber.await(fiber), "20 seconds"))
    })

  it.live("stores steps again after one failed check of the log file", () =>
    Effect.gen(function* () {
      const path = yield* file
      const log = `${path}-wal`
      yield* Effect.gen(function* () {
        const store = yield* Store
        yield* store.commit(creation("1"))
        renameSync(log, `${log}.away`)
        symlinkSync(log, log)
        const during = yield* commitEnds(store, "2")
        rmSync(log)
        renameSync(`${log}.away`, log)
        assert.deepStrictEqual({ during, after: yield* commitEnds(store, "3") }, { during: true, after: true })
        assert.include((yield* storedSessions).sessions, "s3")
      }).pipe(Effect.provide(Layer.provideMerge(SqlStore.layer, Database.layer({ file: path }))))
    })
  )

  it.live("finishes a commit of a closed database", () =>
    Effect.gen(function* () {
      const path = yield* file
      const scope = yield* Scope.make()
      const layer = Layer.provideMerge(SqlStore.layer, Database.layer({ file: path }))
      const store = yield* Effect.provide(Store, yield* Scope.provide(Layer.build(layer), scope))
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(yield* commitEnds(store, "1"))
    })
  )
})
