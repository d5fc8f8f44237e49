import { open } from "@webagent/test-chromium"
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { rolldown } from "rolldown"
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, inject, it } from "vitest"
import { root } from "../src/Package.ts"
import { installInto, type Service, startService } from "../src/Project.ts"
import { versionInUse } from "../src/Registry.ts"
import { bun, deno, node20, workerd } from "../src/Runtimes.ts"
import { type Relay, type Seen, startRelay } from "./Relay.ts"

const packed = inject("packed")
const project = inject("project")
const npm = inject("npm")
const programs = join(root, "tools/packaging/test/programs")

let service: Service
let relay: Relay
beforeAll(async () => {
  cpSync(programs, project, { recursive: true })
  service = await startService(project)
})
afterAll(() => service?.stop())
beforeEach(async () => {
  relay = await startRelay(service.address)
})
afterEach(() => relay.stop())

/** What `calls.mjs` says, in every runtime. */
const said = {
  run: ["completed", "hello"],
  statuses: ["completed"],
  browser: ["stopped", "string"],
  absent: "RunNotFoundError: Run not found",
  stranger: "UnauthorizedError: Invalid API key",
  moved: "TransportError: UnexpectedStatus",
  hangs: "TransportError: Timeout",
  cut: "TransportError: ConnectionFailed",
  half: "TransportError: ConnectionFailed",
  aborted: true,
  again: "completed",
  lost: "CreateOutcomeUnknown: ConnectionFailed",
  againInSteps: "completed",
  lostInSteps: "CreateOutcomeUnknown: ConnectionFailed",
  refusedRead: "TransportError: ConnectionFailed",
  // it is known that nothing has left
  refusedCreate: "TransportError: ConnectionFailed",
  effect: ["completed", "hello", "RunNotFoundError"]
}

/** The same where fetch does not say why there was no connection. */
const saidInTheDark = { ...said, refusedCreate: "CreateOutcomeUnknown: ConnectionFailed" }

const run = async (command: string, args: ReadonlyArray<string>, env: Record<string, string> = {}, cwd = project) => {
  const { stderr, stdout } = await promisify(execFile)(command, args, {
    cwd,
    timeout: 500_000,
    env: { ...process.env, NO_COLOR: "1", NODE_OPTIONS: "", DENO_DIR: join(project, ".deno"), ...env }
  })
  assert.strictEqual(stderr, "")
  return JSON.parse(stdout) as unknown
}

const where = () => [relay.address, relay.refused, service.apiKey]

/** The creates whose answer was lost, by their keys. */
const lost = () =>
  relay.seen
    .filter(({ body }) => body.includes("lose the answer"))
    .map(({ headers }) => headers["idempotency-key"] ?? "none")

/** Whether a request says of itself what only fetch says. */
const byFetch = (seen: Seen | undefined) => seen?.headers["sec-fetch-mode"] !== undefined

/** How often a client followed the redirect to here. */
const elsewhere = () => relay.seen.filter(({ path }) => path === "/elsewhere").length

const bundled = async (input: string, conditionNames: Array<string>) => {
  const bundle = await rolldown({
    input: join(project, input),
    platform: "neutral",
    resolve: { conditionNames: [...conditionNames, "import", "default"] },
    logLevel: "silent"
  })
  const { output } = await bundle.generate({ format: "esm" })
  await bundle.close()
  const [chunk, ...rest] = output
  assert.deepStrictEqual([chunk.imports, rest], [[], []])
  return chunk.code
}

const denoFlags = ["run", "--quiet", "--no-lock", "--node-modules-dir=manual"]

const processes: ReadonlyArray<{
  readonly name: string
  readonly command: string | undefined
  readonly args: ReadonlyArray<string>
}> = [
  { name: "Node 24", command: process.execPath, args: [] },
  { name: "Bun", command: bun, args: ["--no-install"] },
  { name: "Deno", command: deno, args: [...denoFlags, "--allow-net", "--allow-env", "--allow-read=."] }
]

describe.each(processes)("$name", ({ args, command = "", name }) => {
  it.skipIf(command === "")("calls the service with the same results as every runtime", async () => {
    const got = await run(command, [...args, "process.mjs", ...where()])
    assert.deepStrictEqual([got, lost().length, elsewhere(), byFetch(relay.seen[0])], [said, 2, 0, false])
  })

  it.skipIf(command === "")(
    "reads the environment, keeps a ledger in files, and loads undici or reports that it is missing",
    async () => {
      const directory = mkdtempSync(join(tmpdir(), "webagent-ledger-"))
      const env = { WEBAGENT_BASE_URL: relay.address, WEBAGENT_API_KEY: service.apiKey }
      const all = name === "Deno" ? [...denoFlags, "--allow-all"] : args
      const got = await run(command, [...all, "environment.mjs", directory], env)
      rmSync(directory, { recursive: true })
      const undici =
        name === "Bun"
          ? "undici cannot be loaded. Install it beside @webagent/core, or take layerFetch."
          : "Run not found"
      assert.deepStrictEqual(got, { open: [[true, true]], atWork: true, absent: "Run not found", undici })
    }
  )
})

/** What `hostile.mjs` says where nothing has failed. */
const unharmed = { cases: 189, runs: 378, failed: [] }

describe("Node 24 at a hostile service", () => {
  it("loses and doubles nothing, and shows no key, over undici and over fetch", async () => {
    assert.deepStrictEqual(await run(process.execPath, ["hostile.mjs"]), unharmed)
  })
})

const nodes = { "Node 20": node20 === undefined ? undefined : join(node20, "node"), "Node 24": process.execPath }

describe.each(Object.entries(nodes))("simulate() in %s", (_, node) => {
  it.skipIf(node === undefined)("tests an app in less than 100 ms of CPU time", async () => {
    assert.deepStrictEqual(await run(node ?? "", ["simulate.mjs"]), { numbers: ["4711"], isQuick: true })
  })
})

describe("Node 20", () => {
  it.skipIf(node20 === undefined)(
    "installs the clients, runs the README's programs, sends through undici",
    async () => {
      const client = mkdtempSync(join(tmpdir(), "webagent-client-"))
      const env = { PATH: `${node20}${delimiter}${process.env["PATH"]}` }
      const needed = packed.filter(({ name }) => /^@webagent\/(?:contract|core|polling|v4)$/u.test(name))
      const dependencies = Object.fromEntries(needed.map(({ name, version }) => [name, version]))
      await installInto(
        client,
        { dependencies: { effect: versionInUse("effect"), ...dependencies } },
        { ...npm, flags: ["--engine-strict"], env }
      )
      cpSync(programs, client, { recursive: true })

      const node = join(node20 ?? "", "node")
      const got = await run(node, ["process.mjs", ...where()], {}, client)
      assert.deepStrictEqual([got, lost().length, elsewhere(), byFetch(relay.seen[0])], [said, 2, 0, false])
      // its fetch would have said so
      await run(node, ["-p", `fetch("${relay.address}/x").then(() => 1), 1`], {}, client)
      assert.isTrue(byFetch(relay.seen.at(-1)))

      assert.deepStrictEqual(await run(node, ["hostile.mjs"], {}, client), unharmed)

      const settings = { WEBAGENT_BASE_URL: service.address, WEBAGENT_API_KEY: service.apiKey }
      for (const program of ["first-run.mjs", "first-run-effect.mjs"]) {
        cpSync(join(root, "apps/examples/src", program), join(client, program))
        const { stdout } = await promisify(execFile)(node, [program], {
          cwd: client,
          env: { ...process.env, ...settings }
        })
        assert.match(stdout, /^completed .*Find the cheapest direct flight from Oslo to Rome in May$/mu, program)
      }
      rmSync(client, { recursive: true })
    }
  )
})

describe("workerd", () => {
  it.skipIf(workerd === undefined)("calls the service with the same results as every runtime", async () => {
    const folder = mkdtempSync(join(tmpdir(), "webagent-workerd-"))
    writeFileSync(join(folder, "worker.js"), await bundled("worker.mjs", ["workerd", "worker", "browser"]))
    writeFileSync(
      join(folder, "config.capnp"),
      `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker), (name = "network", network = (allow = ["private"]))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "2026-11-01",
  globalOutbound = "network"
);
`
    )
    const child = spawn(workerd ?? "", ["serve", "--control-fd=3", join(folder, "config.capnp")], {
      stdio: ["ignore", "inherit", "inherit", "pipe"]
    })
    try {
      const port = await new Promise((resolve, reject) => {
        let told = ""
        child.stdio[3]?.on("data", (chunk: Buffer) => {
          told += chunk.toString()
          const listening = /"port":(\d+)/u.exec(told)?.[1]
          if (listening !== undefined) resolve(listening)
        })
        child.on("exit", () => reject(new Error("workerd ended")))
      })
      const { address, refused } = relay
      const response = await fetch(`http://127.0.0.1:${port}/`, {
        method: "POST",
        body: JSON.stringify({ address, refused, apiKey: service.apiKey })
      })
      assert.deepStrictEqual([await response.json(), lost().length, elsewhere()], [saidInTheDark, 2, 0])
    } finally {
      const ended = once(child, "exit")
      child.kill()
      await ended
      rmSync(folder, { recursive: true })
    }
  })
})

describe("Chromium", () => {
  it("calls the service only from a page of the same origin, with the same results as every runtime", async () => {
    relay.pages.set("/", { type: "text/html", text: "<!doctype html><title>a page</title>" })
    relay.pages.set("/calls.mjs", { type: "text/javascript", text: await bundled("calls.mjs", ["browser"]) })
    const browser = await open()
    try {
      const page = await browser.newPage()
      await page.goto(relay.address)
      const { address, refused } = relay
      const got = await page.evaluate(
        `import("/calls.mjs").then(({ calls }) => calls(${JSON.stringify({ address, refused, apiKey: service.apiKey })}))`
      )
      assert.deepStrictEqual(got, saidInTheDark)
      const across = `fetch("${service.address}/api/v4/runs/none", { headers: { "x-service-api-key": "1" } })`
      assert.strictEqual(await page.evaluate(`${across}.then(String, ({ name }) => name)`), "TypeError")
      // the browser itself may send one again, with the same key
      assert.strictEqual(new Set(lost()).size, 2)
      assert.strictEqual(elsewhere(), 0)
    } finally {
      await browser.close()
    }
  })
})
