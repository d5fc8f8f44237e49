import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, assert, beforeEach, describe, it } from "vitest"
import type { Rule } from "../src/arrows.ts"
import { check } from "../src/check.ts"

const place = mkdtempSync(join(tmpdir(), "webagent-arrows-"))

const write = (files: Readonly<Record<string, string>>) => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place, path)), { recursive: true })
    writeFileSync(join(place, path), text)
  }
}

const manifest = (name: string, rest: object = {}) => JSON.stringify({ name, dependencies: { effect: "4" }, ...rest })
const imports = (path: string) => `export * from "${path}"\n`

const house: Readonly<Record<string, Rule>> = {
  "packages/contract": { imports: [], folders: { ".": [], v3: ["."], v4: ["."] } },
  "packages/client/core": {
    imports: ["packages/contract"],
    tests: ["packages/testing/scripted"],
    folders: { ".": [] }
  },
  "packages/testing/scripted": { imports: [] },
  "apps/server": { imports: ["packages/client/core"] }
}

/** A tree that keeps every arrow of the house. */
const kept = {
  "packages/contract/package.json": manifest("@webagent/contract", {
    imports: { "#http": { node: "./src/Http.ts", default: "./dist/Http.js" } }
  }),
  "packages/contract/src/Wire.ts": "export const path = '/'\n",
  "packages/contract/src/Http.ts": "export const http = 1\n",
  "packages/contract/src/v3/Api.ts": imports("../Wire.ts"),
  "packages/contract/src/v4/Api.ts": `${imports("../Wire.ts")}import "node:fs"\n`,
  "packages/client/core/package.json": manifest("@webagent/core", {
    dependencies: { "@webagent/contract": "*", effect: "4" },
    devDependencies: { "@webagent/scripted": "*", "@types/ws": "8", vitest: "5" }
  }),
  "packages/client/core/src/Transport.ts": `${imports("@webagent/contract/v4")}import type { Effect } from "effect/Effect"\n`,
  "packages/client/core/test/Transport.test.ts": `${imports("@webagent/scripted")}${imports("../src/Transport.ts")}import "vitest"\nimport type {} from "ws"\n`,
  "packages/testing/scripted/package.json": manifest("@webagent/scripted"),
  "packages/testing/scripted/src/Scripted.ts": "export const scripted = 1\n",
  "apps/server/package.json": manifest("webagent-server", { dependencies: { "@webagent/core": "*" } }),
  "apps/server/src/main.ts": imports("@webagent/core")
}

beforeEach(() => {
  rmSync(place, { recursive: true, force: true })
  write(kept)
})

afterAll(() => rmSync(place, { recursive: true }))

const refused = (files: Readonly<Record<string, string>>, rules = house) => {
  write(files)
  return check(place, rules)
}

describe("a tree that keeps every arrow", () => {
  it("passes the check", () => assert.deepStrictEqual(check(place, house), []))
})

describe("an arrow between packages", () => {
  it("is refused if the table lacks it, with the file, the line and the allowed ones", () => {
    assert.deepStrictEqual(
      refused({
        "packages/contract/package.json": manifest("@webagent/contract", { dependencies: { "@webagent/core": "*" } }),
        "packages/contract/src/Wire.ts": `export const path = '/'\n${imports("@webagent/core")}`
      }),
      [
        "packages/contract/src/Wire.ts:2 imports packages/client/core. packages/contract may import nothing of ours (tools/arrows/src/arrows.ts)."
      ]
    )
  })

  for (const [how, text] of [
    ["a type", 'import type { A } from "@webagent/core"\n'],
    ["import()", 'export const load = () => import("@webagent/core")\n'],
    ["an import type", 'export type A = import("@webagent/core").A\n'],
    ["a re-export", 'export type { A } from "@webagent/core"\n']
  ] as const) {
    it(`is detected as ${how}`, () => {
      const manifests = {
        "packages/contract/package.json": manifest("@webagent/contract", { dependencies: { "@webagent/core": "*" } })
      }
      const [violation, ...others] = refused({ ...manifests, "packages/contract/src/Wire.ts": text })
      assert.include(violation, "packages/contract/src/Wire.ts:1 imports packages/client/core")
      assert.deepStrictEqual(others, [])
    })
  }

  it("to a test package is refused in src, and allowed in tests", () => {
    const [violation] = refused({ "packages/client/core/src/Ledger.ts": imports("@webagent/scripted") })
    assert.include(violation, "which only tests of packages/client/core may import")
  })

  it("through the file system is refused", () => {
    const [violation] = refused({ "packages/client/core/src/Ledger.ts": imports("../../../contract/src/Wire.ts") })
    assert.include(violation, "Import another package by its public entry.")
  })

  it("is reported as unused if no file uses it", () => {
    const rules = { ...house, "packages/testing/scripted": { imports: ["packages/contract"] } }
    assert.deepStrictEqual(check(place, rules), [
      "tools/arrows/src/arrows.ts: packages/testing/scripted never imports packages/contract. Remove the arrow."
    ])
    const core = { imports: ["packages/contract", "packages/testing/scripted"], tests: ["apps/server"] }
    assert.deepStrictEqual(check(place, { ...house, "packages/client/core": core }), [
      "tools/arrows/src/arrows.ts: only tests of packages/client/core import packages/testing/scripted. Move the arrow to its tests.",
      "tools/arrows/src/arrows.ts: no test of packages/client/core imports apps/server. Remove the arrow."
    ])
  })
})

describe("an arrow between folders", () => {
  it("is refused if the table lacks it", () => {
    assert.deepStrictEqual(refused({ "packages/contract/src/v4/Run.ts": imports("../v3/Api.ts") }), [
      "packages/contract/src/v4/Run.ts:1 imports ../v3/Api.ts. packages/contract/src: v4 may import . (tools/arrows/src/arrows.ts)."
    ])
  })

  it("through a subpath import is followed to its file", () => {
    write({ "packages/contract/src/v4/Run.ts": imports("#http") })
    assert.deepStrictEqual(check(place, house), [])
    const folders = { ".": [], v3: ["."], v4: [] }
    const files = { "packages/contract/src/v4/Api.ts": "export const api = 1\n" }
    assert.match(refused(files, { ...house, "packages/contract": { imports: [], folders } }).join(), /imports #http/u)
  })

  it("from src to a test is refused", () => {
    const [violation] = refused({ "packages/client/core/src/Ledger.ts": imports("../test/Transport.test.ts") })
    assert.include(violation, "Files in src import files in src only.")
  })

  it("is refused if it makes a cycle in the table", () => {
    const folders = { ".": ["v4"], v3: ["."], v4: ["."] }
    const listed = refused(
      { "packages/contract/src/Wire.ts": imports("./v4/Api.ts") },
      { ...house, "packages/contract": { imports: [], folders } }
    )
    assert.deepStrictEqual(listed, ["packages/contract/src has a cycle of folders: . -> v4 -> .."])
  })
})

describe("a place that the table lacks", () => {
  it("fails if it is a package", () => {
    const { "apps/server": _, ...rules } = house
    assert.deepStrictEqual(check(place, rules), ["apps/server has no entry in tools/arrows/src/arrows.ts. Add one."])
  })

  it("fails if it is a folder", () => {
    const found = refused({ "packages/contract/src/v5/Api.ts": "export const api = 1\n" })
    assert.deepStrictEqual(found, ["packages/contract/src/v5 has no entry in tools/arrows/src/arrows.ts. Add one."])
  })

  it("fails if it is a folder in a package that lists no folders", () => {
    const found = refused({ "apps/server/src/cli/run.ts": "export const run = 1\n" })
    assert.deepStrictEqual(found, ["apps/server/src/cli has no entry in tools/arrows/src/arrows.ts. Add one."])
  })

  it("is reported if the table has a missing package or folder", () => {
    rmSync(join(place, "packages/contract/src/v3"), { recursive: true })
    rmSync(join(place, "apps"), { recursive: true })
    assert.deepStrictEqual(check(place, house), [
      "tools/arrows/src/arrows.ts: there is no package apps/server. Remove it.",
      "tools/arrows/src/arrows.ts: packages/contract/src has no folder v3. Remove it.",
      "tools/arrows/src/arrows.ts: in packages/contract/src, v3 never imports .. Remove the arrow."
    ])
  })

  it("is refused if it is an undeclared registry package, in src even a development dependency", () => {
    const found = refused({ "packages/client/core/src/Ledger.ts": `${imports("undici")}${imports("vitest")}` })
    assert.deepStrictEqual(found, [
      "packages/client/core/src/Ledger.ts:1 imports undici, which packages/client/core/package.json does not declare.",
      "packages/client/core/src/Ledger.ts:2 imports vitest, which packages/client/core/package.json does not declare."
    ])
  })
})
