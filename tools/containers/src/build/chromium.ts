/**
 * Unpacks the Chromium of the npm package: `node chromium.ts FOLDER ARCHITECTURE`. The package is for amd64 only, so the
 * folder stays empty for others.
 */
import { execFileSync } from "node:child_process"
import { chmodSync, copyFileSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { root } from "./workspace.ts"

/** Unpacks the browser into a new folder, under the name of Debian's program, where the server looks for it. */
export const unpackChromium = (folder: string, architecture: string): void => {
  mkdirSync(folder, { recursive: true })
  if (architecture !== "amd64") return
  const entry = createRequire(join(root, "apps/server/src/main.ts")).resolve("@sparticuz/chromium")
  // the package unpacks into the temporary folder of its process
  const script = `const { default: chromium } = await import(process.argv[1]); await chromium.executablePath()`
  execFileSync(process.execPath, ["--input-type=module", "--eval", script, pathToFileURL(entry).href], {
    env: { TMPDIR: folder },
    stdio: "inherit"
  })
  chmodSync(join(folder, "chromium"), 0o755)
  renameSync(join(folder, "chromium"), join(folder, "chromium-headless-shell"))
  // the image has Debian's
  rmSync(join(folder, "fonts"), { recursive: true })
  copyFileSync(join(dirname(dirname(entry)), "LICENSE"), join(folder, "LICENSE"))
}

const [, script, folder = "dist", architecture = "amd64"] = process.argv
if (script === fileURLToPath(import.meta.url)) unpackChromium(folder, architecture)
