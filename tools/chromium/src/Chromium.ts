import bundled, { inflate } from "@sparticuz/chromium"
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { type Browser, chromium } from "playwright-core"

const require = createRequire(import.meta.url)
// the package does not export its package.json
const packaged = join(dirname(require.resolve("@sparticuz/chromium")), "..")
const { version } = JSON.parse(readFileSync(join(packaged, "package.json"), "utf8"))
const home = join(tmpdir(), `webagent-chromium-${version}`)

/** Unpacks the browser beside its place and moves it there, so that a test that is killed leaves no half of one. */
const unpack = async () => {
  if (existsSync(home)) return
  const staging = mkdtempSync(`${home}-`)
  const before = process.env["TMPDIR"]
  process.env["TMPDIR"] = staging
  try {
    await bundled.executablePath()
    await inflate(join(packaged, "bin", "al2023.tar.br"))
  } finally {
    if (before === undefined) delete process.env["TMPDIR"]
    else process.env["TMPDIR"] = before
  }
  try {
    renameSync(staging, home)
  } catch {
    // another process was quicker
    rmSync(staging, { recursive: true, force: true })
  }
}

// the sandbox needs a user who is not root; what is looked at is our own page
const flags = ["--no-sandbox", "--disable-gpu"]

// a test has its limit, and says what it waited for
const patient = { timeout: 0 }

/** Starts Chromium: the one of the package registry, the one that `WEBAGENT_CHROMIUM` names, or the user's Chrome. */
export const open = async (): Promise<Browser> => {
  const named = process.env["WEBAGENT_CHROMIUM"]
  if (named !== undefined) return chromium.launch({ ...patient, executablePath: named, args: flags })
  if (process.platform !== "linux" || process.arch !== "x64") return chromium.launch({ ...patient, channel: "chrome" })
  await unpack()
  const options = { ...patient, executablePath: join(home, "chromium"), args: flags }
  try {
    return await chromium.launch(options)
  } catch {
    // a machine without NSS: the package has its own
    return await chromium.launch({ ...options, env: { LD_LIBRARY_PATH: join(home, "al2023", "lib") } })
  }
}
