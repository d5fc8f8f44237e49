import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { documents } from "../schema/generate.ts"

describe("schema", () => {
  for (const [name, text] of Object.entries(documents())) {
    it(`${name}.json is fresh; if not: npm run openapi`, () => {
      assert.strictEqual(readFileSync(new URL(`../schema/${name}.json`, import.meta.url), "utf8"), text)
    })
  }

  it("allows exactly the fields of a profile", () => {
    const { $defs } = JSON.parse(documents().profile)
    assert.isFalse($defs.ProfileFile.additionalProperties)
    assert.containsAllKeys($defs.ProfileFile.properties, ["$schema", "extends", "duration", "limits", "faults"])
  })
})
