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

/** A file system that does a number of steps, and nothing after them, as when the process ends there. */
const endingAfter = (fs: FileSystem.FileSystem, steps: number): FileSystem.FileSystem => {
  let left = steps
  const step = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => (left-- > 0 ? effect : Effect.die("the process has ended")))
  return {
    ...fs,
    open: (path, options) => step(fs.open(path, options)),
    rename: (from, to) => step(fs.rename(from, to)),
    remove: (path, options) => step(fs.remove(path, options))
  }
}

describe("LedgerFile", () => {
  it.live("lists open resources by kind, with their ids, and creates with an unknown outcome", () =>
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

  it.live("is closed by an entry in another process's file, whatever its clock", () =>
    run(
      Effect.gen(function* () {
        const directory = yield* folder
        const dead = yield* LedgerFile.make({ directory })
        const reaper = yield* LedgerFile.make({ directory })
        yield* dead.write(opening("k"))
        yield* dead.write(opened("k", "b-1"))
        yield* reaper.write(closed("b-1", -1_000_000))
        assert.deepStrictEqual(yield* dead.open, [])
        assert.strictEqual((yield* contents(directory)).length, 2)
      })
    )
  )

  it.live("keeps the id of a response that came after the clock was set back", () =>
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

  it.live("ignores an unfinished last line, and no other", () =>
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
          assert.match(error.message, /^\/.*x\.ndjson is not a ledger of format 1\. Read it with the version/u)
        }
      })
    )
  )

  it.live("names the place that it can't write to", () =>
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

  it.live("keeps every line whole with many writers", () =>
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

  it.live("records the end of every open resource once, and of no other", () =>
    run(
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* folder
        const ledger = yield* LedgerFile.make({ directory })
        for (let read = 0; read < 10; read++) yield* ledger.write(closed("b-1"))
        assert.isFalse(yield* fs.exists(directory))
        const other = yield* LedgerFile.make({ directory })
        yield* other.write(opening("a"))
        yield* other.write(opened("a", "b-1"))
        for (let read = 0; read < 10; read++) yield* ledger.write(closed("b-1"))
        assert.deepStrictEqual(yield* ledger.open, [])
        assert.lengthOf((yield* contents(directory)).join("").match(/"closed"/gu) ?? [], 1)
      })
    )
  )

  it.live("compacts its files while they're used, without changing the open resources", () =>
    run(
      Effect.gen(function* () {
        const directory = yield* folder
        const ledger = yield* LedgerFile.make({ directory, owner: "me" })
        yield* ledger.write(opening("kept"))
        yield* ledger.write(opened("kept", "b-kept"))
        for (let index = 0; index < 400; index++) {
          yield* ledger.write(opening(`k-${index}`))
          yield* ledger.write(opened(`k-${index}`, `b-${index}`))
          yield* ledger.write(closed(`b-${index}`))
        }
        const files = yield* contents(directory)
        assert.lengthOf(files, 2)
        assert.isBelow(files.join("").split("\n").length, 300)
        const read = yield* (yield* LedgerFile.make({ directory })).open
        assert.deepStrictEqual(
          read.map(({ id, owner, state }) => [id, owner, state]),
          [["b-kept", "me", "opened"]]
        )
      })
    )
  )

  it.live("doesn't reopen a resource that another process has closed", () =>
    run(
      Effect.gen(function* () {
        const directory = yield* folder
        const writer = yield* LedgerFile.make({ directory })
        for (let index = 0; index < 340; index++) {
          yield* writer.write(opening(`k-${index}`))
          yield* writer.write(opened(`k-${index}`, `b-${index}`))
        }
        const reaper = yield* LedgerFile.make({ directory })
        for (let index = 0; index < 340; index++) yield* reaper.write(closed(`b-${index}`))
        // a start that puts all that is over away, and writers that go on after it
        yield* (yield* LedgerFile.make({ directory })).write(opening("start"))
        for (let index = 0; index < 170; index++) {
          yield* writer.write(opening(`l-${index}`))
          yield* writer.write(opened(`l-${index}`, `c-${index}`))
          yield* reaper.write(closed(`c-${index}`))
        }
        assert.deepStrictEqual(
          (yield* writer.open).map(({ key }) => key),
          ["start"]
        )
      })
    )
  )

  it.live("merges files of exited processes at its first entry, with their owners", () =>
    run(
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* folder
        yield* fs.makeDirectory(directory)
        for (const owner of ["4711", "4712"]) {
          const lines: Array<object> = [{ ledger: 1, owner }]
          for (let index = 0; index < 400; index++) {
            const id = `${owner}-${index}`
            lines.push(opening(id), opened(id, id), ...(index === 7 ? [] : [closed(id)]))
          }
          yield* fs.writeFileString(
            `${directory}/${owner}.ndjson`,
            lines.map((line) => `${JSON.stringify(line)}\n`).join("")
          )
        }
        const alive = yield* LedgerFile.make({ directory, owner: "4713" })
        yield* alive.write(opening("mine"))
        const files = yield* contents(directory)
        assert.lengthOf(files, 2)
        assert.isBelow(files.join("").length, 2000)
        assert.deepStrictEqual((yield* alive.open).map(({ key, owner }) => [key, owner]).toSorted(), [
          ["4711-7", "4711"],
          ["4712-7", "4712"],
          ["mine", "4713"]
        ])
      })
    )
  )

  it.live("keeps every entry of a process whose file is taken over while it writes", () =>
    run(
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* folder
        const writer = yield* LedgerFile.make({ directory, owner: "writer" })
        yield* writer.write(opening("a"))
        const [name = ""] = yield* fs.readDirectory(directory)
        yield* fs.copyFile(`${directory}/${name}`, `${directory}/1.ndjson`)
        yield* fs.remove(`${directory}/${name}`)
        yield* writer.write(opened("a", "b-1"))
        yield* writer.write(opening("b"))
        assert.deepStrictEqual(
          (yield* writer.open).map(({ id, key }) => [key, id]),
          [
            ["a", "b-1"],
            ["b", undefined]
          ]
        )
      })
    )
  )

  // a second, on a machine that parses this JSON in 0.2 seconds of CPU time
  it.live("opens 300,000 entries for at most five times what parsing their JSON costs", () =>
    run(
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* folder
        yield* fs.makeDirectory(directory)
        const lines = ['{"ledger":1,"owner":"4711"}']
        for (let index = 0; index < 100_000; index++) {
          lines.push(
            JSON.stringify(opening(`key-of-a-create-${index}`)),
            JSON.stringify(opened(`key-of-a-create-${index}`, `b-${index}`)),
            JSON.stringify(closed(`b-${index}`))
          )
        }
        yield* fs.writeFileString(`${directory}/1.ndjson`, `${lines.join("\n")}\n`)
        const ledger = yield* LedgerFile.make({ directory })
        const opening_us: Array<number> = []
        const parsing_us: Array<number> = []
        const ratio = () => Math.min(...opening_us) / Math.min(...parsing_us)
        // CPU time of this process in turns, and the least of up to five: other work on the machine slows both down
        for (let time = 0; time < 5 && !(time > 1 && ratio() < 5); time++) {
          const before = process.cpuUsage()
          assert.deepStrictEqual(yield* ledger.open, [])
          const between = process.cpuUsage()
          assert.strictEqual(lines.map((line): unknown => JSON.parse(line)).length, lines.length)
          opening_us.push(between.user - before.user)
          parsing_us.push(process.cpuUsage(between).user)
        }
        assert.isBelow(ratio(), 5)
      })
    )
  )

  it.live("is complete after a kill at any moment, even during compaction or a takeover", () =>
    run(
      Effect.gen(function* () {
        for (let round = 0; round < 2; round++) {
          const directory = yield* folder
          const program = fileURLToPath(new URL("busy.ts", import.meta.url))
          const said: Array<string> = []
          const children = ["one", "two"].map((name) => {
            const child = spawn(process.execPath, ["--conditions=@webagent/source", program, directory, name], {
              stdio: ["ignore", "pipe", "inherit"]
            })
            child.stdout.setEncoding("utf8").on("data", (text: string) => void said.push(text))
            return child
          })
          const ended = children.map((child) => once(child, "close"))
          const isBusy = () => said.join("").length > 40_000 + round * 9000
          while (!isBusy()) yield* Effect.sleep("5 millis")
          for (const child of children) child.kill("SIGKILL")
          yield* Effect.promise(() => Promise.all(ended))
          const lines = said.join("").split("\n")
          const ended_ = new Set(lines.filter((line) => line.startsWith("closed ")).map((line) => line.slice(7)))
          const made = lines.filter((line) => line.startsWith("opened ")).map((line) => line.slice(7))
          const begun = new Set(lines.filter((line) => line.startsWith("closing ")).map((line) => line.slice(8)))
          const ledger = yield* LedgerFile.make({ directory })
          const open = new Set((yield* ledger.open).map(({ id }) => id ?? ""))
          for (const id of made) {
            if (!begun.has(id)) assert.isTrue(open.has(id), `${id} is lost`)
            if (ended_.has(id)) assert.isFalse(open.has(id), `${id} is open again`)
          }
        }
      })
    )
  )

  it.live("is complete if its process exits before any step of compaction", () =>
    run(
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const lines: Array<object> = [{ ledger: 1 }, opening("open"), opened("open", "b-open")]
        for (let index = 0; index < 400; index++) {
          lines.push(opening(`k-${index}`), opened(`k-${index}`, `b-${index}`), closed(`b-${index}`))
        }
        const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("")
        for (let steps = 0, isAlive = false; !isAlive; steps++) {
          const directory = yield* folder
          yield* fs.makeDirectory(directory)
          yield* fs.writeFileString(`${directory}/1.ndjson`, text)
          const ledger = yield* LedgerFile.make({ directory }).pipe(
            Effect.provideService(FileSystem.FileSystem, endingAfter(fs, steps))
          )
          isAlive = (yield* Effect.exit(ledger.write(opening("next"))))._tag === "Success"
          const after = yield* LedgerFile.make({ directory })
          const open = (yield* after.open).map(({ id, key }) => id ?? key)
          assert.deepStrictEqual(open, isAlive ? ["b-open", "next"] : ["b-open"], `after ${steps} steps`)
          if (isAlive) assert.isAbove(steps, 4)
        }
      })
    )
  )

  it.live("survives a process that is killed between a create and its response", () =>
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
