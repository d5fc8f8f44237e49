import * as K6 from "@webagent/load/K6"
import type { UserError } from "@webagent/cli/UserError"
import { counted } from "@webagent/cli/Text"
import * as Effect from "effect/Effect"
import * as ChildProcess from "effect/process/ChildProcess"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import { existsSync, globSync } from "node:fs"
import { homedir } from "node:os"
import { delimiter, join } from "node:path"
import * as JsonOutput from "../JsonOutput.ts"
import { ExitError } from "@webagent/cli/ExitCode"
import type { RunOptions } from "../RunFlags.ts"
import * as TargetSource from "../TargetSource.ts"
import { terminal, variable } from "@webagent/cli/Terminal"
import { type Check, DoctorOutput } from "./DoctorOutput.ts"
import * as Server from "./server.ts"

/** The minimum Node version that `package.json` requires. */
const leastNode = [22, 19] as const
const leastGo = [1, 25] as const

const isAtLeast = (version: string, [major, minor]: readonly [number, number]): boolean => {
  const [first = 0, second = 0] = version.split(".").map(Number)
  return first > major || (first === major && second >= minor)
}

const ok = (name: Check["name"], found: string): Check => ({ name, status: "ok", found, advice: null })

/** The check of the Node that runs this program. */
export const node = (version: string): Check =>
  isAtLeast(version, leastNode)
    ? ok("Node", version)
    : { name: "Node", status: "failed", found: version, advice: `Install Node ${leastNode.join(".")} or newer.` }

/** The check of what `go version` says; an empty text is no Go. */
export const go = (said: string): Check => {
  const version = /\bgo(\d+\.\d+\S*)/u.exec(said)?.[1]
  return version !== undefined && isAtLeast(version, leastGo)
    ? ok("Go", version)
    : {
        name: "Go",
        status: "missing",
        found: version ?? "not found",
        advice: `load builds k6 with Go ${leastGo.join(".")} or newer, once. Install it, or install k6.`
      }
}

const findGo = Effect.gen(function* () {
  const spawner = yield* ChildProcessSpawner
  return yield* spawner.string(ChildProcess.make("go", ["version"], { stdin: "ignore" })).pipe(
    Effect.timeout("10 seconds"),
    Effect.orElseSucceed(() => "")
  )
})

/** The check of the k6 that `load` would take; in a checkout it builds its own where Go is. */
const findK6 = Effect.fnUntraced(function* ({ status }: Check) {
  const named = yield* variable("WEBAGENT_K6")
  const packaged = yield* K6.installed(process.cwd())
  const builds = named === undefined && packaged === undefined && K6.isBuiltHere && status === "ok"
  if (builds) return ok("k6", `${K6.pinned}, which load builds with Go at its first use`)
  const k6 = yield* K6.inspect(named ?? packaged ?? "k6")
  if (k6 !== undefined) return ok("k6", `${k6.version} at ${k6.path}`)
  return {
    name: "k6",
    status: named === undefined ? "missing" : "failed",
    found: named === undefined ? "not installed" : `WEBAGENT_K6 is ${named}, which is not k6`,
    advice: `load needs k6. Run "npm install ${K6.isBuiltHere ? "--global" : "--save-dev"} @webagent/k6", or set WEBAGENT_K6 to its path.`
  } satisfies Check
})

const browsers = ["chromium", "chromium-browser", "google-chrome", "chrome", "chrome.exe"]

/** Default locations of Playwright's browsers, and of Chrome on macOS. */
const elsewhere = [
  join(homedir(), ".cache/ms-playwright/chromium-*/chrome-*/chrome"),
  join(homedir(), "Library/Caches/ms-playwright/chromium-*"),
  "/Applications/Google Chrome.app"
]

const findChromium = Effect.fnUntraced(function* (server: string | undefined) {
  const named = yield* variable("WEBAGENT_CHROMIUM")
  const path = (yield* variable("PATH")) ?? ""
  const places = path.split(delimiter).flatMap((folder) => browsers.map((browser) => join(folder, browser)))
  const found = [...(named === undefined ? [] : [named]), ...places].find(existsSync) ?? globSync(elsewhere)[0]
  if (found !== undefined) return ok("Chromium", found)
  if (server !== undefined) return Server.chromium(server)
  return {
    name: "Chromium",
    status: "missing",
    found: "not found",
    advice: "Only tests of your own pages need it: npx playwright install chromium"
  } satisfies Check
})

const keyOf = Effect.fnUntraced(function* (name: string, isNeeded: boolean) {
  if ((yield* variable(name)) !== undefined) return ok("key", `${name} is set`)
  return {
    name: "key",
    status: isNeeded ? "failed" : "missing",
    found: `${name} is not set`,
    advice: `--target needs an API key. Set ${name}, or pass --api-key-env NAME.`
  } satisfies Check
})

const targetOf = (target: string | undefined, key: Pick<RunOptions, "apiKeyEnv" | "apiKeyHeader">) => {
  const found = (what: string) => ok("target", what)
  const failed = ({ message }: UserError): Check => {
    const [first = "", ...more] = message.split("\n")
    const advice = more.map((line) => line.trim().replaceAll(/ +/gu, " ")).join("; ")
    return { name: "target", status: "failed", found: first, advice: advice === "" ? null : advice }
  }
  const probed =
    target === undefined
      ? Effect.as(
          TargetSource.embedded({ seed: 1, control: undefined }),
          found("the simulated service starts (no --target)")
        )
      : Effect.map(
          TargetSource.remote({
            target,
            apiKeyEnv: key.apiKeyEnv,
            apiKeyHeader: key.apiKeyHeader,
            allowPaid: false,
            v2SessionId: undefined
          }),
          ({ info }) => found(`${info.address} answers as ${info.name === info.address ? "the service" : info.name}`)
        )
  return probed.pipe(
    Effect.scoped,
    Effect.catchTag("UserError", (error) => Effect.succeed(failed(error)))
  )
}

/** Looks for what the harness needs, a line each; fails with ExitError when a check failed. */
export const examine = Effect.fnUntraced(function* (
  options: Pick<RunOptions, "apiKeyEnv" | "apiKeyHeader"> & {
    readonly target: string | undefined
    readonly json: boolean
  }
) {
  const target = options.target ?? (yield* variable("WEBAGENT_BASE_URL"))
  const key = yield* keyOf(options.apiKeyEnv, target !== undefined)
  const compiler = go(yield* findGo)
  const server = Server.find(process.cwd())
  const checks: ReadonlyArray<Check> = [
    node(process.versions.node),
    // a package builds nothing
    ...(K6.isBuiltHere ? [compiler] : []),
    yield* findK6(compiler),
    yield* findChromium(server),
    ...(server === undefined ? [] : [Server.bubblewrap(yield* Server.tryBubblewrap)]),
    key,
    // without a key there is nothing to ask with, which the line before says
    ...(key.status === "failed" ? [] : [yield* targetOf(target, options)])
  ]
  const failed = checks.filter(({ status }) => status === "failed")
  if (options.json) {
    yield* JsonOutput.print(DoctorOutput, { ok: failed.length === 0, checks })
  } else {
    const { style, write } = yield* terminal
    const marks = { ok: style.good, missing: style.warning, failed: style.bad }
    const lines = checks.flatMap(({ advice, found, name, status }) => [
      `${marks[status](status.padEnd(7))}  ${name.padEnd(10)}  ${found}`,
      ...(advice === null ? [] : [`${" ".repeat(21)}${advice}`])
    ])
    const last =
      failed.length === 0
        ? style.good("ready")
        : style.bad(`${counted(failed.length, "problem")}: ${failed.map(({ name }) => name).join(", ")}`)
    yield* write(`${[...lines, "", last].join("\n")}\n`)
  }
  if (failed.length > 0) return yield* new ExitError({ exitCode: 1 })
})
