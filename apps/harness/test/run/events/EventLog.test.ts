import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"
import * as EventLog from "../../../src/run/events/EventLog.ts"
import type { RunEvent } from "@webagent/report/RunEvent"
import { run, suiteOf } from "../stage.ts"

const eventsOfARun = Effect.map(
  run([
    suiteOf("shop", [
      ["opens", Effect.void],
      ["sells a mug", Effect.fail("sold\nout")]
    ])
  ]),
  ({ events }) => events
)

const inFolder = <A, E, R>(use: (path: string, fs: FileSystem.FileSystem) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const directory = yield* fs.makeTempDirectoryScoped()
    return yield* use(`${directory}/${EventLog.fileName}`, fs)
  }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))

const write = (path: string, events: ReadonlyArray<RunEvent>, continued = false) =>
  Effect.gen(function* () {
    const log = yield* EventLog.open(path, { continued })
    for (const event of events) yield* log.write(event)
  }).pipe(Effect.scoped)

const read = (path: string) => Effect.map(EventLog.read(path), (logged) => logged.map(({ event }) => event))

describe("EventLog", () => {
  it.effect("reads back what it wrote, with one line per event", () =>
    inFolder((path, fs) =>
      Effect.gen(function* () {
        const events = yield* eventsOfARun
        yield* write(path, events)
        assert.deepStrictEqual(yield* read(path), events)
        assert.strictEqual((yield* fs.readFileString(path)).split("\n").length, events.length + 1)
      })
    )
  )

  it.effect("continues at the end of the file, even if it was shortened", () =>
    inFolder((path, fs) =>
      Effect.gen(function* () {
        const [first, ...rest] = yield* eventsOfARun
        if (first === undefined) throw new Error("a run has events")
        yield* Effect.scoped(
          Effect.gen(function* () {
            const log = yield* EventLog.open(path, { continued: false })
            yield* log.write(first)
            const text = yield* fs.readFileString(path)
            yield* fs.writeFileString(path, text.replace("webagent-harness", "x"))
            for (const event of rest) yield* log.write(event)
          })
        )
        assert.deepStrictEqual((yield* read(path)).slice(1), rest)
      })
    )
  )

  it.effect("writes each event immediately, before the log is closed", () =>
    inFolder((path) =>
      Effect.gen(function* () {
        const log = yield* EventLog.open(path, { continued: false })
        for (const [index, event] of (yield* eventsOfARun).entries()) {
          yield* log.write(event)
          assert.strictEqual((yield* read(path)).length, index + 1)
        }
      })
    )
  )

  it.effect("writes whole lines for simultaneous events", () =>
    inFolder((path) =>
      Effect.gen(function* () {
        const events = yield* eventsOfARun
        const log = yield* EventLog.open(path, { continued: false })
        const many = Array.from({ length: 20 }, () => events).flat()
        yield* Effect.forEach(many, log.write, { concurrency: "unbounded", discard: true })
        assert.strictEqual((yield* read(path)).length, many.length)
      })
    )
  )

  it.effect("reads earlier events and continues after them if it was killed at any byte", () =>
    inFolder((path, fs) =>
      Effect.gen(function* () {
        const events = yield* eventsOfARun
        yield* write(path, events)
        const bytes = yield* fs.readFile(path)
        for (let length = 0; length <= bytes.length; length += 37) {
          yield* fs.writeFile(path, bytes.subarray(0, length))
          const kept = (yield* read(path)).length
          assert.deepStrictEqual(yield* read(path), events.slice(0, kept))
          yield* write(path, events.slice(kept), true)
          assert.deepStrictEqual(yield* read(path), events)
        }
      })
    )
  )

  it.effect("starts again for a new run in the same place", () =>
    inFolder((path) =>
      Effect.gen(function* () {
        const events = yield* eventsOfARun
        yield* write(path, events)
        yield* write(path, events.slice(0, 1))
        assert.strictEqual((yield* read(path)).length, 1)
      })
    )
  )

  it.effect("detects whether a run was interrupted, and where", () =>
    Effect.gen(function* () {
      const events = yield* eventsOfARun
      const lines = events.map((event) => EventLog.lineOf({ at: DateTime.makeUnsafe(0), event }))
      const text = lines.join("")
      assert.isFalse(EventLog.isCutShort(""))
      assert.isFalse(EventLog.isCutShort(text))
      for (let length = (lines[0] ?? "").length; length < text.length; length++) {
        assert.isTrue(EventLog.isCutShort(text.slice(0, length)))
      }
    })
  )

  it("reports an invalid line before the last by its number", () => {
    const good = '{"at":"2026-11-21T09:12:44.000Z","_tag":"ScenarioStarted","suite":"shop","scenario":"opens"}'
    const lineOf = (text: string) =>
      Result.match(EventLog.parse(text), { onFailure: ({ line }) => line, onSuccess: () => 0 })
    assert.deepStrictEqual(
      [
        `${good}\n`,
        `${good}\n{"at":`,
        `${good}\n{"at":\n`,
        `${good}\n{"at":"2026-11-21T09:12:44.000Z","_tag":"Odd"}\n`,
        `{"_tag":"ScenarioStarted","suite":"shop","scenario":"opens"}\n`,
        `${good.replace("2026", "someday")}\n`
      ].map(lineOf),
      [0, 0, 2, 2, 1, 1]
    )
  })
})
