import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { join } from "node:path"
import * as BaselineFile from "../src/BaselineFile.ts"
import { measurementsOf } from "./measurements.ts"

const entry: BaselineFile.Entry = {
  version: 2,
  test: "smoke",
  startedAt: "2026-11-21T00:00:00Z",
  verdict: "passed",
  machine: BaselineFile.thisMachine("2.2.0"),
  settings: BaselineFile.settingsHash({ rate: 5 }),
  measurements: measurementsOf(1)
}

describe("a baseline file", () => {
  it.effect("grows by a line, and is read in order", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const file = join(yield* fs.makeTempDirectoryScoped(), "history.ndjson")
      assert.deepStrictEqual(yield* BaselineFile.read(file), [])
      yield* BaselineFile.append(file, entry)
      yield* BaselineFile.append(file, { ...entry, verdict: "failed" })
      const read = yield* BaselineFile.read(file)
      assert.deepStrictEqual(read, [entry, { ...entry, verdict: "failed" }])
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.effect("gets a missing line end before a new entry", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const file = join(yield* fs.makeTempDirectoryScoped(), "history.ndjson")
      yield* fs.writeFileString(file, JSON.stringify(entry))
      yield* BaselineFile.append(file, entry)
      assert.deepStrictEqual(yield* BaselineFile.read(file), [entry, entry])
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.effect("fails with the number of an invalid line", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const file = join(yield* fs.makeTempDirectoryScoped(), "history.ndjson")
      yield* BaselineFile.append(file, entry)
      yield* fs.writeFileString(file, '{"version":1,"test":"smoke"}\n', { flag: "a" })
      const mistake = yield* Effect.flip(BaselineFile.read(file))
      assert.match(
        mistake.message,
        /history\.ndjson line 2 is not a load test of this version\. Delete the line, or record to a new file\. /u
      )
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})

describe("settingsHash", () => {
  it("doesn't depend on order or undefined settings, and changes with any value", () => {
    assert.strictEqual(
      BaselineFile.settingsHash({ rate: 5, mix: undefined, duration_ms: 1000 }),
      BaselineFile.settingsHash({ duration_ms: 1000, rate: 5 })
    )
    assert.notStrictEqual(BaselineFile.settingsHash({ rate: 5 }), BaselineFile.settingsHash({ rate: 6 }))
  })
})

describe("differences", () => {
  it("names the fields in which machines differ", () => {
    const here = BaselineFile.thisMachine("2.2.0")
    assert.deepStrictEqual(BaselineFile.differences(here, here), [])
    assert.deepStrictEqual(BaselineFile.differences(here, { ...here, k6: "1", cores: 99 }), ["cores", "k6"])
  })
})
