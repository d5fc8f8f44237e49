/** Brings every `file=` fence of the documentation up to date: `pnpm docs`. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { documents, root } from "./Documents.ts"
import { refreshed } from "./Fence.ts"

for (const document of documents()) writeFileSync(join(root, document), refreshed(root, document))
