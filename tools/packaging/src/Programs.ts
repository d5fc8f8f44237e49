import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { type Manifest, read } from "./Package.ts"
import { installedBin, startServer, startService } from "./Project.ts"
import type { Packed } from "./Tarballs.ts"

const limit_ms = 180_000

/** Runs Node in an app, without other programs on its PATH. Returns what it prints. */
const runNode = async (app: string, args: ReadonlyArray<string>, env: Record<string, string> = {}): Promise<string> => {
  const options = { cwd: app, timeout: limit_ms, env: { ...env, NO_COLOR: "1", HOME: app, PATH: join(app, "nowhere") } }
  const { stdout } = await promisify(execFile)(process.execPath, args, options)
  return stdout
}

/** Imports each entry of the packages that Node can import; returns the number of entries. */
export const importAll = async (app: string, packed: ReadonlyArray<Packed>): Promise<number> => {
  const entriesOf = ({ exports = {}, name }: Manifest) =>
    Object.entries(exports)
      .filter(([entry, target]) => target !== null && !/[*]|\.(?:json|css)$/u.test(entry))
      .map(([entry]) => name + entry.slice(1))
  const entries = packed.flatMap(({ folder }) => entriesOf(read(folder).manifest))
  const script = `for (const entry of process.argv.slice(1)) await import(entry)`
  await runNode(app, ["--input-type=module", "--eval", script, ...entries])
  return entries.length
}

/** Starts a server with a database, creates a key, and opens the console. */
export const signIn = async (app: string): Promise<string> => {
  const program = installedBin(app, "webagent-server")
  const printed = await runNode(app, [program, "keys", "create", "--data", "server.db", "--name", "me"])
  const [key = ""] = /wak_\S+/u.exec(printed) ?? []
  const server = await startServer(app, ["serve", "--data", "server.db", "--port", "0"])
  try {
    assert.equal((await fetch(`${server.address}/console`)).status, 200)
    const headers = { "X-Service-API-Key": key }
    assert.equal((await fetch(`${server.address}/api/v4/runs`, { headers })).status, 200)
    return "the server accepts a created key, and its console opens"
  } finally {
    await server.stop()
  }
}

const program = `import { WebAgent } from "@webagent/v4/promise"
const run = await new WebAgent().runs.createAndWait({ task: "say hello [simulate output=hello duration=10ms]" })
console.log(run.status, run.result)
`

/** Runs a program with the client of v4 against a simulated service. */
export const createRun = async (app: string): Promise<string> => {
  writeFileSync(join(app, "program.mjs"), program)
  const service = await startService(app)
  try {
    const env = { WEBAGENT_BASE_URL: service.address, WEBAGENT_API_KEY: service.apiKey }
    assert.equal(await runNode(app, ["program.mjs"], env), "completed hello\n")
    return "a run of the v4 client completes"
  } finally {
    await service.stop()
  }
}

/** Runs the suites that the harness brings. */
export const runSuites = async (app: string): Promise<string> => {
  const printed = await runNode(app, [installedBin(app, "webagent-harness"), "run", "--built-in"])
  const [, count = "0"] = /PASSED: .*?(\d+) scenarios passed/u.exec(printed) ?? []
  assert.ok(Number(count) > 100, printed)
  return `the harness passes ${count} built-in scenarios`
}

/** Runs a load test with the k6 of `@webagent/k6`. */
export const runLoadTest = async (app: string): Promise<string> => {
  const printed = await runNode(app, [installedBin(app, "webagent-harness"), "load", "smoke"])
  const [, version = "?"] = /· k6 (\S+)/u.exec(printed) ?? []
  const [, requests = "0"] = /^passed · ([\d,]+) requests/mu.exec(printed) ?? []
  assert.notEqual(requests, "0", printed)
  return `a load test passes with k6 ${version} from @webagent/k6, without Go (${requests} requests)`
}
