import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { LedgerFile } from "@webagent/core"
import { Control, Server, SimulatedService } from "@webagent/simulation"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { fileURLToPath } from "node:url"
import { call } from "./inProcess.ts"
import { start } from "./program.ts"

const example = fileURLToPath(new URL("example.suite.ts", import.meta.url))
const key = "wak_killed_key"
const env = { WEBAGENT_API_KEY: key }

const open = Effect.gen(function* () {
  const { browsers } = yield* (yield* Control).open
  return browsers.length
})

describe("a killed run", () => {
  it.live("leaves a ledger in the report's folder, so that another process can stop its browsers", () =>
    Effect.gen(function* () {
      const { address } = yield* Server
      const directory = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()
      const held = start(["run", example, "--tag", "long", "--target", address, "--report-dir", directory], env)
      const ledger = `${directory}/ledger`
      const file = yield* LedgerFile.make({ directory: ledger })
      // the service has made it before its answer is there, and written down
      const known = Effect.map(file.open, (items) => items.some(({ id }) => id !== undefined))
      yield* Effect.repeat(Effect.andThen(Effect.sleep(20), known), { until: (isSo) => isSo })
      const early = yield* Effect.promise(() => call(["cleanup", "--ledger", ledger, "--target", address], env))
      assert.match(early.stdout, /in use {3}browser/u)
      assert.strictEqual(yield* open, 1)

      held.signal("SIGKILL")
      yield* Effect.promise(() => held.ended)
      const reaped = yield* Effect.promise(() => call(["cleanup", "--ledger", ledger, "--target", address], env))
      assert.deepStrictEqual([reaped.code, reaped.stdout.includes("1 browser stopped")], [0, true])
      assert.strictEqual(yield* open, 0)
    }).pipe(Effect.provide([SimulatedService.layer({ apiKeys: [key] }), NodeFileSystem.layer]))
  )
})
