import { assert, describe, it } from "@effect/vitest"
import { type Node, Store } from "@webagent/engine"
import { Database, PostgresDatabase, SqlStore } from "@webagent/sql"
import { creation } from "@webagent/store-contract/Creation"
import { TestPostgres } from "@webagent/test-postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { join } from "node:path"
import { afterAll } from "vitest"
import { folder, run } from "./program.ts"

const runtime = ManagedRuntime.make(TestPostgres.layer)
afterAll(() => runtime.dispose())

const address = Effect.flatMap(runtime.contextEffect, (context) =>
  Effect.provideContext(
    TestPostgres.use(({ database }) => database),
    context
  )
)

/** Commits something as a server would. */
const storing = <A, E>(url: string, use: (store: Store["Service"]) => Effect.Effect<A, E>) =>
  Effect.provide(Store.use(use), Layer.provide(SqlStore.layer, PostgresDatabase.layer({ url: Redacted.make(url) })))

const node = (name: string, start: string): Node => ({
  id: `${name}.${start}`,
  name,
  address: "http://10.0.0.5:8080",
  room: 3,
  draining: false,
  startedAt_ms: Date.now() - 61_000
})

const hour_ms = 3_600_000

describe("webagent-server nodes, drain and runs", () => {
  it.live("list live nodes, and drain one of them", () =>
    Effect.gen(function* () {
      const url = yield* address
      const empty = yield* run(["nodes", "--data", url])
      assert.match(empty.stderr, /^postgres:\/\/\S+ is empty\. Check its name, or start a server with it\.\n$/u)
      yield* storing(url, () => Effect.void)
      const none = yield* run(["nodes", "--data", url])
      assert.match(none.stderr, /^No node uses postgres:\/\/\S+ right now\.\n$/u)
      yield* storing(url, (store) =>
        Effect.gen(function* () {
          yield* store.renew(node("east", "1"), hour_ms)
          yield* store.renew(node("west", "1"), hour_ms)
          yield* store.renew(node("west", "0"), hour_ms)
          yield* store.leave("west.0")
          const { session, turns, events } = creation("1")
          yield* store.commit({
            session: { ...session, lease: { node: "east.1", token: 1, turnId: "t1" } },
            turns,
            events
          })
        })
      )
      const listed = yield* run(["nodes", "--data", url])
      const lines = listed.stdout.split("\n")
      assert.match(lines[0] ?? "", /^NAME  STATE  SINCE +SESSIONS  BROWSERS  ADDRESS +ID$/u)
      assert.match(lines[1] ?? "", /^east  up     .+s +1         0         http:\/\/10\.0\.0\.5:8080  east\.1$/u)
      assert.match(lines[2] ?? "", /^west  up     .+ 0 +0 .* west\.1$/u)
      assert.lengthOf(lines, 4)
      const drained = yield* run(["drain", "east", "--data", url])
      assert.deepStrictEqual(
        [drained.code, drained.stdout],
        [
          0,
          "east.1 drains: it starts no new run or browser. Other nodes start its queued runs. Running sessions: 1, browsers: 0. Stop the node when both are 0, or add --undo to end the drain.\n"
        ]
      )
      const told = JSON.parse((yield* run(["nodes", "--json", "--data", url])).stdout)
      assert.deepStrictEqual(
        told.map(({ draining, name, sessions }: Record<string, unknown>) => [name, draining, sessions]),
        [
          ["east", true, 1],
          ["west", false, 0]
        ]
      )
      const last = yield* run(["drain", "west", "--data", url])
      assert.include(last.stdout, "No other node accepts work, so it refuses creates with 503.")
      for (const name of ["east", "west"]) {
        const undone = yield* run(["drain", name, "--undo", "--data", url])
        assert.strictEqual(undone.stdout, `${name}.1 takes new runs and browsers again, within a second.\n`)
      }
      const again = yield* run(["nodes", "--data", url])
      assert.notInclude(again.stdout, "draining")
      const unknown = yield* run(["drain", "north", "--data", url])
      assert.deepStrictEqual([unknown.code, unknown.stdout], [2, ""])
      assert.match(
        unknown.stderr,
        /^No node of postgres:\/\/\S+ is named north\. List them: .* nodes --data postgres:\S+\n$/u
      )
      yield* storing(url, (store) => store.renew(node("west", "2"), hour_ms))
      const both = yield* run(["drain", "west", "--data", url])
      assert.strictEqual(both.stderr, "2 nodes are named west. Choose one by its id: west.1, west.2.\n")
      assert.strictEqual((yield* run(["drain", "west.2", "--data", url])).code, 0)
    })
  )

  it.live("report that a file has no nodes, and list its runs", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "server.db")
      const { turns, ...ended } = creation("2")
      const over = turns.map((turn) => ({ ...turn, status: "completed" as const, finishedAt_ms: 1 }))
      const stored = Store.use((store) =>
        Effect.andThen(store.commit(creation("1", { task: "Find\na mug" })), store.commit({ ...ended, turns: over }))
      )
      yield* Effect.provide(stored, Layer.provide(SqlStore.layer, Database.layer({ file })))
      const nodes = yield* run(["nodes", "--data", file])
      assert.match(
        nodes.stderr,
        /server\.db is a file, which one server uses at a time\. Nodes share a Postgres database/u
      )
      const open = yield* run(["runs", "--open", "--data", file])
      assert.match(
        open.stdout,
        /^ID +STATUS +REASON +SINCE +STEPS +USD +KEY +NODE +TASK +ERROR\nt1 +queued +- +.* 0 +- +\S+ +- +Find a mug +-\n$/u
      )
      const [told] = JSON.parse((yield* run(["runs", "--open", "--json", "--data", file])).stdout)
      assert.deepInclude(told, { id: "t1", status: "queued", node: null, sessionId: "s1", task: "Find\na mug" })
      const all = yield* run(["runs", "--data", file])
      assert.match(all.stdout, /^ID +STATUS.*\nt2 +completed +done .*\nt1 +queued .*\n$/u)
    })
  )

  it.live("show the reason and error of a failed run in one line, without control characters", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "server.db")
      const { turns, ...rest } = creation("1")
      const error = `\u001b[31mThe run\nreached\u009b2J its \u202elimit.${" More.".repeat(100)}`
      const failed = turns.map((turn) => ({
        ...turn,
        owner: "shop",
        status: "failed" as const,
        failure: "step_limit" as const,
        error,
        cost: "0.42",
        finishedAt_ms: 1
      }))
      const stored = Store.use((store) => store.commit({ ...rest, turns: failed }))
      yield* Effect.provide(stored, Layer.provide(SqlStore.layer, Database.layer({ file })))
      const { stdout } = yield* run(["runs", "--data", file])
      assert.match(
        stdout,
        /^ID .*\nt1 +failed +step_limit +.+ 0 +0\.42 +shop +- +.* \[31mThe run reached2J its limit\. More.*…\n$/u
      )
      assert.isBelow(stdout.split("\n")[1]?.length ?? 0, 300)
      const json = (yield* run(["runs", "--json", "--data", file])).stdout
      // eslint-disable-next-line no-control-regex
      assert.notMatch(json, /[\u001b\u009b\u202e]/u)
      assert.deepInclude(JSON.parse(json)[0], { reason: "step_limit", error, owner: "shop", cost: "0.42" })
    })
  )
})
