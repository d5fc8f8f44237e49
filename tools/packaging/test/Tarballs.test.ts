import * as attw from "@arethetypeswrong/core"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, assert, describe, inject, it } from "vitest"
import { type Manifest, problems, publishedFolders, read, root } from "../src/Package.ts"
import { installedBin, type Service, startService } from "../src/Project.ts"

const node24 = process.execPath
const packed = inject("packed")
const project = inject("project")
let service: Service | undefined

const run = (command: string, args: ReadonlyArray<string>, env: Record<string, string> = {}) => {
  const { status, stderr, stdout } = spawnSync(command, args, {
    cwd: project,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1", NODE_OPTIONS: "", ...env }
  })
  return { status, stdout, stderr }
}

/** A Node that says it is 20, to see what the commands say to it: nothing else of it is old. */
const oldNode = "data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.20.2'})"

afterAll(() => service?.stop())

describe("every tarball", () => {
  for (const folder of publishedFolders()) {
    const { exports, name }: Manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))
    const find = () => {
      const found = packed.find((one) => one.name === name)
      if (found === undefined) throw new Error(`${name} was not packed`)
      return found
    }

    it(`${name} is complete: files, exports, resolved ranges, no tests`, async () => {
      assert.deepStrictEqual(await problems(find().folder), [])
    })

    // a command is run, not imported
    if (exports === undefined) continue
    it(`${name} has types that resolve under node16 and bundler`, async () => {
      const archive = attw.createPackageFromTarballData(new Uint8Array(readFileSync(find().tarball)))
      const analysis = await attw.checkPackage(archive)
      if (!analysis.types) return assert.fail("there are no types")
      // packages are ES modules only: require() under node10 and from CommonJS is not offered
      const wrong = analysis.problems.filter(
        (problem) =>
          !(
            "resolutionKind" in problem &&
            (problem.resolutionKind === "node10" || problem.resolutionKind === "node16-cjs")
          ) && problem.kind !== "CJSResolvesToESM"
      )
      assert.deepStrictEqual(wrong, [])
    })
  }
})

describe("files that are found by name and not by an import", () => {
  it("include the load tests, packed as the bundle that any k6 runs", () => {
    const { files } = read(packed.find(({ name }) => name === "@webagent/load")?.folder ?? "")
    assert.isTrue(files.has("dist/k6/load.js"))
    assert.include(files.get("dist/k6/LICENSE-effect.txt"), "MIT License")
  })

  it("include the harness's screens, for reports and for its server", () => {
    const { files } = read(packed.find(({ name }) => name === "webagent-harness")?.folder ?? "")
    const screens = ["dist/export/export.js", "dist/export/export.css", "dist/web/index.html", "dist/web/LICENSES.md"]
    assert.deepStrictEqual(
      screens.filter((file) => !files.has(file)),
      []
    )
  })
})

describe("an app outside of the workspace", () => {
  it("creates a run on the packed server and waits for it with Effect", async () => {
    service ??= await startService(project)
    writeFileSync(
      join(project, "program.mjs"),
      `import * as Effect from "effect/Effect"
import { Runs, V4 } from "@webagent/v4"
const program = Effect.gen(function* () {
  const runs = yield* Runs
  const run = yield* runs.createAndWait({ task: "say hello [simulate output=hello duration=10ms]" })
  return run.status + " " + run.result
})
console.log(await Effect.runPromise(program.pipe(Effect.provide(V4.layer()))))
`
    )
    const { status, stderr, stdout } = run(node24, ["program.mjs"], {
      WEBAGENT_BASE_URL: service.address,
      WEBAGENT_API_KEY: service.apiKey
    })
    assert.deepStrictEqual({ status, stdout, stderr }, { status: 0, stdout: "completed hello\n", stderr: "" })
  })

  it("does the same with promises, and exits", async () => {
    service ??= await startService(project)
    writeFileSync(
      join(project, "promises.mjs"),
      `import { RunNotFoundError, WebAgent } from "@webagent/v4/promise"
import { WebAgent as V3 } from "@webagent/v3/promise"
import { WebAgent as V2 } from "@webagent/v2/promise"
const run = await new WebAgent().runs.createAndWait({ task: "say hello [simulate output=hello duration=10ms]" })
const absent = await new WebAgent().runs.get("none").catch((error) => error instanceof RunNotFoundError)
const session = await new V3().sessions.get(run.sessionId)
const { tasks } = await new V2().sessions.get(run.sessionId)
console.log(run.status, run.result, absent, session.result, tasks[0].output)
`
    )
    const { status, stderr, stdout } = run(node24, ["promises.mjs"], {
      WEBAGENT_BASE_URL: service.address,
      WEBAGENT_API_KEY: service.apiKey
    })
    assert.deepStrictEqual(
      { status, stdout, stderr },
      { status: 0, stdout: "completed hello true hello hello\n", stderr: "" }
    )
  })

  it("has types for promises that don't mention Effect", () => {
    writeFileSync(
      join(project, "promises.ts"),
      `import { RunNotFoundError, type Run, TransportError, WebAgent } from "@webagent/v4/promise"
import { type Session, WebAgent as V3 } from "@webagent/v3/promise"
import { type SessionView, WebAgent as V2 } from "@webagent/v2/promise"
const agent = new WebAgent({ timeouts: { total: "10 seconds" } })
export const run: Promise<Run> = agent.runs.createAndWait({ task: "t" }, { timeout: 1000, signal: AbortSignal.timeout(1) })
export const three: Promise<Session> = new V3().sessions.get("1")
export const two: Promise<SessionView> = new V2().sessions.get("1")
export const main = async () => {
  try {
    for await (const { status } of agent.runs.watch("1")) console.log(status.toUpperCase())
    await using browser = await agent.browsers.create()
    return browser.cdpUrl
  } catch (error) {
    if (error instanceof RunNotFoundError) return error.detail
    if (error instanceof TransportError && error.reason._tag === "UnexpectedStatus") return error.reason.body
    throw error
  }
}
`
    )
    const options = "--noEmit --strict --skipLibCheck false --target es2024 --lib es2022,dom,dom.asynciterable"
    const { status, stdout } = run(installedBin(project, "tsc"), [
      ...options.split(" "),
      ..."--module node16 --moduleResolution node16 --listFiles --types".split(" "),
      "",
      "promises.ts"
    ])
    assert.strictEqual(status, 0, stdout)
    const files = stdout.split("\n")
    assert.isTrue(files.some((file) => file.endsWith("/@webagent/v4/dist/promise/WebAgent.d.ts")))
    assert.deepStrictEqual(
      files.filter((file) => file.includes("/node_modules/effect/")),
      []
    )
  })

  for (const [moduleResolution, module] of [
    ["node16", "node16"],
    ["bundler", "esnext"]
  ] as const) {
    it(`compiles its TypeScript with moduleResolution ${moduleResolution}`, () => {
      writeFileSync(
        join(project, `types-${moduleResolution}.ts`),
        `import * as Effect from "effect/Effect"
import { ClientConfig, Transport } from "@webagent/core"
import { PollSchedule } from "@webagent/polling"
import { check, scenario, Suite } from "@webagent/scenario"
import { Server } from "@webagent/simulation"
import { Sessions as SessionsV2 } from "@webagent/v2"
import { Sessions as SessionsV3 } from "@webagent/v3"
import { Browsers, Runs, V4 } from "@webagent/v4"
import type { SessionView } from "@webagent/contract/v2"
import { terminalRunStatuses } from "@webagent/contract/Wire"
export const statuses: ReadonlyArray<"completed" | "failed" | "cancelled"> = terminalRunStatuses
export const program = Effect.flatMap(Runs, (runs) => Effect.map(runs.createAndWait({ task: "t" }), (run): string => run.status)).pipe(Effect.provide(V4.layer()))
export const read = (id: string) => Effect.flatMap(SessionsV2, (sessions) => Effect.map(sessions.get(id), (view): SessionView => view))
export const suite = Suite.make("mine", [scenario("adds up", {}, function* () { yield* check.equal(1 + 1, 2) })])
export const all = [ClientConfig, Transport, PollSchedule, Server, SessionsV3, Browsers]
`
      )
      const { status, stdout } = run(installedBin(project, "tsc"), [
        "--noEmit",
        "--strict",
        "--skipLibCheck",
        "false",
        "--target",
        "es2024",
        "--lib",
        "es2024,dom,dom.asynciterable,esnext.disposable",
        "--module",
        module,
        "--moduleResolution",
        moduleResolution,
        "--types",
        "node",
        `types-${moduleResolution}.ts`
      ])
      assert.deepStrictEqual({ status, stdout }, { status: 0, stdout: "" })
    })
  }

  it("runs its own suite file with npx webagent-harness", () => {
    writeFileSync(
      join(project, "my.suite.ts"),
      `import { check, scenario, Suite } from "@webagent/scenario"
export default Suite.make("mine", [
  scenario("a run completes", {}, function* ({ v4 }) {
    const run = yield* v4.runs.createAndWait({ task: "say hello [simulate output=hello]" })
    yield* check.equal(run.result, "hello")
  })
])
`
    )
    const { status, stdout } = run("npx", ["--no-install", "webagent-harness", "run", "my.suite.ts"], {
      PATH: `${join(node24, "..")}:${process.env["PATH"] ?? ""}`
    })
    assert.include(stdout, "PASSED: 1 of 1 scenario passed")
    assert.strictEqual(status, 0)
  })

  it.skipIf(process.platform !== "linux")(
    "keeps V8's space for new objects small in webagent-server serve",
    async () => {
      /** The arguments of Node in a server, once it listens. */
      const argumentsOf = async (options: string) => {
        const data = join(project, `server${options}.db`)
        const child = spawn(
          installedBin(project, "webagent-server"),
          ["serve", "--data", data, "--port", "0", "--api-key", "wak_packed"],
          {
            cwd: project,
            env: { ...process.env, NODE_OPTIONS: options, PATH: `${join(node24, "..")}:${process.env["PATH"] ?? ""}` }
          }
        )
        const ended = once(child, "exit")
        let printed = ""
        for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (printed += String(chunk)))
        try {
          while (!printed.includes("http://") && child.exitCode === null) await sleep(50)
          assert.isNull(child.exitCode, printed)
          return readFileSync(`/proc/${child.pid}/cmdline`, "utf8").split("\0").slice(1, -1)
        } finally {
          child.kill()
          await ended
        }
      }
      assert.deepStrictEqual((await argumentsOf("")).slice(0, 2), [
        "--max-semi-space-size=8",
        "--heap-growing-percent=100"
      ])
      assert.match((await argumentsOf("--max-semi-space-size=16"))[0] ?? "", /webagent-server$/u)
    }
  )

  for (const command of ["webagent-harness", "webagent-server"]) {
    it(`explains in one sentence that Node is too old for ${command}`, () => {
      const { status, stderr, stdout } = run(node24, ["--import", oldNode, installedBin(project, command), "--help"])
      assert.match(stderr, /^.*needs Node 22\.19 or newer; this is 20\.20\.2\..*\n$/u)
      assert.deepStrictEqual({ status, stdout }, { status: 2, stdout: "" })
    })
  }
})
