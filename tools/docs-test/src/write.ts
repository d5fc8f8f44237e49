/** Brings generated documentation up to date: every `file=` fence, and the CLI reference. Run: `npm run docs`. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { cliPage } from "./Cli.ts"
import { documents, root } from "./Documents.ts"
import { refreshed } from "./Fence.ts"

writeFileSync(join(root, "docs/cli.md"), await cliPage())
for (const document of documents()) writeFileSync(join(root, document), refreshed(root, document))
