import { assert, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { bundled, file } from "../../build-page.mjs"

it("the page's script is what its modules make: node build-page.mjs", async () => {
  assert.strictEqual(readFileSync(file, "utf8"), await bundled())
})
