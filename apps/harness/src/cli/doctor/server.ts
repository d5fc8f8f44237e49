import * as Effect from "effect/Effect"
import * as ChildProcess from "effect/process/ChildProcess"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import { createRequire } from "node:module"
import { join } from "node:path"
import type { Check } from "./DoctorOutput.ts"

const resolved = (from: string, name: string): string | undefined => {
  try {
    return createRequire(from).resolve(name)
  } catch {
    return undefined
  }
}

/** Returns the location of `webagent-server` in a project or in this repository; undefined if it isn't installed. */
export const find = (folder: string): string | undefined =>
  resolved(join(folder, "-"), "webagent-server/package.json") ??
  resolved(join(folder, "apps/harness/-"), "../server/package.json")

/** The Chromium for the server where the machine has none. */
export const chromium = (server: string): Check => {
  const isPackaged = process.platform === "linux" && process.arch === "x64"
  const packaged = isPackaged ? resolved(server, "@sparticuz/chromium") : undefined
  return packaged === undefined
    ? {
        name: "Chromium",
        status: "missing",
        found: "not found",
        advice: "webagent-server needs it for real browsers. Install it, or set WEBAGENT_CHROMIUM to its path."
      }
    : { name: "Chromium", status: "ok", found: "the one of @sparticuz/chromium, for webagent-server", advice: null }
}

/** The check of what bubblewrap said when it was to print `works` in namespaces; an empty text is no bubblewrap. */
export const bubblewrap = (said: string): Check => {
  const line = said.trim().split("\n").at(-1) ?? ""
  if (line === "works") return { name: "bubblewrap", status: "ok", found: "it makes namespaces", advice: null }
  const remedy = line === "" ? "Install it (Linux)" : "Let users make namespaces"
  return {
    name: "bubblewrap",
    status: "missing",
    found: line === "" ? "not found" : line,
    advice: `webagent-server keeps browsers apart with it. ${remedy}, or accept less: --min-isolation chromium`
  }
}

/** Runs bubblewrap once and checks whether it works on this machine. */
export const tryBubblewrap = Effect.gen(function* () {
  const spawner = yield* ChildProcessSpawner
  const args = ["--unshare-all", "--ro-bind", "/", "/", "--", "echo", "works"]
  const said = spawner.string(ChildProcess.make("bwrap", args, { stdin: "ignore" }), { includeStderr: true })
  return yield* said.pipe(
    Effect.timeout("10 seconds"),
    Effect.orElseSucceed(() => "")
  )
})
