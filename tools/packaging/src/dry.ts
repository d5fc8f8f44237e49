/**
 * Rehearses a release: `npm run release:dry`. In a copy of the workspace, it gives the packages their next version, packs
 * them, installs them into an app and runs them there. Publishes nothing. With `--record`, STATUS.md shows the result, and the README its date.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { copyWorkspace } from "./Copy.ts"
import { root } from "./Package.ts"

/** Runs a program to its end; exits with its code if it fails. */
const run = async (folder: string, ...args: ReadonlyArray<string>): Promise<void> => {
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "inherit", "inherit"] })
  const [code] = await once(child, "close")
  if (code !== 0) throw new Error(`${args.join(" ")} exited with ${code}`)
}

await using copy = await copyWorkspace()
const { folder } = copy
const facts = join(folder, "facts")
try {
  await run(folder, "node_modules/@changesets/cli/bin.js", "version")
  await run(folder, "tools/packaging/src/version.ts")
  await run(folder, "--conditions=@webagent/source", "tools/packaging/src/rehearse.ts", facts)
  if (process.argv.includes("--record"))
    await run(root, "tools/workspace/status.ts", "packages", readFileSync(facts, "utf8"))
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
