import { assert, describe, it } from "@effect/vitest"
import { TestPostgres } from "@webagent/test-postgres"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { join } from "node:path"
import { afterAll } from "vitest"
import { folder, type Program, ready, send, start, until } from "./program.ts"

const runtime = ManagedRuntime.make(TestPostgres.layer)
afterAll(() => runtime.dispose())

const postgres = Effect.flatMap(runtime.contextEffect, (context) =>
  Effect.provideContext(
    Effect.flatMap(TestPostgres, ({ database }) => database),
    context
  )
)

const killed = (program: Program) =>
  Effect.andThen(
    Effect.sync(() => program.process.kill("SIGKILL")),
    program.ended
  )

const databases = [
  ["a file", Effect.map(folder, (path) => join(path, "server.db"))],
  ["Postgres", postgres]
] as const

const task = 'Buy a mug [simulate duration=1s ask="Which color?" choices=["Red","Blue"]]'

describe("a run that waits for a person", () => {
  for (const [name, database] of databases) {
    it.live(`still waits after a kill of its server over ${name}, and is answered once`, () =>
      Effect.gen(function* () {
        const path = yield* database
        const serve = start(["serve", "--port", "0", "--data", path, "--api-key", "K"])
        const first = yield* serve
        const { v4 } = yield* ready(first)
        const { body: made } = yield* send(v4, "K", "POST", "/runs", { task, handOff: { timeout: 3600 } })
        const get = (at: string | undefined) => send(at, "K", "GET", `/runs/${String(made["id"])}`)
        const { body: before } = yield* until(get(v4), ({ body }) => "waitingFor" in body)
        yield* killed(first)
        const { v4: at } = yield* ready(yield* serve)
        const { body: after } = yield* get(at)
        assert.deepStrictEqual(after["waitingFor"], before["waitingFor"])
        const answers = yield* Effect.forEach(
          ["Red", "Blue"],
          (answer) => send(at, "K", "POST", `/runs/${String(made["id"])}/answer`, { questionId: "1", answer }),
          { concurrency: "unbounded" }
        )
        assert.sameMembers(
          answers.map(({ status }) => status),
          [200, 409]
        )
        const { body: done } = yield* until(get(at), ({ body }) => body["status"] === "completed")
        assert.match(String(done["result"]), /Answer: (?:Red|Blue)$/u)
      })
    )
  }
})
