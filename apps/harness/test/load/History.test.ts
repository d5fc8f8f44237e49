import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { join } from "node:path"
import * as Fingerprint from "../../src/load/Fingerprint.ts"
import * as History from "../../src/load/History.ts"
import { figuresOf } from "./figures.ts"

const entry: History.Entry = {
  version: 1,
  test: "smoke",
  startedAt: "2026-11-21T00:00:00Z",
  verdict: "passed",
  fingerprint: Fingerprint.here("2.2.0"),
  settings: History.settingsHash({ rate: 5 }),
  figures: figuresOf(1)
}

describe("a history file", () => {
  it.effect("grows by a line, and is read in its order", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const file = join(yield* fs.makeTempDirectoryScoped(), "history.ndjson")
      assert.deepStrictEqual(yield* History.read(file), [])
      yield* History.append(file, entry)
      yield* History.append(file, { ...entry, verdict: "failed" })
      const read = yield* History.read(file)
      assert.deepStrictEqual(read, [entry, { ...entry, verdict: "failed" }])
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.effect("that does not end with a line end gets one", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const file = join(yield* fs.makeTempDirectoryScoped(), "history.ndjson")
      yield* fs.writeFileString(file, JSON.stringify(entry))
      yield* History.append(file, entry)
      assert.deepStrictEqual(yield* History.read(file), [entry, entry])
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.effect("with a line that is something else is a mistake that names the line", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const file = join(yield* fs.makeTempDirectoryScoped(), "history.ndjson")
      yield* History.append(file, entry)
      yield* fs.writeFileString(file, '{"version":1,"test":"smoke"}\n', { flag: "a" })
      const mistake = yield* Effect.flip(History.read(file))
      assert.match(
        mistake.message,
        /^--baseline: line 2 of .*history\.ndjson is not a load test that --record has written: /u
      )
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})

describe("settingsHash", () => {
  it("is the same in any order and without what is not given, and another for any other value", () => {
    assert.strictEqual(
      History.settingsHash({ rate: 5, mix: undefined, duration_ms: 1000 }),
      History.settingsHash({ duration_ms: 1000, rate: 5 })
    )
    assert.notStrictEqual(History.settingsHash({ rate: 5 }), History.settingsHash({ rate: 6 }))
  })
})

describe("differences", () => {
  it("names the fields in which machines differ", () => {
    const here = Fingerprint.here("2.2.0")
    assert.deepStrictEqual(Fingerprint.differences(here, here), [])
    assert.deepStrictEqual(Fingerprint.differences(here, { ...here, k6: "1", cores: 99 }), ["cores", "k6"])
  })
})
