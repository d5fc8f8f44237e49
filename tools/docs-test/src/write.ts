/** Brings generated documentation up to date: every `file=` fence, and the pages of commands. Run: `npm run docs`. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { cliPages } from "./Cli.ts"
import { documents, root } from "./Documents.ts"
import { refreshed } from "./Fence.ts"

rmSync(join(root, "docs/cli"), { recursive: true, force: true })
mkdirSync(join(root, "docs/cli"))
for (const [file, text] of await cliPages()) writeFileSync(join(root, "docs", file), text)
for (const document of documents()) writeFileSync(join(root, document), refreshed(root, document))
