import { Binary } from "@webagent/chromium"
import * as Effect from "effect/Effect"
import { type Browser, chromium } from "playwright-core"

// the sandbox needs a user who is not root; what is looked at is our own page
const args = ["--no-sandbox", "--disable-gpu"]

// a test has its limit, and says what it waited for
const patient = { timeout: 0, args }

/** Starts Chromium: the one that `WEBAGENT_CHROMIUM` names, the system's, that of the package registry, or your Chrome. */
export const open = async (): Promise<Browser> => {
  const isElsewhere = process.platform !== "linux" || process.arch !== "x64"
  if (isElsewhere && process.env["WEBAGENT_CHROMIUM"] === undefined) {
    return chromium.launch({ ...patient, channel: "chrome" })
  }
  const { env, executable } = await Effect.runPromise(Binary.find())
  return chromium.launch({ ...patient, executablePath: executable, env })
}

/** Flags that make every machine draw the same pixels. */
const drawing = ["--font-render-hinting=none", "--disable-lcd-text", "--force-color-profile=srgb"]

/**
 * Starts the Chromium of the package registry, whose version is pinned, for tests that compare pictures; undefined where it
 * doesn't run.
 */
export const openPinned = async (): Promise<Browser | undefined> => {
  if (process.platform !== "linux" || process.arch !== "x64") return undefined
  const binary = await Effect.runPromise(Effect.orDie(Binary.packaged()))
  if (binary === undefined) return undefined
  const { env, executable } = binary
  return chromium.launch({ ...patient, args: [...args, ...drawing], executablePath: executable, env })
}
