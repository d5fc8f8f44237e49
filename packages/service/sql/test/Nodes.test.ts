import { assert, describe, it } from "@effect/vitest"
import { Store, Turn } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { type ChildProcess, fork } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Database, SqlStore } from "../src/index.ts"
import { file } from "./files.ts"

const program = fileURLToPath(new URL("./node.ts", import.meta.url))

/** What a node acknowledged. */
interface Told {
  readonly key: string
  readonly sessionId: string
  readonly turnId: string
}

interface Node {
  readonly process: ChildProcess
  readonly stdout: () => string
  /** Resolves with what became of a create; never when the node is gone before it says so. */
  readonly make: (key: string, task: string, sessionId?: string) => Promise<Told>
}

/** Starts a node in a process of its own, and waits until it serves. */
const start = (path: string, name: string): Effect.Effect<Node, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<Node>((resolve) => {
          const child = fork(program, [path, name, `${path}.paid`], {
            execArgv: ["--conditions=@webagent/source"],
            stdio: ["ignore", "pipe", "inherit", "ipc"]
          })
          let said = ""
          child.stdout?.on("data", (chunk) => (said += String(chunk)))
          const told = new Map<string, (told: Told) => void>()
          child.on("message", (message: Partial<Told>) => {
            if (message.key !== undefined) return told.get(message.key)?.(message as Told)
            resolve({
              process: child,
              stdout: () => said,
              make: (key, task, sessionId = "") =>
                new Promise((answered) => {
                  told.set(key, answered)
                  child.send({ key, task, sessionId })
                })
            })
          })
        })
    ),
    ({ process }) => kill(process)
  )

const kill = (child: ChildProcess) =>
  Effect.promise(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((resolve) => child.once("exit", resolve))
    child.kill("SIGKILL")
    await gone
  })

/** The steps that were paid for, of one turn or of all. */
const paidFor = (path: string, turnId = "") =>
  existsSync(`${path}.paid`)
    ? readFileSync(`${path}.paid`, "utf8")
        .trimEnd()
        .split("\n")
        .filter((line) => line.startsWith(turnId))
    : []

/** Looks again and again. What never comes ends the test by its own time. */
const until = <A>(look: Effect.Effect<A | undefined>): Effect.Effect<A> =>
  Effect.flatMap(look, (found) =>
    found === undefined
      ? Effect.andThen(
          Effect.sleep("20 millis"),
          Effect.suspend(() => until(look))
        )
      : Effect.succeed(found)
  )

const isLost = (node: Node) => node.stdout().includes("is lost")

/**
 * Starts another node whenever no node works: a machine that is busy may stall one for longer than its lease, which is
 * then lost, as it is meant to be.
 */
const supervise = (path: string, nodes: Array<Node>) =>
  Effect.gen(function* () {
    yield* Effect.sleep("200 millis")
    if (nodes.every((node) => isLost(node) || node.process.signalCode !== null)) {
      nodes.push(yield* start(path, `spare-${nodes.length}`))
    }
  }).pipe(Effect.forever, Effect.forkScoped)

const withStore = <A, E, R>(use: (path: string) => Effect.Effect<A, E, R | Store>) =>
  Effect.flatMap(file, (path) =>
    Effect.provide(use(path), Layer.provide(SqlStore.layer, Database.layer({ file: path })))
  )

const ended = Effect.fnUntraced(function* (turnId: string) {
  const store = yield* Store
  return yield* until(
    Effect.map(Effect.orDie(store.turn(turnId)), (turn) =>
      Option.getOrUndefined(Option.filter(turn, ({ status }) => Turn.isTerminal(status)))
    )
  )
})

const begun = (path: string, turnId: string) => until(Effect.sync(() => paidFor(path, turnId).length > 0 || undefined))

describe("nodes that share a file", () => {
  it.live("take over from a killed node, and pay for nothing twice", () =>
    withStore(
      Effect.fnUntraced(function* (path) {
        const rounds = 3
        const nodes = yield* Effect.all([start(path, "n0"), start(path, "n1")], { concurrency: 2 })
        yield* supervise(path, nodes)
        let [survivor, next] = nodes
        const acknowledged: Array<Told> = []
        const held: Array<string> = []
        for (let round = 1; round <= rounds; round++) {
          const [victim, other] = [survivor, next]
          const running = yield* Effect.promise(() => victim.make(`${round}-held`, `holds at n${round - 1}`))
          const waiting = yield* Effect.promise(() => victim.make(`${round}-waits`, "waits", running.sessionId))
          acknowledged.push(running, waiting)
          held.push(running.turnId)
          yield* begun(path, running.turnId)
          // some are answered before the kill, some are not and are sent to the other node
          const creates = Array.from({ length: 8 }, (_, at) => `${round}-${at}`)
          const answered = creates.map((key) => victim.make(key, key))
          yield* Effect.promise(() => Promise.any(answered))
          yield* kill(victim.process)
          acknowledged.push(...(yield* Effect.promise(() => Promise.all(creates.map((key) => other.make(key, key))))))
          const first = yield* Effect.promise(() => Promise.any(answered))
          assert.deepInclude(acknowledged, first)
          survivor = other
          next = yield* start(path, `n${round + 1}`)
          nodes.push(next)
        }
        for (const { key, turnId } of acknowledged) {
          const turn = yield* ended(turnId)
          const steps = paidFor(path, turnId).map((line) => line.split(" "))
          assert.isAtMost(new Set(steps.map(([, , node]) => node)).size, 1, `nodes that worked on ${key}`)
          if (held.includes(turnId) || turn.status === "failed") {
            assert.deepInclude(turn, { status: "failed", failure: "node_lost" }, key)
            assert.match(turn.error ?? "", /What it had done is not repeated/u)
            continue
          }
          assert.strictEqual(turn.status, "completed", key)
          assert.deepStrictEqual(
            steps.map(([, step]) => step),
            ["1", "2", "3"],
            key
          )
        }
        const turns = (yield* (yield* Store).records).turns.map(({ id }) => id)
        assert.sameMembers(turns, [...new Set(acknowledged.map(({ turnId }) => turnId))])
      })
    )
  )

  it.live("take over from a node that is frozen for longer than its lease, and that starts nothing when it wakes", () =>
    withStore(
      Effect.fnUntraced(function* (path) {
        const nodes = yield* Effect.all([start(path, "n0"), start(path, "n1")], { concurrency: 2 })
        const [frozen] = nodes
        yield* supervise(path, nodes)
        const running = yield* Effect.promise(() => frozen.make("held", "holds at n0"))
        const waiting = yield* Effect.promise(() => frozen.make("waits", "waits", running.sessionId))
        yield* begun(path, running.turnId)
        frozen.process.send({ task: "freeze" })
        assert.deepInclude(yield* ended(running.turnId), { status: "failed", failure: "node_lost" })
        const taken = yield* ended(waiting.turnId)
        assert.strictEqual(taken.status, "completed")
        assert.notStrictEqual(taken.output, "n0")
        const paid = paidFor(path, running.turnId).length
        frozen.process.kill("SIGCONT")
        yield* until(Effect.sync(() => isLost(frozen) || undefined))
        // it still takes creates: another node carries them out
        const late = yield* Effect.promise(() => frozen.make("late", "late"))
        assert.notStrictEqual((yield* ended(late.turnId)).output, "n0")
        // a step whose note was stored before the freeze may have been paid for after it
        assert.isAtMost(paidFor(path, running.turnId).length, paid + 1)
      })
    )
  )
})
