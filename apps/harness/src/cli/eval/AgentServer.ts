import { missing, usage } from "@webagent/cli/UserError"
import { here, quoted } from "@webagent/cli/Program"
import { describePlatformError } from "@webagent/cli/PlatformErrorText"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Redacted from "effect/Redacted"
import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import * as ServerProcess from "../ServerProcess.ts"

/** A server with a model. */
export interface AgentServerOptions {
  /** As `--model` of the server: `DIALECT:NAME`. */
  readonly model: string
  readonly modelUrl: string | undefined
  readonly modelPrice: string | undefined
  /** More flags, each as `name=value`, or `name` alone. */
  readonly serverFlags: ReadonlyArray<string>
  /** Local port of the sites, which its browsers may reach. */
  readonly sitesPort: number
}

const binary = join("bin", "webagent-server.js")

/** The program in the user's project, next to this one, or in a checkout of the repository. */
const find = (): string | undefined => {
  for (const from of [pathToFileURL(join(process.cwd(), "package.json")), import.meta.url]) {
    try {
      return join(dirname(createRequire(from).resolve("webagent-server/package.json")), binary)
    } catch {
      // not installed there
    }
  }
  const checkout = fileURLToPath(new URL(`../../../../server/${binary}`, import.meta.url))
  return existsSync(checkout) ? checkout : undefined
}

/** Longest time until the server listens: it starts Chromium and may ask the model before. */
const patience = "2 minutes"

const cannotStart = (why: string) => usage(`webagent-server cannot start. ${why}`)

const checkFlags = (flags: ReadonlyArray<string>) =>
  flags.length === 0
    ? `Start it by itself to see the reason: ${here("webagent-server", import.meta.url)} serve`
    : `Check ${flags.map((flag) => `--server-flag ${quoted(flag)}`).join(" ")}.`

const optional = (name: string, value: string | undefined) => (value === undefined ? [] : [name, value])

/** Starts webagent-server with a model and real browsers, and with a database of its own. It ends with the scope. */
export const start = Effect.fnUntraced(function* (options: AgentServerOptions) {
  const { model, modelPrice, modelUrl, serverFlags, sitesPort } = options
  const program = find()
  if (program === undefined) {
    return yield* missing(
      "webagent-server is not installed. Install it next to webagent-harness: npm install --save-dev webagent-server. Or evaluate a running service with --target URL."
    )
  }
  const fs = yield* FileSystem.FileSystem
  const folder = yield* Effect.mapError(fs.makeTempDirectoryScoped({ prefix: "webagent-eval-" }), (error) =>
    cannotStart(`${describePlatformError(error)}.`)
  )
  const apiKey = `wak_${randomBytes(16).toString("hex")}`
  const address = yield* ServerProcess.start({
    program,
    flags: [
      "--api-key",
      apiKey,
      "--data",
      join(folder, "server.db"),
      "--no-console",
      "--browsers",
      "chromium",
      "--allow-private",
      `127.0.0.1:${sitesPort}`,
      "--model",
      model,
      ...optional("--model-url", modelUrl),
      ...optional("--model-price", modelPrice),
      ...serverFlags.map((flag) => `--${flag}`)
    ],
    listening: /^v4\s+(https?:\S+)\/api\/v4$/u,
    cannotStart,
    advice: checkFlags(serverFlags)
  }).pipe(
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => Effect.fail(cannotStart(`It didn't listen within ${patience}. ${checkFlags(serverFlags)}`))
    })
  )
  return { address, apiKey: Redacted.make(apiKey) }
})
