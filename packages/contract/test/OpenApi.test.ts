import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { documents } from "../openapi/generate.ts"

describe("openapi", () => {
  for (const [version, text] of Object.entries(documents())) {
    it(`${version}.json is fresh; if not: npm run openapi`, () => {
      assert.strictEqual(readFileSync(new URL(`../openapi/${version}.json`, import.meta.url), "utf8"), text)
    })

    it(`${version}.json names components as the description does`, () => {
      const names = Object.keys(JSON.parse(text).components.schemas)
      assert.deepStrictEqual(
        names.filter((name) => /(?:Encoded|_\d+)$/u.test(name)),
        []
      )
    })
  }

  it("keeps the service's records open, and shows their patterns and defaults", () => {
    const { SessionView } = JSON.parse(documents().v2).components.schemas
    assert.notProperty(SessionView, "additionalProperties")
    assert.deepStrictEqual(SessionView.required, ["id", "status", "startedAt", "tasks"])
    assert.strictEqual(SessionView.properties.keepAlive.default, true)
    assert.strictEqual(SessionView.properties.proxyCost.default, "0")
    assert.property(SessionView.properties.proxyCost, "pattern")
  })
})
