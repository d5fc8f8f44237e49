import assert from "node:assert/strict"
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { hardened, key, makeVolume, request, startServer } from "./Container.ts"
import { endOf, type Engine, need, run } from "./Engine.ts"

const withKey = ["--env", `WEBAGENT_SERVER_API_KEY=${key}`]

/** Waits until a condition holds; fails after a minute. */
const until = async (what: string, signal: AbortSignal, condition: () => Promise<boolean>): Promise<void> => {
  for (const end = Date.now() + 60_000; Date.now() < end; await sleep(250, undefined, { signal }))
    if (await condition()) return
  throw new Error(`${what} did not happen within a minute`)
}

/** Creates a run that takes a while; returns its id. */
const createRun = async (address: string, task: string): Promise<string> => {
  const { body, status } = await request(address, "POST", "/api/v4/runs", { body: { task } })
  assert.equal(status, 201, JSON.stringify(body))
  return body.id
}

const statusOf = async (address: string, id: string): Promise<string> =>
  (await request(address, "GET", `/api/v4/runs/${id}/status`)).body.status

/** Runs the server in a read-only container: key, console, health, a graceful stop, and a second start with the volume. */
export const testServer = async (engine: Engine, signal: AbortSignal): Promise<string> => {
  await using volume = await makeVolume(engine)
  const mount = ["--volume", `${volume.name}:/var/lib/webagent`]
  const create = ["keys", "create", "--name", "me"]
  const once = ["run", "--rm", ...hardened, ...mount, "webagent-server", ...create]
  const printed = await need([engine.name, ...once], { signal })
  const [created = ""] = /wak_\S+/u.exec(printed) ?? []
  const options = [...hardened, ...mount, ...withKey]
  const slow = ["--env", "WEBAGENT_SERVER_TURN_DURATION=5s"]
  let id = ""
  {
    await using server = await startServer(engine, "webagent-server", [...options, ...slow], signal)
    assert.equal((await fetch(`${server.address}/console`)).status, 200)
    assert.equal((await request(server.address, "GET", "/api/v4/runs", { key: created })).status, 200)
    const health = await run([engine.name, "exec", server.name, "bash", "/opt/webagent/healthy.sh", "/ready"])
    assert.equal(health.code, 0, health.text)
    id = await createRun(server.address, "Survives a stop")
    await until("the run", signal, async () => (await statusOf(server.address, id)) === "running")
    await need([engine.name, "stop", "--time", "45", server.name], { signal })
    const code = await need([engine.name, "inspect", "--format", "{{.State.ExitCode}}", server.name])
    const log = await server.logs()
    assert.equal(code, "0", endOf(log))
    assert.match(log, /Draining/u, endOf(log))
  }
  await using again = await startServer(engine, "webagent-server", options, signal)
  const status = await statusOf(again.address, id)
  assert.equal(status, "completed", "the server did not let a running run finish before it stopped")
  return "a read-only root is enough, SIGTERM lets a running run finish, and the volume keeps it"
}

const appArmor = "/sys/module/apparmor/parameters/enabled"
const profile = ["--security-opt", "seccomp=deploy/seccomp/webagent.json"].concat(
  // the engine's own AppArmor profile refuses mounts
  existsSync(appArmor) && readFileSync(appArmor, "utf8").startsWith("Y")
    ? ["--security-opt", "apparmor=unconfined"]
    : []
)

/** Options that let browsers have namespaces, by the isolation that they get. */
const isolations: ReadonlyArray<readonly [level: string, options: ReadonlyArray<string>]> = [
  ["namespaces", [...profile, "--security-opt", "systempaths=unconfined"]],
  ["chromium", [...profile, "--env", "WEBAGENT_SERVER_MIN_ISOLATION=chromium"]]
]

/** Starts real browsers in a read-only container, with each isolation. */
export const testBrowsers = async (engine: Engine, signal: AbortSignal): Promise<string> => {
  const facts: Array<string> = []
  for (const [level, options] of isolations) {
    const all = [...hardened, ...withKey, ...options]
    await using server = await startServer(engine, "webagent-server:chromium", all, signal)
    const { body: health } = await request(server.address, "GET", "/health")
    assert.equal(health.browsers.kind, "chromium", health.browsers.sentence)
    assert.equal(health.browsers.isolation, level, health.browsers.sentence)
    const { body: browser, status } = await request(server.address, "POST", "/api/v4/browsers", { body: {} })
    assert.equal(status, 201, JSON.stringify(browser))
    facts.push(level)
    const stop = { body: { action: "stop" } }
    const stopped = await request(server.address, "PATCH", `/api/v4/browsers/${browser.id}`, stop)
    assert.equal(stopped.status, 200)
  }
  return `real Chromium with the isolation levels ${facts.join(" and ")}, under our seccomp profile`
}

const suite = `import { scenario, Suite } from "@webagent/scenario/promise"
import * as Effect from "effect/Effect"

export default Suite.make("mine", [
  scenario("a run completes", { needs: [] }, async ({ check, v4 }) => {
    const run = await v4.runs.createAndWait({ task: await Effect.runPromise(Effect.succeed("Say hello")) })
    check.equal(run.status, "completed", "the status")
  })
])
`

/** Runs the harness against the server of another container: a suite of a mounted folder, the built-in ones, and a night. */
export const testHarness = async (engine: Engine, signal: AbortSignal): Promise<string> => {
  await using server = await startServer(engine, "webagent-server", [...hardened, ...withKey], signal)
  const target = "http://127.0.0.1:8080"
  const folder = mkdtempSync(join(tmpdir(), "webagent-suites-"))
  // the user of the container is another one
  chmodSync(folder, 0o755)
  writeFileSync(join(folder, "mine.suite.ts"), suite)
  const network = ["--network", `container:${server.name}`, "--env", `WEBAGENT_API_KEY=${key}`]
  const inContainer = (options: ReadonlyArray<string>, image: string, ...args: ReadonlyArray<string>) =>
    need([engine.name, "run", "--rm", ...hardened, ...network, ...options, image, ...args], { signal })
  const mounted = ["--volume", `${folder}:/work:ro,z`]
  const to = ["--target", target, "--report-dir", "/tmp/report"]
  const runIn = (suites: string) => inContainer(mounted, "webagent", "run", suites, ...to)
  try {
    assert.match(await runIn("mine.suite.ts"), /1 scenario passed/u)
    const [, passed = "?"] = /(\d+) scenarios passed/u.exec(await runIn("--built-in")) ?? []
    const night = ["--env", `WEBAGENT_TARGET=${target}`, "--env", "WEBAGENT_NIGHT=v4-runs versions"]
    assert.equal(await inContainer(night, "webagent-nightly"), "", "a night that passed has printed something")
    return `${passed} built-in scenarios, a suite of a mounted folder and a night passed against the server image`
  } finally {
    rmSync(folder, { recursive: true })
  }
}
