import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import { mkdtempSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { createAt, statusAt } from "../measure/Ask.ts"
import { bundleServer, serverIn } from "../measure/Bundle.ts"
import { inspected } from "../measure/Inspector.ts"
import { autocannon, type Load, type Work } from "../measure/Load.ts"
import { startPostgres } from "../measure/OwnPostgres.ts"
import { installPeers } from "../measure/PeerInstall.ts"
import { unpinned } from "../measure/Pinning.ts"
import { chosen, type Heading, inFolder, type Options } from "../measure/Report.ts"
import { commandOf } from "../measure/ServerCommand.ts"
import { apiKey, freePort, type ServerProcess, startOurs } from "../measure/ServerProcess.ts"
import { inTurns, type Version, versionsOf } from "../measure/Versions.ts"

/** Amount of measurement. */
export interface Settings {
  readonly rounds: number
  /** Creates of one round at one contestant. */
  readonly creates: number
  readonly window_s: number
  /** Runs of one round that are followed from their create on. */
  readonly followed: number
  readonly connections: number
}

/** One round at one contestant. */
export interface Round {
  readonly creates_perSecond: number
  /** CPU of nodes and of Postgres for a run, from its create to its end. */
  readonly turn_nodes_ms: number
  readonly turn_postgres_ms: number
  readonly reads_perSecond: number
  readonly read_nodes_ms: number
  readonly read_postgres_ms: number
  /** From the POST until a read says that the run is at work. */
  readonly running_ms: ReadonlyArray<number>
}

/** All that was measured of one way to keep state. */
export interface Kept {
  readonly name: string
  readonly rounds: ReadonlyArray<Round>
  readonly kB_aRun: number
  readonly runs: number
}

/** The result of the bench `stores`. */
export interface StoresReport extends Heading {
  readonly settings: Settings
  /** Short hash of the other version, whose stores follow those of this one. */
  readonly against: string | null
  readonly kept: ReadonlyArray<Kept>
}

const full: Settings = { rounds: 7, creates: 300, window_s: 1, followed: 30, connections: 12 }
const quick: Settings = { ...full, rounds: 2, creates: 100, followed: 10 }

/** One way to keep state: its servers, which answer for each other, and what they leave behind. */
interface Standing {
  readonly name: string
  readonly nodes: ReadonlyArray<ServerProcess>
  readonly postgres_s: () => number
  /** Size of its stored data, in kB. */
  readonly kept_kB: () => Promise<number>
}

/** Duration of runs. A tenth of it is between their start and `running`. */
const run_ms = 20

const started = (program: ReadonlyArray<string>, flags: ReadonlyArray<string>, how?: Parameters<typeof startOurs>[2]) =>
  Effect.acquireRelease(
    Effect.promise(() => startOurs(program, ["--turn-duration", `${run_ms}ms`, ...flags], how)),
    ({ stop }) => Effect.promise(() => stop())
  )

const inMemory = Effect.fnUntraced(function* (bundle: string) {
  const { heapAfterCollection_MB, inspect } = inspected(yield* Effect.promise(freePort))
  const node = yield* started(commandOf(bundle, "simulate"), ["--journal-size", "0"], { inspect })
  return { nodes: [node], postgres_s: () => 0, kept_kB: async () => 1024 * (await heapAfterCollection_MB()) }
})

const inFile = Effect.fnUntraced(function* (bundle: string, file: string, flags: ReadonlyArray<string>) {
  const node = yield* started(commandOf(bundle, "serve"), ["--data", file, ...flags])
  const kept_kB = async () => {
    const db = new DatabaseSync(file, { readOnly: true })
    // the size of the file once the log is copied into it
    const size = db.prepare(`SELECT page_size * (page_count - freelist_count) / 1024.0 AS kB
      FROM pragma_page_size, pragma_page_count, pragma_freelist_count`)
    const kB = Number(size.get()?.["kB"])
    db.close()
    return kB
  }
  return { nodes: [node], postgres_s: () => 0, kept_kB }
})

const inPostgres = Effect.fnUntraced(function* (bundle: string, count: number) {
  const { address, client, cpu_s: postgres_s } = yield* startPostgres
  const nodes: Array<ServerProcess> = []
  while (nodes.length < count)
    nodes.push(yield* started(commandOf(bundle, "serve"), ["--data", address, "--node", `n${nodes.length + 1}`]))
  const size = PgClient.PgClient.use((sql) =>
    Effect.andThen(
      // rows of before a change are not what a run takes
      sql`VACUUM FULL`,
      sql<{ readonly kB: number }>`SELECT pg_database_size(current_database())::float8 / 1024 AS "kB"`
    )
  )
  const kept_kB = () => Effect.runPromise(Effect.map(Effect.provide(size, client), ([row]) => row?.kB ?? Number.NaN))
  return { nodes, postgres_s, kept_kB }
})

/** The ways to keep state, by the names of the report. */
const ways = (bundle: string, folder: string) => [
  { name: "memory", stand: inMemory(bundle) },
  { name: "SQLite", stand: inFile(bundle, join(folder, "normal.db"), []) },
  { name: "SQLite, --durable full", stand: inFile(bundle, join(folder, "full.db"), ["--durable", "full"]) },
  { name: "Postgres, 1 node", stand: inPostgres(bundle, 1) },
  { name: "Postgres, 3 nodes", stand: inPostgres(bundle, 3) }
]

const isWaiting = (status: string) => status === "queued" || status === "dispatching"

/** From the POST at one node until a read, of the next one where there are several, says that the run is at work. */
const untilRunning = async ({ nodes }: Standing, index: number): Promise<number> => {
  const [to, from] = [nodes[index % nodes.length]?.url, nodes[(index + 1) % nodes.length]?.url]
  const began = performance.now()
  const id = await createAt(to ?? "")
  while (isWaiting(await statusAt(from ?? "", id)));
  return performance.now() - began
}

/** For how long runs may still end after the last create was answered. */
const settle_ms = 1000

/** Some load, with the CPU that it took in ms an answer. */
const loaded = async (standing: Standing, load: Load, work: Work, settings: Settings, rest_ms: number) => {
  const { name, nodes, postgres_s } = standing
  const nodes_s = () => nodes.reduce((sum, { cpu_s }) => sum + cpu_s(), 0)
  const before = { nodes: nodes_s(), postgres: postgres_s() }
  const { connections, window_s: duration_s } = settings
  const {
    answers,
    duration_s: took_s,
    errors,
    others
  } = await load({
    url: nodes.map(({ url }) => url),
    apiKey,
    connections,
    duration_s,
    work
  })
  if (answers === 0 || others + errors > 0) {
    throw new Error(`${name}: ${answers} good answers, ${others} of another status, ${errors} errors`)
  }
  await sleep(rest_ms)
  return {
    perSecond: answers / took_s,
    nodes_ms: (1000 * (nodes_s() - before.nodes)) / answers,
    postgres_ms: (1000 * (postgres_s() - before.postgres)) / answers
  }
}

const round = async (standing: Standing, load: Load, settings: Settings): Promise<Round> => {
  const { creates, followed } = settings
  const created = await loaded(standing, load, { kind: "create", amount: creates }, settings, settle_ms)
  const id = await createAt(standing.nodes[0]?.url ?? "")
  const read = await loaded(standing, load, { kind: "read", path: `/api/v4/runs/${id}/status` }, settings, 0)
  const running_ms: Array<number> = []
  while (running_ms.length < followed) running_ms.push(await untilRunning(standing, running_ms.length))
  return {
    creates_perSecond: created.perSecond,
    turn_nodes_ms: created.nodes_ms,
    turn_postgres_ms: created.postgres_ms,
    reads_perSecond: read.perSecond,
    read_nodes_ms: read.nodes_ms,
    read_postgres_ms: read.postgres_ms,
    running_ms
  }
}

/** Our server over each of its stores: all stand through all rounds, which go over them in turns. */
export const stores = (options: Options): Promise<StoresReport> =>
  inFolder(async (scratch) => {
    const measures = options.quick ? quick : full
    const settings = { ...measures, rounds: options.rounds ?? measures.rounds }
    const load = autocannon(installPeers(options.log), unpinned("nodes, Postgres and load share the cores"))
    const versions = await versionsOf("server", bundleServer, scratch, options)
    const waysOf = ({ commit, folder }: Version) => {
      const data = mkdtempSync(join(scratch, "data-"))
      return chosen(ways(serverIn(folder), data), options.peers).map(({ name, stand }) => ({
        name: commit === null ? name : `${name}, ${commit}`,
        stand
      }))
    }
    const [now = [], before = []] = versions.map(waysOf)
    const standings = now.flatMap((way, index) => [way, ...before.slice(index, index + 1)])
    const program = Effect.gen(function* () {
      const all: Array<{ readonly standing: Standing; readonly empty_kB: number; readonly rounds: Array<Round> }> = []
      for (const { name, stand } of standings) {
        options.log(`start: ${name}`)
        const standing = { name, ...(yield* stand) }
        // code that is not compiled yet costs more, at each node
        for (const _ of standing.nodes) yield* Effect.promise(() => round(standing, load, settings))
        all.push({ standing, empty_kB: yield* Effect.promise(standing.kept_kB), rounds: [] })
      }
      for (let count = 1; count <= settings.rounds; count++) {
        options.log(`round ${count} of ${settings.rounds}`)
        for (const { rounds, standing } of inTurns(all, count)) {
          rounds.push(yield* Effect.promise(() => round(standing, load, settings)))
        }
      }
      const runs = settings.rounds * (settings.creates + settings.followed + 1)
      const kept: Array<Kept> = []
      for (const { empty_kB, rounds, standing } of all) {
        const grown_kB = (yield* Effect.promise(standing.kept_kB)) - empty_kB
        kept.push({ name: standing.name, rounds, runs, kB_aRun: grown_kB / runs })
      }
      return { settings, against: versions[1]?.commit ?? null, kept }
    })
    return await Effect.runPromise(Effect.scoped(program))
  })
