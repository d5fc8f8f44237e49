import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Redacted from "effect/Redacted"
import * as KeyScan from "../../src/observe/KeyScan.ts"

const key = 'wak_"canary"+/='

describe("KeyScan", () => {
  it.live("finds a key in every file below a folder, in any encoding, and removes it", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const directory = yield* fs.makeTempDirectoryScoped()
      yield* fs.makeDirectory(`${directory}/traces`)
      const written = {
        "plain.txt": `a ${key} b`,
        "report.json": JSON.stringify({ key }),
        "page.html": `<p>${key.replaceAll('"', "&quot;")}</p>`,
        "summary.md": `https://a.test/?key=${encodeURIComponent(key)}`,
        "traces/1.json": `"Basic ${Buffer.from(key).toString("base64")}"`,
        "traces/2.json": "nothing of the kind"
      }
      for (const [name, text] of Object.entries(written)) yield* fs.writeFileString(`${directory}/${name}`, text)
      const found = yield* KeyScan.clean(directory, Redacted.make(key))
      assert.deepStrictEqual(found, ["page.html", "plain.txt", "report.json", "summary.md", "traces/1.json"])
      const texts = yield* Effect.forEach(Object.keys(written), (name) => fs.readFileString(`${directory}/${name}`))
      assert.deepStrictEqual(texts, [
        "a <key> b",
        '{"key":"<key>"}',
        "<p><key></p>",
        "https://a.test/?key=<key>",
        '"Basic <key>"',
        "nothing of the kind"
      ])
      assert.deepStrictEqual(yield* KeyScan.clean(directory, Redacted.make(key)), [])
      // a key as short as this is in any text
      assert.deepStrictEqual(yield* KeyScan.clean(directory, Redacted.make("a")), [])
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )
})
