import { spawn, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { commands, read, root } from "./Workflow.ts"

const key = "wak_nightly"
let address = ""
let stop = () => {}

beforeAll(
  () =>
    new Promise<void>((resolve, reject) => {
      const program = [
        "--conditions=@webagent/source",
        "apps/harness/src/main.ts",
        "serve",
        "--port",
        "0",
        "--api-key",
        key
      ]
      const child = spawn(process.execPath, program, { cwd: root, stdio: ["ignore", "pipe", "inherit"] })
      stop = () => void child.kill()
      let printed = ""
      child.stdout.on("data", (chunk: Buffer) => {
        printed += chunk.toString()
        address = /http:\/\/127\.0\.0\.1:\d+/u.exec(printed)?.[0] ?? ""
        if (address !== "") resolve()
      })
      child.on("exit", () => reject(new Error(`the service ended: ${printed}`)))
    })
)

afterAll(() => stop())

const shell = (command: string, env: Readonly<Record<string, string>>, cwd = root) =>
  spawnSync("bash", ["-e", "-c", command], {
    cwd,
    encoding: "utf8",
    env: { ...process.env, ...env, CI: "true", NO_COLOR: "1" }
  })

/** A scenario that waits for a machine with much else to do does not hang. */
const patient = (run: string) => run.replace(/^(npm run harness -- run)\b/mu, "$1 --timeout 5m")

/** A report without screens is still a report. */
const isForScreens = (run: string) => run === "npm run screens || true"

/** A machine without Python's registry has no MiniWoB++, and skips its tests. */
const isInstall = (run: string) => run.startsWith("pip install ")

describe("workflows", () => {
  for (const name of ["check", "containers", "nightly", "release", "simulations"]) {
    it(`${name} pins actions by hash, has timeouts, and grants only necessary permissions`, () => {
      const workflow = read(name)
      assert.deepStrictEqual(workflow.permissions, { contents: "read" })
      for (const { steps, ...job } of Object.values(workflow.jobs)) {
        if (steps !== undefined) assert.isNumber(job["timeout-minutes"])
        for (const { uses } of steps ?? []) if (uses !== undefined) assert.match(uses, /@[0-9a-f]{40}$/u)
      }
    })
  }

  // npm test is what runs this
  for (const [index, { run }] of commands(read("check"), { "github.workspace": root })
    .filter(({ run }) => run !== "npm test" && !isForScreens(run) && !isInstall(run))
    .entries()) {
    it(`check: run step ${index + 1} works`, { timeout: 600_000 }, () => {
      const { status, stderr, stdout } = shell(patient(run), {})
      assert.strictEqual(status, 0, `${run}\n${stdout}${stderr}`)
      assert.match(stdout, /\d+ scenarios passed/u)
    })
  }

  // a script once: that its steps differ in numbers shows nothing more here, and npm test itself kills
  for (const [script, { env, run }] of new Map(
    commands(read("simulations"), { "github.run_number": "7", "github.workspace": root })
      .filter((step) => step.run.startsWith("npm run "))
      .map((step) => [step.run.split(" -- ")[0] ?? "", step])
  )) {
    it(`simulations: ${script} works`, { timeout: 600_000 }, () => {
      const { status, stderr, stdout } = shell(run.replace(/--seeds \d+/u, "--seeds 1"), env)
      assert.strictEqual(status, 0, `${run}\n${stdout}${stderr}`)
      assert.match(stdout, /^1 seeds, .*0 broken/mu)
    })
  }

  it("nightly: shards, their merged night, and the service run", { timeout: 600_000 }, () => {
    const folder = mkdtempSync(join(tmpdir(), "webagent-nightly-"))
    const summary = join(folder, "summary.md")
    const steps = commands(read("nightly"), {
      "github.run_number": "7",
      "vars.WEBAGENT_TARGET": address,
      "secrets.WEBAGENT_API_KEY": key
    }).filter(({ run }) => !isForScreens(run))
    assert.deepStrictEqual(
      steps.map(({ job }) => job),
      ["shard", "shard", "night", "service"]
    )
    for (const { env, run } of steps) {
      // more trials of each scenario show nothing more here
      const here = patient(
        run
          .replaceAll(".webagent", folder)
          .replace(/ --trials \d/u, "")
          .replace("-- run ", "-- run --trials 1 --extra-trials 0 ")
      )
      const { status, stderr, stdout } = shell(here, { ...env, GITHUB_STEP_SUMMARY: summary })
      assert.strictEqual(status, 0, `${run}\n${stdout}${stderr}`)
      assert.match(stdout, /\d+ scenarios passed/u)
    }
    for (const report of ["night", "service"])
      assert.includeMembers(readdirSync(join(folder, report)), [
        "report.json",
        "report.html",
        "junit.xml",
        "summary.md"
      ])
    const scenarios = (report: string): ReadonlyArray<string> =>
      JSON.parse(readFileSync(join(folder, report, "report.json"), "utf8")).results.map(
        ({ name, suite }: { readonly suite: string; readonly name: string }) => `${suite} › ${name}`
      )
    const shards = [...scenarios("shards/1"), ...scenarios("shards/2")]
    assert.strictEqual(new Set(shards).size, shards.length, "a scenario is in one shard")
    assert.deepStrictEqual(scenarios("night").toSorted(), shards.toSorted())
    // a line a night, and shards leave none
    assert.lengthOf(readFileSync(join(folder, "history.ndjson"), "utf8").trim().split("\n"), 1)
    assert.include(readFileSync(summary, "utf8"), "passed")
    rmSync(folder, { recursive: true })
  })

  it(
    "cron: a night prints nothing if it passed, keeps its history, and only the last one reports",
    { timeout: 600_000 },
    () => {
      const home = mkdtempSync(join(tmpdir(), "webagent-cron-"))
      const night = (flags: string) =>
        shell("sh deploy/nightly/nightly.sh", { WEBAGENT_HOME: home, WEBAGENT_NIGHT: flags, WEBAGENT_KEEP: "2" })
      for (const stamp of ["2020-01-01T00-00-00Z", "2020-01-02T00-00-00Z"])
        mkdirSync(join(home, "reports", stamp), { recursive: true })
      const well = night("--trials 2 --extra-trials 0 versions")
      assert.deepStrictEqual([well.status, well.stdout], [0, ""], well.stderr)
      const [kept, newest] = readdirSync(join(home, "reports")).toSorted()
      assert.strictEqual(kept, "2020-01-02T00-00-00Z")
      assert.includeMembers(readdirSync(join(home, "reports", newest ?? "")), ["report.html", "console.txt"])
      assert.lengthOf(readFileSync(join(home, "history.ndjson"), "utf8").trim().split("\n"), 1)

      const wrong = night("no-such-suite")
      assert.strictEqual(wrong.status, 2)
      assert.include(wrong.stdout, 'No suite named "no-such-suite"')

      // what a killed night has left is seen to once, and told
      const killed = join(home, "reports", "2020-01-03T00-00-00Z")
      mkdirSync(join(killed, "ledger"), { recursive: true })
      writeFileSync(join(killed, "events.ndjson"), '{"at":"2020-01-03T00:00:00.000Z","_tag":"RunStarted"}\n')
      const after = {
        WEBAGENT_HOME: home,
        WEBAGENT_NIGHT: "--trials 1 --extra-trials 0 versions",
        WEBAGENT_TARGET: address,
        WEBAGENT_API_KEY: key
      }
      const [told, silent] = [1, 2].map(() => shell("sh deploy/nightly/nightly.sh", after))
      assert.match(told?.stdout ?? "", /^The night in .+03T00-00-00Z\/ was killed[^]+nothing is open\n$/u)
      assert.deepStrictEqual([told?.status, silent?.status, silent?.stdout], [0, 0, ""])

      // the holder of the system's lock is at work; what a killed night left in the file says nothing
      writeFileSync(join(home, "running"), String(process.pid))
      const first = shell("exec 9>>$WEBAGENT_HOME/running; flock 9; sh deploy/nightly/nightly.sh; exit 7", {
        WEBAGENT_HOME: home,
        WEBAGENT_NIGHT: "versions"
      })
      assert.strictEqual(first.status, 1, first.stderr)
      assert.include(first.stdout, `The previous night is still running (process ${process.pid})`)
      assert.include(night("no-such-suite").stdout, 'No suite named "no-such-suite"')

      // where the system has none, a folder is the lock
      const bare = mkdtempSync(join(tmpdir(), "webagent-bare-"))
      for (const tool of [
        "bash",
        "sh",
        "awk",
        "cat",
        "date",
        "df",
        "dirname",
        "find",
        "grep",
        "mkdir",
        "node",
        "npm",
        "npx",
        "rm",
        "sort",
        "tail"
      ])
        symlinkSync(shell(`command -v ${tool}`, {}).stdout.trim(), join(bare, tool))
      const old = { WEBAGENT_HOME: home, WEBAGENT_NIGHT: "no-such-suite", PATH: bare }
      mkdirSync(join(home, "lock"))
      writeFileSync(join(home, "lock", "pid"), String(process.pid))
      assert.include(shell("sh deploy/nightly/nightly.sh", old).stdout, "The previous night is still running")
      // a container that was killed leaves the number that the next one has
      const same = shell('echo $$ >"$WEBAGENT_HOME/lock/pid" && exec sh deploy/nightly/nightly.sh', old)
      assert.include(same.stdout, 'No suite named "no-such-suite"')
      rmSync(bare, { recursive: true })
      rmSync(home, { recursive: true })
    }
  )

  it("container: a night runs its image's harness, and installs nothing", () => {
    const image = mkdtempSync(join(tmpdir(), "webagent-image-"))
    const script = join(image, "opt", "webagent", "nightly.sh")
    mkdirSync(join(image, "opt", "webagent"), { recursive: true })
    writeFileSync(script, readFileSync(join(root, "deploy/nightly/nightly.sh"), "utf8"))
    const harness = join(image, "harness.mjs")
    writeFileSync(harness, "console.log(process.argv.slice(2, 4).join(' '))\nprocess.exitCode = 3\n")
    const env = { WEBAGENT_HOME: join(image, "home"), WEBAGENT_HARNESS: harness, WEBAGENT_NIGHT: "versions" }
    const { status, stdout } = shell(`sh ${script}`, env, image)
    assert.deepStrictEqual([status, stdout.split("\n")[0]], [3, "run versions"], stdout)
    rmSync(image, { recursive: true })
  })
})
