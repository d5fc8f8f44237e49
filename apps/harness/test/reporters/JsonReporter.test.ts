import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"
import { json } from "../../src/reporters/JsonReporter.ts"
import { RunReport } from "@webagent/report/RunReport"
import { consumed, made } from "./consumed.ts"
import { mixed, mixedEvents } from "./fixture.ts"

describe("JsonReporter", () => {
  it.effect("writes a file that decodes to the report", () =>
    Effect.gen(function* () {
      const files = new Map<string, string>()
      const memory = FileSystem.layerNoop({
        writeFileString: (path, text) => Effect.sync(() => void files.set(path, text)),
        rename: (from, to) => Effect.sync(() => void files.set(to, files.get(from) ?? ""))
      })
      yield* consumed(
        made(json, undefined, () => ""),
        mixedEvents,
        memory
      )
      const text = files.get("out/report.json") ?? ""
      assert.deepStrictEqual(yield* Schema.decodeUnknownEffect(Schema.fromJsonString(RunReport))(text), mixed)
    })
  )
})
