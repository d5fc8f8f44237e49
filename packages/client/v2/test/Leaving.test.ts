import { assert, describe, it } from "@effect/vitest"
import { Ledger, LedgerMemory } from "@webagent/core"
import { ScriptedServer } from "@webagent/scripted-server"
import { sent } from "@webagent/scripted-server/Promises"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import { Sessions, Tasks } from "../src/index.ts"
import { layerClient } from "./client.ts"

const idOf = (n: number) => `6f9619ff-8b86-4d11-b42d-00c04fc964f${n}`

const session = idOf(0)

const task = (n: number, status: string) => ({
  id: idOf(n),
  sessionId: session,
  llm: "m",
  task: "t",
  status,
  createdAt: "2026-01-01T00:00:00",
  steps: []
})

/** Creates four tasks, sees the first three end, is interrupted, and returns the warnings and the last request. */
const interrupted = (onInterrupt: "cancel" | "continue") =>
  Effect.gen(function* () {
    const server = yield* ScriptedServer
    let created = 0
    server.script = ({ method, url }) => {
      if (method === "POST") return { json: { id: idOf(++created), sessionId: session } }
      if (method === "PATCH") return { json: task(Number(url.at(-1)), "stopped") }
      if (url.includes("/sessions/")) {
        return {
          json: { id: session, status: "active", startedAt: "2026-01-01T00:00:00Z", tasks: [task(1, "finished")] }
        }
      }
      return { json: task(2, "failed") }
    }
    const warnings: Array<string> = []
    const logger = Logger.make<unknown, void>(({ message }) => void warnings.push(String(message)))
    const seen = yield* Deferred.make<void>()
    const program = Effect.gen(function* () {
      const tasks = yield* Tasks
      for (let count = 0; count < 4; count++) yield* tasks.create({ task: "t" })
      yield* Sessions.use((sessions) => sessions.get(session))
      yield* tasks.status(idOf(2))
      yield* tasks.stop(idOf(3))
      yield* Deferred.succeed(seen, undefined)
      return yield* Effect.never
    })
    const fiber = yield* Effect.forkChild(
      program.pipe(Effect.provide(layerClient({ onInterrupt })), Effect.provide(Logger.layer([logger])))
    )
    yield* Deferred.await(seen)
    yield* Fiber.interrupt(fiber)
    return { warnings, last: sent(server).at(-1) }
  })

describe("an interrupted client", () => {
  it.live("names its unfinished tasks", () =>
    Effect.gen(function* () {
      const { last, warnings } = yield* interrupted("continue")
      assert.deepStrictEqual(warnings, [`These may continue and cost money: task ${idOf(4)}`])
      assert.strictEqual(last, `PATCH /tasks/${idOf(3)}`)
    }).pipe(Effect.provide(ScriptedServer.layer))
  )

  it.live("stops them with onInterrupt: cancel", () =>
    Effect.gen(function* () {
      const { last, warnings } = yield* interrupted("cancel")
      assert.deepStrictEqual(warnings, [`Canceled: task ${idOf(4)}`])
      assert.strictEqual(last, `PATCH /tasks/${idOf(4)}`)
    }).pipe(Effect.provide(ScriptedServer.layer))
  )
})

describe("deleting a session", () => {
  it.live.each(["delete", "purge"] as const)("%s closes its tasks, and no other", (name) =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      let created = 0
      server.script = ({ method, url }) => {
        if (method === "DELETE" || url.endsWith("/purge")) return { status: 204 }
        // the second response doesn't name the session that the request named
        return {
          json:
            [{ id: idOf(1), sessionId: session }, { id: idOf(2) }, { id: idOf(3), sessionId: idOf(3) }][created++] ?? {}
        }
      }
      const ledger = yield* LedgerMemory.make
      const warnings: Array<string> = []
      const logger = Logger.make<unknown, void>(({ message }) => void warnings.push(String(message)))
      const seen = yield* Deferred.make<void>()
      const program = Effect.gen(function* () {
        const tasks = yield* Tasks
        const sessions = yield* Sessions
        yield* tasks.create({ task: "t" })
        yield* tasks.create({ task: "t", sessionId: session })
        yield* tasks.create({ task: "t" })
        yield* sessions[name](session)
        yield* Deferred.succeed(seen, undefined)
        return yield* Effect.never
      })
      const fiber = yield* Effect.forkChild(
        program.pipe(
          Effect.provide(layerClient()),
          Effect.provide(Logger.layer([logger])),
          Effect.provideService(Ledger.Current, ledger)
        )
      )
      yield* Deferred.await(seen)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(
        (yield* ledger.open).map(({ id }) => id),
        [idOf(3)]
      )
      assert.deepStrictEqual(warnings, [`These may continue and cost money: task ${idOf(3)}`])
    }).pipe(Effect.provide(ScriptedServer.layer))
  )
})
