/**
 * Checks every source file against the table of arrows, the exports of each package, and the size of all sources:
 * `pnpm boundaries`. With `--write`, updates ARROWS.md first.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { arrows } from "./arrows.ts"
import { page, stale } from "./ArrowsPage.ts"
import { check } from "./check.ts"
import { untrue } from "./Codemap.ts"
import { unusedEntries } from "./Surface.ts"
import { grown, weightOf } from "./Weight.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const arrowsPage = fileURLToPath(new URL("../ARROWS.md", import.meta.url))
if (process.argv.includes("--write")) writeFileSync(arrowsPage, page(arrows))

const weight = weightOf(root)
const violations = [
  ...grown(weight),
  ...check(root, arrows),
  ...unusedEntries(root),
  ...stale(readFileSync(arrowsPage, "utf8"), arrows),
  ...untrue(readFileSync(join(root, "ARCHITECTURE.md"), "utf8"), arrows, (path) => existsSync(join(root, path)))
]
for (const violation of violations) process.stderr.write(`${violation}\n`)
if (violations.length > 0) process.exitCode = 1
else {
  const { lines, longFunctions } = weight
  process.stdout.write(`Every arrow holds: ${Object.keys(arrows).length} packages.\n`)
  process.stdout.write(`${lines} source lines, ${longFunctions.length} functions over 150 lines.\n`)
}
