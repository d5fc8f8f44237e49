import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { document } from "../openapi/generate.ts"

describe("openapi", () => {
  it("admin.json is fresh; if not: npm run openapi", () => {
    assert.strictEqual(readFileSync(new URL("../openapi/admin.json", import.meta.url), "utf8"), document())
  })

  it("has one component per error", () => {
    const names = Object.keys(JSON.parse(document()).components.schemas)
    assert.deepStrictEqual(
      names.filter((name) => /_\d+$/u.test(name)),
      []
    )
  })
})
