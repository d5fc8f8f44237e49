import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "vitest"
import { cliPages } from "../src/Cli.ts"
import { root } from "../src/Documents.ts"

it("the command pages equal the programs' help; if not: npm run docs", async () => {
  const docs = join(root, "docs")
  const files = globSync("{cli.md,cli/*.md}", { cwd: docs })
  assert.deepStrictEqual(new Map(files.map((file) => [file, readFileSync(join(docs, file), "utf8")])), await cliPages())
})
