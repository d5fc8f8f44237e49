import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { root } from "./Workflow.ts"

const place = mkdtempSync(join(root, "node_modules", ".webagent-start-"))
afterAll(() => rmSync(place, { recursive: true, force: true }))

/** A program of Node that runs, with its output. */
const start = (args: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, CI: "" },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text))
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve))
  const printed = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const match = pattern.exec(output)
      if (match !== null) return match
      if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode} and printed:\n${output}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  return { child, ended, output: () => output, printed }
}

const harness = [
  "--conditions=@webagent/source",
  "apps/harness/src/main.ts",
  "run",
  "--report-dir",
  join(place, "report")
]

describe("npm start", () => {
  it("exits after the suites if no person is watching, and names the command that opens the console", async () => {
    const { ended, output } = start([
      "tools/workspace/start.mjs",
      "--suite",
      "v4-browsers",
      "--report-dir",
      join(place, "one")
    ])
    assert.strictEqual(await ended, 0, output())
    assert.match(output(), /PASSED: all \d+ scenarios passed[\s\S]*^console +npm run console/mu)
  })

  it("keeps the service running until Ctrl-C, with the suites' runs, and exits with 0 if they passed", async () => {
    const { child, ended, output, printed } = start([...harness, "--built-in", "--suite", "v4-runs", "--keep-open"])
    const [, address = ""] = await printed(/^console +(http:\S+\/console)/mu)
    const response = await fetch(`${address}/api/runs?limit=1`)
    const { rows } = (await response.json()) as { readonly rows: ReadonlyArray<unknown> }
    assert.lengthOf(rows, 1)
    assert.isAtLeast(Number(new URL(address).port), 4400)
    const read = async (part: string) => (await fetch(`${address}/api/simulation/${part}`)).json() as Promise<unknown>
    // a person starts with a profile that they find on the screen, and without findings about scenarios
    assert.propertyVal(await read("profile"), "name", "realistic")
    assert.propertyVal(await read("verdicts"), "holds", true)
    assert.deepStrictEqual(await read("open"), { turns: [], sessions: [], browsers: [] })
    const started = await fetch(`${address}/api/runs`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ task: "Find a flight" })
    })
    const { id, status } = (await started.json()) as { readonly id: string; readonly status: string }
    assert.include(["queued", "dispatching", "running"], status)
    await new Promise((resolve) => setTimeout(resolve, 500))
    assert.propertyVal(await (await fetch(`${address}/api/runs/${id}`)).json(), "finishedAt", null)
    child.kill("SIGINT")
    assert.strictEqual(await ended, 0)
    // the runs that scenarios left end with the service
    assert.notInclude(output(), "may go on")
  })

  it("exits with 1 after Ctrl-C if a suite failed", async () => {
    const suite = join(place, "failing.suite.mjs")
    writeFileSync(
      suite,
      `import { Suite, scenario } from ${JSON.stringify(join(root, "packages/harness/scenario/src/index.ts"))}
export default Suite.make("failing", [scenario("fails", {}, function* () { throw new Error("as planned") })])
`
    )
    const { child, ended, printed } = start([...harness, suite, "--keep-open"])
    await printed(/^console +http/mu)
    child.kill("SIGINT")
    assert.strictEqual(await ended, 1)
  })
})
