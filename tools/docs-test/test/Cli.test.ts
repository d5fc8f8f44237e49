import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "vitest"
import { cliPage } from "../src/Cli.ts"
import { root } from "../src/Documents.ts"

it("docs/cli.md is what the programs print of themselves; if not: npm run docs", async () => {
  assert.strictEqual(readFileSync(join(root, "docs/cli.md"), "utf8"), await cliPage())
})
