import { assert, describe, it } from "@effect/vitest"
import { ScriptedModel } from "@webagent/scripted-model"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { folder, ready, send, start, until } from "./program.ts"
import { stopOnce } from "./stops.ts"

const key = "K"

/** Starts a server over a file with a run that takes this long. */
const serving = Effect.fnUntraced(function* (duration: string, ...args: ReadonlyArray<string>) {
  const file = join(yield* folder, "server.db")
  const program = yield* start(["serve", "--port=0", `--data=${file}`, `--api-key=${key}`, ...args])
  const { v4 } = yield* ready(program)
  const task = `Find a red mug [simulate output=done duration=${duration}]`
  const { body } = yield* send(v4, key, "POST", "/runs", { task })
  yield* until(send(v4, key, "GET", `/runs/${String(body["id"])}/status`), ({ body }) => body["status"] === "running")
  return { file, program }
})

const statusIn = (db: DatabaseSync) => db.prepare("SELECT status FROM turns").get()?.["status"]

describe("stopping a server", () => {
  it.live("by SIGHUP drains it like SIGTERM", () =>
    Effect.gen(function* () {
      const { file, program } = yield* serving("2s")
      program.process.kill("SIGHUP")
      const { code, stderr } = yield* program.ended
      assert.strictEqual(code, 0)
      assert.include(stderr, "Draining: 1 run still running")
      assert.strictEqual(statusIn(new DatabaseSync(file)), "completed")
    })
  )

  it.live("ends after the drain even if the database is locked", () =>
    Effect.gen(function* () {
      const { file, program } = yield* serving("30s", "--drain-within=100ms")
      const other = new DatabaseSync(file)
      other.exec("BEGIN IMMEDIATE")
      program.process.kill("SIGTERM")
      const { code, stderr } = yield* program.ended
      assert.strictEqual(code, 1)
      assert.include(stderr, "Could not stop within 10s after the drain. Killing the rest and exiting.")
      assert.strictEqual(statusIn(other), "running")
    })
  )

  for (const seed of [4, 100, 109]) {
    it.live(`at random moment ${seed} leaves no browser process`, () =>
      Effect.gen(function* () {
        const model = yield* ScriptedModel
        model.script = () => new Promise(() => undefined)
        const { code, left, stderr } = yield* stopOnce(seed)
        assert.deepStrictEqual({ code, left }, { code: 0, left: [] }, stderr)
      }).pipe(Effect.provide(ScriptedModel.layer))
    )
  }
})
