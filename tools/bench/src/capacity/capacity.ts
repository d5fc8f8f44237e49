import * as PgClient from "@effect/sql-pg/PgClient"
import { TestPostgres } from "@webagent/test-postgres"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { createAt, statusAt } from "../measure/Ask.ts"
import { bundleServer } from "../measure/Bundle.ts"
import { type PostgresUse, postgresUse } from "../measure/PostgresUse.ts"
import { type Heading, inFolder, type Options } from "../measure/Report.ts"
import { type ServerProcess, startOurs } from "../measure/ServerProcess.ts"

/** Usage of nodes and Postgres in a window. */
export interface Used {
  readonly transactions: number
  /** CPU of all nodes, and of all processes of Postgres. */
  readonly nodes_s: number
  readonly postgres_s: number
}

/** Usage of a number of operations. */
export interface Operation {
  readonly what: string
  readonly count: number
  readonly used: Used
}

/** Nodes that have nothing to do. */
interface Idle {
  readonly nodes: number
  readonly seconds: number
  readonly used: Used
  readonly connections: number
  /** Of one node. */
  readonly rss_MB: number
}

/** The result of the bench `capacity`. */
export interface CapacityReport extends Heading {
  readonly idle: ReadonlyArray<Idle>
  readonly operations: ReadonlyArray<Operation>
}

const settle_ms = 1500

const using = Effect.fnUntraced(function* (
  { cpu_s, transactions }: PostgresUse,
  nodes: ReadonlyArray<ServerProcess>,
  work: () => Promise<unknown>
) {
  const ofNodes = () => nodes.reduce((sum, node) => sum + node.cpu_s(), 0)
  yield* Effect.promise(() => sleep(settle_ms))
  const before = { transactions: yield* transactions, nodes_s: ofNodes(), postgres_s: cpu_s() }
  yield* Effect.promise(work)
  yield* Effect.promise(() => sleep(settle_ms))
  return {
    transactions: (yield* transactions) - before.transactions,
    nodes_s: ofNodes() - before.nodes_s,
    postgres_s: cpu_s() - before.postgres_s
  }
})

const concurrency = 16

/** Does something so often, some at a time. */
const times = async (count: number, one: () => Promise<void>) => {
  let left = count
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (left-- > 0) await one()
    })
  )
}

/** Creates a run and reads its status until it is over: how many requests that took. */
const carryOut = async (at: string) => {
  const id = await createAt(at)
  for (let reads = 1; ; reads++) {
    if (/completed|failed/u.test(await statusAt(at, id))) return reads
    await sleep(100)
  }
}

/**
 * Measures the cost of a heartbeat, a run and a read for a node and Postgres: CPU time, which a busy machine hardly
 * changes.
 */
export const capacity = ({ log, quick }: Options): Promise<CapacityReport> =>
  inFolder(async (scratch) => {
    const { file: bundle } = await bundleServer(join(scratch, "server"))
    const seconds = quick ? 5 : 30
    const runs = quick ? 200 : 2000
    const start = (address: string, name: string) =>
      startOurs([bundle], ["--data", address, "--node", name, "--browsers", "simulated", "--turn-duration", "50ms"])
    const program = Effect.gen(function* () {
      const address = yield* (yield* TestPostgres).database
      const measured = Effect.gen(function* () {
        const postgres = yield* postgresUse
        const nodes: Array<ServerProcess> = []
        yield* Effect.addFinalizer(() => Effect.promise(() => Promise.all(nodes.map(({ stop }) => stop()))))
        const idle: Array<Idle> = []
        const operations: Array<Operation> = []
        for (const count of [1, 2, 4]) {
          while (nodes.length < count) {
            nodes.push(yield* Effect.promise(() => start(address, `node-${nodes.length + 1}`)))
          }
          log(`${count} nodes that have nothing to do`)
          const used = yield* using(postgres, nodes, () => sleep(seconds * 1000 - settle_ms))
          const connections = yield* postgres.connections
          idle.push({ nodes: count, seconds, used, connections, rss_MB: nodes[0]?.rss_MB() ?? 0 })
          if (count > 1) continue
          const at = nodes[0]?.url ?? ""
          log("runs and reads")
          // code that is not compiled yet costs more
          yield* Effect.promise(() => times(runs / 2, async () => void (await carryOut(at))))
          let reads = 0
          const ofRuns = yield* using(postgres, nodes, () =>
            times(runs, async () => {
              const took = await carryOut(at)
              reads += took
            })
          )
          operations.push({ what: `run of 50 ms, with ${(reads / runs).toFixed(1)} reads`, count: runs, used: ofRuns })
          const last = yield* Effect.promise(() => createAt(at))
          const read = () => times(runs * 5, async () => void (await statusAt(at, last)))
          operations.push({ what: "status read", count: runs * 5, used: yield* using(postgres, nodes, read) })
        }
        return { idle, operations }
      })
      return yield* Effect.scoped(measured).pipe(
        Effect.provide(PgClient.layer({ url: Redacted.make(address), maxConnections: 1 }))
      )
    })
    return await Effect.runPromise(Effect.provide(program, TestPostgres.layer))
  })
