import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { version } from "../../../src/http/endpoints/Version.ts"

describe("the version", () => {
  it("is the package's", () => {
    const { version: published } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"))
    assert.strictEqual(version, published)
  })
})
