/** Writes the API report of each public package: `npm run api`. */
import { globSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { apiReports, folder } from "./ApiReport.ts"
import { build } from "./build.ts"
import { root } from "./Package.ts"

await build()
mkdirSync(join(root, folder), { recursive: true })
for (const report of globSync("*.txt", { cwd: join(root, folder) })) rmSync(join(root, folder, report))
for (const [file, text] of apiReports()) writeFileSync(join(root, folder, file), text)
