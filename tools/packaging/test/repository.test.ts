import { assert, it } from "vitest"
import { withRepository } from "../src/repository.ts"

it("the manifest has a package's repository and folder, which npm compares with its provenance", () => {
  const text = withRepository(
    '{ "name": "@webagent/v4" }',
    "https://git.example/webagent/webagent",
    "packages/client/v4"
  )
  assert.deepStrictEqual(JSON.parse(text), {
    name: "@webagent/v4",
    repository: { type: "git", url: "git+https://git.example/webagent/webagent.git", directory: "packages/client/v4" }
  })
})
