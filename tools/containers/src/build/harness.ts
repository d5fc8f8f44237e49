/**
 * Copies the harness and its dependencies as the lockfile has them: `node harness.ts FOLDER`. It isn't bundled, because
 * suites import packages from it. `npm run build` has to come first.
 */
import { execFileSync } from "node:child_process"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { pnpm, sbomOf } from "./workspace.ts"

/** Copies the harness into a new folder. */
export const deployHarness = (folder: string): void => {
  const name = "webagent-harness"
  pnpm(name, "deploy", "--prod", folder)
  // declarations, maps and sources are for editors; find, because Node follows the links between packages
  const forEditors = ["-type", "f", "-regextype", "posix-extended", "-iregex", ".*\\.(map|[cm]?ts|tsx|md)"]
  const store = join(folder, "node_modules/.pnpm")
  execFileSync("find", [store, ...forEditors, "!", "-iname", "licen[cs]e*", "-delete"])
  rmSync(join(folder, "src"), { recursive: true, force: true })
  writeFileSync(join(folder, "sbom.cdx.json"), sbomOf(name))
  // here, because the root of a container may be read-only
  execFileSync(process.execPath, [join(folder, "bin/webagent-harness.js"), "list"], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, NODE_COMPILE_CACHE: join(folder, "compiled"), NODE_COMPILE_CACHE_PORTABLE: "1" }
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) deployHarness(process.argv[2] ?? "dist")
