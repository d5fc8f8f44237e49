import { assert, describe, it } from "@effect/vitest"
import { type ModelMessage, ScriptedModel } from "@webagent/scripted-model"
import { TestPostgres } from "@webagent/test-postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { chmodSync } from "node:fs"
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
    it.live(`keeps waiting after a kill of its server over ${name}, and is answered once`, () =>
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

  for (const [name, database] of databases) {
    it.live(`continues in a new browser with its agent's knowledge after a kill of its server over ${name}`, () =>
      Effect.gen(function* () {
        const model = yield* ScriptedModel
        const path = yield* folder
        // browsers of a server that is root run as another user
        chmodSync(path, 0o711)
        const flags = [
          "--browsers=chromium",
          "--min-isolation=none",
          "--port=0",
          "--api-key=K",
          `--data=${yield* database}`
        ]
        const asks = [`--model=openai-compatible:scripted-1`, `--model-url=${model.baseUrl["openai-compatible"]}`]
        const serve = start(["serve", ...flags, ...asks], { TMPDIR: path }, undefined, [], path)
        const reply = (...calls: ModelMessage["calls"] & object) => ({ calls, usage: { input: 10, output: 1 } })
        model.script = ({ messages }, count) => {
          if (count === 1) return reply({ name: "wait", input: { seconds: 0.01 } })
          if (count === 2)
            return reply(
              { name: "wait", input: { seconds: 0.02 } },
              { name: "askPerson", input: { question: "Which color?", choices: ["Red", "Blue"] } }
            )
          return reply({
            name: "done",
            input: { success: true, output: messages.map(({ text }) => text).join("\n") }
          })
        }
        const first = yield* serve
        const { v4 } = yield* ready(first)
        const { body: made } = yield* send(v4, "K", "POST", "/runs", {
          task: "Buy a mug",
          handOff: { timeout: 3600, pausesTimeLimit: true }
        })
        const get = (at: string | undefined) => send(at, "K", "GET", `/runs/${String(made["id"])}`)
        yield* until(get(v4), ({ body }) => "waitingFor" in body)
        yield* killed(first)
        const { v4: at } = yield* ready(yield* serve)
        assert.deepInclude((yield* get(at)).body["waitingFor"], { question: "Which color?" })
        const answer = { questionId: "1", answer: "Blue" }
        assert.strictEqual((yield* send(at, "K", "POST", `/runs/${String(made["id"])}/answer`, answer)).status, 200)
        const { body: run } = yield* until(get(at), ({ body }) => "finishedAt" in body && body["finishedAt"] !== null)
        assert.strictEqual(run["status"], "completed", JSON.stringify(run))
        const told = String(run["result"])
        // the model isn't asked for a step again
        assert.lengthOf(model.requests, 3)
        assert.include(told, "The server was restarted while you waited for a person.")
        for (const done of ["0.01", "0.02"]) assert.include(told, `called wait {"seconds":${done}}`)
        assert.include(told, "A person was asked: Which color?\nA person answered: Blue")
        const { body } = yield* send(at, "K", "GET", `/runs/${String(made["id"])}/steps`)
        const steps = body["steps"] as ReadonlyArray<{ readonly outcome: string | null }>
        assert.deepStrictEqual(
          steps.map(({ outcome }) => outcome),
          ["succeeded", "succeeded", "succeeded"]
        )
      }).pipe(Effect.scoped, Effect.provide(Layer.fresh(ScriptedModel.layer)))
    )
  }
})
