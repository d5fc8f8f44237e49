import { root } from "./Package.ts"
import { pendingChangesets, write } from "./Versions.ts"

// runs after `changeset version`, which changes package.json only; with --check, before a release
const { length } = pendingChangesets(root)
if (!process.argv.includes("--check")) for (const file of write(root)) process.stdout.write(`${file}\n`)
else if (length > 0) {
  process.stderr.write(`${length} changesets are not applied. Run npm run version:packages, and commit the result.\n`)
  process.exitCode = 1
}
