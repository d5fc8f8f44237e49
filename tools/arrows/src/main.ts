/** Holds every source file to the table of arrows: `pnpm boundaries`. With `--write`, updates ARCHITECTURE.md first. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { arrows } from "./arrows.ts"
import { check } from "./check.ts"
import { untrue } from "./Codemap.ts"
import { stale, written } from "./Section.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const page = join(root, "ARCHITECTURE.md")
const text = readFileSync(page, "utf8")
if (process.argv.includes("--write")) writeFileSync(page, written(text, arrows))

const current = readFileSync(page, "utf8")
const violations = [
  ...check(root, arrows),
  ...stale(current, arrows),
  ...untrue(current, arrows, (path) => existsSync(join(root, path)))
]
for (const violation of violations) process.stderr.write(`${violation}\n`)
if (violations.length > 0) process.exitCode = 1
else process.stdout.write(`Every arrow holds: ${Object.keys(arrows).length} packages.\n`)
