// A node over a file that it shares with others. It makes what its parent asks for, and notes each step that it pays for.
import {
  BrowserPool,
  Engine,
  NodeId,
  SharedWork,
  TimeOrderedIds,
  type Turn,
  layerStreamingAgent
} from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { appendFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { Database, SqlStore } from "../src/index.ts"

const [file = "", name = "", paid = ""] = process.argv.slice(2)

/** Pays for three steps; of a task that holds at this node, for one after the other until its process is gone. */
const agent = layerStreamingAgent({
  model: "m",
  version: "1",
  perform: (turn, attempt) =>
    Stream.concat(
      Stream.succeed<Turn.TurnEvent>({ _tag: "Started" }),
      Stream.fromEffect(
        Effect.gen(function* () {
          for (let step = 1; step <= 3 || turn.task === `holds at ${name}`; step++) {
            yield* attempt.step({ summary: `step ${step}`, address: null, picture: null })
            appendFileSync(paid, `${turn.id} ${step} ${name}\n`)
            yield* Effect.sleep("20 millis")
          }
          return { _tag: "Completed", report: { output: name } } satisfies Turn.TurnEvent
        })
      )
    )
})

const lock = new DatabaseSync(file, { timeout: 0 })

/** Freezes this process while it has no transaction open: one that does keeps all others from writing. */
const freeze = () => {
  try {
    lock.exec("BEGIN IMMEDIATE; ROLLBACK")
  } catch {
    setTimeout(freeze, 1)
    return
  }
  process.kill(process.pid, "SIGSTOP")
}

const program = Effect.gen(function* () {
  const engine = yield* Engine
  const run = Effect.runForkWith(yield* Effect.context())
  process.on("message", ({ key, sessionId, task }: Readonly<Record<"key" | "sessionId" | "task", string>>) => {
    if (task === "freeze") return freeze()
    const safe = { key, body: task }
    const tell = ({ turn }: { readonly turn: Turn.Turn }) =>
      process.send?.({ key, sessionId: turn.sessionId, turnId: turn.id })
    if (sessionId === "") {
      run(Effect.map(engine.createSession({ task, modelParams: null, thinkingLevel: null }, safe), tell))
    } else {
      run(Effect.map(engine.queue({ sessionId, text: task, interrupt: false }, safe), tell))
    }
  })
  process.once("disconnect", () => process.exit())
  process.send?.({ ready: true })
  return yield* Effect.never
})

const browsers = Layer.succeed(BrowserPool, { launch: () => Effect.die("no task here needs a browser") })

await Effect.runPromise(
  program.pipe(
    Effect.provide(
      Engine.layerOf.pipe(
        Layer.provide(SharedWork.layer({ lifetime: "5 seconds", every: "500 millis" })),
        Layer.provide([agent, browsers, TimeOrderedIds.layer, Layer.succeed(NodeId, name)]),
        Layer.provide(SqlStore.layer),
        Layer.provide(Database.layer({ file }))
      )
    ),
    Effect.scoped
  )
)
