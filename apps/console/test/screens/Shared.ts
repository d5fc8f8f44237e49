import { open } from "@webagent/test-chromium"
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Browser } from "playwright-core"

const root = fileURLToPath(new URL("../../../../", import.meta.url))

let browser: Promise<Browser> | undefined

/**
 * One Chromium for the tests of a worker. Test files share its modules and so this browser, because `test:unit` runs them
 * without isolation. It ends with the worker, so a test closes its own pages only.
 */
export const sharedChromium = (): Promise<Browser> => (browser ??= open())

const built = new Set<string>()

/** Builds the files of the console, or those of the harness's screens, once per worker. */
export const buildOnce = (pages: "console" | "harness"): void => {
  if (built.has(pages)) return
  const what = pages === "harness" ? ["build", "harness"] : ["build"]
  execFileSync(process.execPath, [`${root}tools/workspace/console.mjs`, ...what], { stdio: "pipe" })
  built.add(pages)
}
