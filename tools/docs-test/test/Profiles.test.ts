import { SettingsFile } from "@webagent/control"
import * as Result from "effect/Result"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { root } from "../src/Documents.ts"
import { fieldPaths, presetRows } from "../src/Presets.ts"

const page = readFileSync(join(root, "docs/profiles.md"), "utf8")
const files = globSync("apps/examples/profiles/*.json", { cwd: root })

describe("docs/profiles.md", () => {
  for (const row of presetRows()) {
    it(`shows the preset ${row.slice(2, 14).trim()} as it is`, () => assert.include(page.split("\n"), row))
  }

  it("has a row for every field of a profile file, and for no other", () => {
    const [, table = ""] = page.split("| field | what it is |")
    const rows = table.split("\n").flatMap((line) => /^\| (`[^|]*) \|/u.exec(line)?.[1] ?? [])
    const documented = rows.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/gu)].flatMap((match) => match[1] ?? []))
    assert.deepStrictEqual(documented.toSorted(), fieldPaths(SettingsFile.ProfileFile).toSorted())
  })
})

describe("profiles of the examples", () => {
  it("there are some", () => assert.isNotEmpty(files))

  for (const file of files) {
    it(`${file} is a profile`, () => {
      const profile = SettingsFile.profileFromJson(readFileSync(join(root, file), "utf8"))
      assert.deepStrictEqual(Result.isFailure(profile) ? profile.failure.lines : [], [])
    })
  }
})
