/** Follows a database from the outside: every event, and which node has which turn. */
import { type Browser, Schedules, Store, type StoredEvent, TimeOrderedIds } from "@webagent/engine"
import { Postgres, SqlSchedules, SqlStore } from "@webagent/sql"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { setTimeout as sleep } from "node:timers/promises"

/** Which node had a turn at work when it was last looked at, for turns that are not over. */
export interface Held {
  readonly node: string
  readonly turn: string
}

/** A browser of a create that has no place yet, and when it was seen. */
export interface StartingBrowser extends Pick<Browser.Browser, "id" | "owner"> {
  readonly node: string
  /** Time before which its record wasn't stored. */
  readonly arrived_ms: number
  /** Time by which its record was stored. */
  readonly firstSeen_ms: number
  /** Time until which it had no place. */
  readonly lastSeen_ms: number
}

/** Counts of turns by status, and the finished turns with their cost, in billionths of a USD. */
export interface Sums {
  readonly counts: Readonly<Record<string, number>>
  readonly turns: number
  readonly nano: number
}

/** Money as an integer. */
export const nanoOf = (usd: string | number | null) => Math.round(Number(usd ?? 0) * 1e9)

/** Interval between observations. */
const every_ms = 200

export const observe = async (database: string) => {
  // whatever its schema is: the database may be of the version before
  const runtime = ManagedRuntime.make(
    Layer.merge(SqlStore.layer, Layer.provide(SqlSchedules.layer, TimeOrderedIds.layer)).pipe(
      Layer.provideMerge(Postgres.layer({ url: Redacted.make(database), connections: 3 }))
    )
  )
  const events: Array<StoredEvent> = []
  const nodeOf = new Map<string, string>()
  const peaks = new Map<string, number>()
  const starting = new Map<string, StartingBrowser>()
  const page = 1000

  const look = Effect.gen(function* () {
    const store = yield* Store
    const sql = yield* SqlClient.SqlClient
    for (;;) {
      const more = yield* store.eventsAfter(events.at(-1)?.cursor ?? 0, page)
      // another look may have read them meanwhile
      const last = events.at(-1)?.cursor ?? 0
      events.push(...more.filter(({ cursor }) => cursor > last))
      if (more.length < page) break
    }
    const held = yield* sql<Held>`SELECT lease_node AS node, lease_turn AS turn FROM sessions
      JOIN turns ON turns.id = sessions.lease_turn
      WHERE lease_node IS NOT NULL AND turns.ended_at_ms IS NULL`
    for (const { node, turn } of held) nodeOf.set(turn, node)
    // one statement sees one moment; the order of events doesn't say what a create counted
    const open = yield* sql<{ readonly name: string; readonly count: number }>`SELECT name, count(*) AS count FROM (
      SELECT 'runs ' || owner AS name FROM turns WHERE ended_at_ms IS NULL
      UNION ALL SELECT 'browsers ' || owner FROM browsers WHERE stopped_at_ms IS NULL) AS open GROUP BY name`
    const began_ms = Date.now()
    const browsers = yield* sql<{ readonly record: string }>`SELECT record FROM browsers WHERE stopped_at_ms IS NULL`
    const ended_ms = Date.now()
    for (const { record } of browsers) {
      const { id, node, owner, sessionId, startedAt_ms, status } = JSON.parse(record) as Browser.Browser
      // the event log has the waits of runs
      if (status !== "starting" || sessionId !== null || node === null) continue
      const { firstSeen_ms = ended_ms } = starting.get(id) ?? {}
      starting.set(id, { id, owner, node, arrived_ms: startedAt_ms, firstSeen_ms, lastSeen_ms: began_ms })
    }
    for (const { count, name } of open) peaks.set(name, Math.max(peaks.get(name) ?? 0, Number(count)))
    return held
  })

  /** Again until the database answers. */
  const insist = async <A>(effect: Effect.Effect<A, unknown, Store | SqlClient.SqlClient>): Promise<A> => {
    for (;;) {
      const exit = await runtime.runPromiseExit(effect)
      if (exit._tag === "Success") return exit.value
      await sleep(every_ms)
    }
  }

  const stop = new AbortController()
  const following = (async () => {
    while (!stop.signal.aborted) {
      await insist(look)
      await sleep(every_ms)
    }
  })()

  const all = Effect.gen(function* () {
    const store = yield* Store
    const sql = yield* SqlClient.SqlClient
    const { browsers, turns } = yield* store.records
    const nodes = yield* store.nodes
    const sessions = yield* sql<{ readonly id: string }>`SELECT id FROM sessions WHERE lease_node IS NOT NULL`
    return { browsers, turns, nodes: nodes.map(({ id }) => id), held: sessions.map(({ id }) => id) }
  })

  const sums = Effect.gen(function* () {
    const { lists } = yield* Store
    const counts = yield* lists.turnCounts({}, 1_000_000)
    const spend = yield* lists.spend({ from_ms: 0, to_ms: 8.64e15 })
    return {
      counts: Object.fromEntries(Object.entries(counts).map(([status, { count }]) => [status, count])),
      turns: spend.reduce((sum, each) => sum + each.turns, 0),
      nano: spend.reduce((sum, { cost }) => sum + nanoOf(cost), 0)
    } satisfies Sums
  })

  return {
    events,
    /** The largest numbers of open records, as `runs bob`. */
    peaks,
    /** The browsers of creates that were seen before they had a place. */
    starting,
    /** Which node last had a turn. */
    nodeOf,
    /** The turns that a node has at work, by its name. */
    turnsAt: async (name: string) => {
      const held = await insist(look)
      return held.filter(({ node }) => node.startsWith(`${name}.`)).map(({ turn }) => turn)
    },
    /** Reads all records again. */
    all: async () => {
      await insist(look)
      return insist(all)
    },
    /** Counts and cost as lists have them. */
    sums: () => insist(sums),
    /** Sets the time that a schedule is due. */
    setDue: (id: string, dueAt_ms: number) =>
      insist(Effect.flatMap(Schedules, (schedules) => schedules?.update(id, { dueAt_ms }) ?? Effect.void)),
    /** Cuts all connections to the database. */
    cut: () =>
      insist(
        SqlClient.SqlClient.use(
          (sql) => sql`SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()`
        )
      ),
    /** The ids of files whose bytes the database knows: those of stored files, and those that are deleted later. */
    fileIds: () =>
      insist(
        Effect.map(
          SqlClient.SqlClient.use(
            (sql) => sql<{ readonly id: string }>`SELECT id FROM workspace_files UNION SELECT id FROM file_garbage`
          ),
          (rows) => rows.map(({ id }) => id)
        )
      ),
    /** Keys whose messages were refused, because the most that may wait did. */
    refusedMessages: async () => {
      const rows = await insist(
        SqlClient.SqlClient.use(
          (sql) => sql<{ readonly owner: string; readonly count: number }>`SELECT owner, count(*) AS count
            FROM webhook_deliveries WHERE finished_at_ms IS NOT NULL AND attempts = 0 GROUP BY owner`
        )
      )
      return rows.map(({ count, owner }) => `${count} messages of ${owner} were refused, because too many waited`)
    },
    /** Profiles that were deleted and are still there in part: their record, or a state with the key that opens it. */
    profileStates: async (deleted: ReadonlyArray<string>) => {
      const rows = await insist(
        SqlClient.SqlClient.use(
          (sql) => sql<{ readonly id: string }>`SELECT id FROM profiles
            UNION SELECT profile AS id FROM profile_saves WHERE profile NOT IN (SELECT id FROM profiles)`
        )
      )
      const left = new Set(rows.map(({ id }) => id))
      return deleted.filter((id) => left.has(id)).map((id) => `profile ${id} is there although it was deleted`)
    },
    /** Runs statements, for a bug that is planted. */
    execute: (statements: ReadonlyArray<string>) =>
      insist(
        SqlClient.SqlClient.use((sql) => Effect.forEach(statements, (text) => sql.unsafe(text), { discard: true }))
      ),
    close: async () => {
      stop.abort()
      await following
      await runtime.dispose()
    }
  }
}
