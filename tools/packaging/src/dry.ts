/**
 * Rehearses a release: `npm run release:dry`. In a copy of the workspace, it gives the packages their next version, packs
 * them, installs them into an app and runs them there. Publishes nothing. With `--record`, STATUS.md shows the result, and the README its date.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { copyWorkspace } from "./Copy.ts"
import { abortOnInterrupt, runNode } from "./Interrupts.ts"
import { root } from "./Package.ts"
import { pendingChangesets } from "./Versions.ts"

const signal = abortOnInterrupt()
try {
  await using copy = await copyWorkspace(signal)
  const facts = join(copy.temporary, "facts")
  const run = (...args: ReadonlyArray<string>) =>
    // so that what an interrupted program leaves is removed with the copy
    runNode(args, { cwd: copy.folder, env: { ...process.env, TMPDIR: copy.temporary }, signal })
  // it fails without changesets, for example once their versions are committed
  if (pendingChangesets(copy.folder).length > 0) await run("node_modules/@changesets/cli/bin.js", "version")
  await run("tools/packaging/src/version.ts")
  await run("--conditions=@webagent/source", "tools/packaging/src/rehearse.ts", facts)
  if (process.argv.includes("--record"))
    await runNode(["tools/workspace/status.ts", "packages", readFileSync(facts, "utf8")], { cwd: root, signal })
} catch (error) {
  const failure = error instanceof Error ? error.message : String(error)
  process.stderr.write(`${signal.aborted ? "The rehearsal was interrupted, and its files are removed." : failure}\n`)
  process.exitCode = 1
}
