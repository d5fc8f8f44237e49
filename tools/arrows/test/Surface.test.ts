import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { assert, describe, it } from "vitest"
import { unusedEntries } from "../src/Surface.ts"

const violations = (files: Readonly<Record<string, string>>) => {
  const root = mkdtempSync(join(tmpdir(), "webagent-surface-"))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const lines = unusedEntries(root)
  rmSync(root, { recursive: true })
  return lines
}

const manifest = (name: string, more: object = {}) => JSON.stringify({ name: `@webagent/${name}`, ...more })
const entries = (...names: ReadonlyArray<string>) => ({ exports: Object.fromEntries(names.map((name) => [name, ""])) })
const user = { "packages/b/package.json": manifest("b"), "packages/b/src/B.ts": 'import "@webagent/a/Noun"\n' }

describe("unusedEntries", () => {
  it("accepts an entry that another package imports", () =>
    assert.deepStrictEqual(violations({ ...user, "packages/a/package.json": manifest("a", entries("./Noun")) }), []))

  it("accepts an entry that a document names, and a path that is closed", () =>
    assert.deepStrictEqual(
      violations({
        "docs/guide.md": 'import { a } from "@webagent/a"\n',
        "packages/a/package.json": manifest("a", { exports: { ".": "", "./internal/*": null } })
      }),
      []
    ))

  it("refuses a pattern", () =>
    assert.deepStrictEqual(violations({ ...user, "packages/a/package.json": manifest("a", entries("./*")) }), [
      "packages/a/package.json exports ./*. Name each entry."
    ]))

  it("refuses an entry that only its own sources and tests of others import", () =>
    assert.deepStrictEqual(
      violations({
        "packages/a/package.json": manifest("a", entries("./Noun")),
        "packages/a/src/Other.ts": "/** See `@webagent/a/Noun`. */\n",
        "packages/b/test/B.test.ts": 'import "@webagent/a/Noun"\n',
        "tools/bench/src/b.ts": 'import "@webagent/a/Noun"\n'
      }),
      ["packages/a/package.json exports ./Noun, which no other package imports and no document names. Remove it."]
    ))

  it("accepts an entry of an internal package that only tests import", () =>
    assert.deepStrictEqual(
      violations({
        "packages/a/package.json": manifest("a", { internal: true, ...entries("./Noun") }),
        "packages/b/test/B.test.ts": 'import "@webagent/a/Noun"\n'
      }),
      []
    ))

  it("refuses a range for an internal package, because its entries change in any release", () =>
    assert.deepStrictEqual(
      violations({
        ...user,
        "packages/a/package.json": manifest("a", { internal: true, ...entries("./Noun") }),
        "packages/b/package.json": manifest("b", { dependencies: { "@webagent/a": "workspace:^" } })
      }),
      [
        "packages/b/package.json depends on @webagent/a, which is internal, with workspace:^. Use workspace:*, its exact version."
      ]
    ))
})
