import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { type LedgerEntry, LedgerFile } from "../src/index.ts"

const opening = (key: string, kind = "browser", at_ms = 1): LedgerEntry => ({
  _tag: "opening",
  at_ms,
  key,
  kind,
  method: "POST",
  path: `/api/v4/${kind}s`,
  origin: "https://a.example",
  requestId: `q-${key}`
})
const opened = (key: string, id: string): LedgerEntry => ({ _tag: "opened", at_ms: 2, key, id })
const closed = (id: string, at_ms = 3): LedgerEntry => ({ _tag: "closed", at_ms, kind: "browser", id })

const folder = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  return `${yield* fs.makeTempDirectoryScoped()}/ledger`
})

const contents = Effect.fnUntraced(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  const names = yield* fs.readDirectory(directory)
  return yield* Effect.forEach(names.toSorted(), (name) => fs.readFileString(`${directory}/${name}`))
})

const run = <A, E>(test: Effect.Effect<A, E, FileSystem.FileSystem | Scope.Scope>) =>
  Effect.scoped(test).pipe(Effect.provide(NodeFileSystem.layer))

describe("LedgerFile", () => {
  it.live("tells what is open: by kind, with ids, and what was never learnt", () =>
    run(
      Effect.gen(function* () {
        const directory = yield* folder
        const ledger = yield* LedgerFile.make({ directory, owner: "4711" })
        assert.deepStrictEqual(yield* ledger.open, [])
        for (const entry of [
          opening("stopped"),
          opened("stopped", "b-1"),
          opening("running"),
          opened("running", "b-2"),
          opening("lost", "run"),
          { _tag: "unknown", at_ms: 2, key: "lost", reason: "cut" },
          opening("refused"),
          { _tag: "refused", at_ms: 2, key: "refused" },
          opening("killed"),
          closed("b-1")
        ] satisfies ReadonlyArray<LedgerEntry>) {
          yield* ledger.write(entry)
        }
        const other = yield* LedgerFile.make({ directory })
        const open = yield* other.open
        assert.deepStrictEqual(
          open.map(({ id, key, kind, owner, reason, state }) => [key, kind, state, id, reason, owner]),
          [
            ["running", "browser", "opened", "b-2", undefined, "4711"],
            ["lost", "run", "unknown", undefined, "cut", "4711"],
            ["killed", "browser", "opening", undefined, undefined, "4711"]
          ]
        )
      })
    )
  )

  it.live("is closed from another process's file, whatever its clock says", () =>
    run(
      Effect.gen(function* () {
        const directory = yield* folder
        const dead = yield* LedgerFile.make({ directory })
        const reaper = yield* LedgerFile.make({ directory })
        yield* reaper.write(closed("b-1", -1_000_000))
        yield* dead.write(opening("k"))
        yield* dead.write(opened("k", "b-1"))
        assert.deepStrictEqual(yield* dead.open, [])
        assert.strictEqual((yield* contents(directory)).length, 2)
      })
    )
  )

  it.live("knows the id of what was answered after the clock was set back", () =>
    run(
      Effect.gen(function* () {
        const directory = yield* folder
        const ledger = yield* LedgerFile.make({ directory })
        yield* ledger.write(opening("k", "browser", 5000))
        yield* ledger.write(opened("k", "b-1"))
        assert.deepStrictEqual(
          (yield* ledger.open).map(({ id, state }) => [id, state]),
          [["b-1", "opened"]]
        )
        yield* ledger.write(closed("b-1"))
        assert.deepStrictEqual(yield* ledger.open, [])
      })
    )
  )

  it.live("overlooks a last line that was never finished, and only that", () =>
    run(
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* folder
        const ledger = yield* LedgerFile.make({ directory })
        yield* ledger.write(opening("a"))
        yield* ledger.write(opened("a", "b-1"))
        const [name = ""] = yield* fs.readDirectory(directory)
        const path = `${directory}/${name}`
        const whole = yield* fs.readFileString(path)
        for (let length = whole.length; length > 0; length--) {
          yield* fs.writeFileString(path, whole.slice(0, length))
          const open = yield* ledger.open
          const lines = whole.slice(0, length).split("\n").length - 1
          assert.deepStrictEqual(
            open.map(({ state }) => state),
            lines < 2 ? [] : lines === 2 ? ["opening"] : ["opened"],
            `${length}`
          )
        }
        yield* fs.writeFileString(path, whole.replace('"opened"', '"something newer"'))
        assert.deepStrictEqual(
          (yield* ledger.open).map(({ state }) => state),
          ["opening"]
        )
      })
    )
  )

  it.live("refuses a file of another format, by name", () =>
    run(
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* folder
        yield* fs.makeDirectory(directory)
        const ledger = yield* LedgerFile.make({ directory })
        for (const head of ['{"ledger":2}', "{}", "hello"]) {
          yield* fs.writeFileString(`${directory}/x.ndjson`, `${head}\n`)
          const error = yield* Effect.flip(ledger.open)
          assert.match(error.message, /^\/.*x\.ndjson is not a ledger of format 1: read it with the version/u)
        }
      })
    )
  )

  it.live("says where it cannot write", () =>
    run(
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* folder
        yield* fs.writeFileString(directory, "a file")
        const ledger = yield* LedgerFile.make({ directory })
        const error = yield* Effect.flip(ledger.write(opening("k")))
        assert.include(error.message, `The ledger in ${directory} cannot be written`)
      })
    )
  )

  it.live("keeps many writers apart and every line whole", () =>
    run(
      Effect.gen(function* () {
        const directory = yield* folder
        const ledgers = yield* Effect.forEach([1, 2, 3], () => LedgerFile.make({ directory }))
        yield* Effect.forEach(
          Array.from({ length: 90 }, (_, index) => index),
          (index) => ledgers[index % 3]?.write(opening(`k-${index}`)) ?? Effect.void,
          { concurrency: "unbounded" }
        )
        const keys = (yield* ledgers[0]?.open ?? Effect.succeed([])).map(({ key }) => key)
        assert.strictEqual(new Set(keys).size, 90)
        for (const text of yield* contents(directory)) {
          assert.isTrue(text.startsWith('{"ledger":1}\n') && text.endsWith("}\n"))
        }
      })
    )
  )

  it.live("outlives a process that is killed between its create and the answer", () =>
    run(
      Effect.gen(function* () {
        const directory = yield* folder
        const child = spawn(
          process.execPath,
          ["--conditions=@webagent/source", fileURLToPath(new URL("killed.ts", import.meta.url)), directory],
          { stdio: ["ignore", "pipe", "inherit"] }
        )
        // it says when the service has its create
        yield* Effect.promise(() => once(child.stdout, "data"))
        child.kill("SIGKILL")
        yield* Effect.promise(() => once(child, "exit"))
        const ledger = yield* LedgerFile.make({ directory })
        const [item, ...more] = yield* ledger.open
        assert.deepStrictEqual([item?.kind, item?.state, item?.owner], ["browser", "opening", "child"])
        assert.deepStrictEqual(more, [])
      })
    )
  )
})
