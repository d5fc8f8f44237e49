/**
 * Everything that has to hold, in one go: `npm test`. Prints one line a stage, what failed in full, and ends with
 * `N passed, N failed`: every test of every package, and each gate (types, lint, format, arrows) as one.
 */
import { spawn, spawnSync } from "node:child_process"
import { globSync, readFileSync, rmSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..")

// tests that need Go are skipped without it: which Go there is belongs to what turbo caches by
const go = spawnSync("go", ["version"], { encoding: "utf8" }).stdout?.trim() ?? "none"

const seconds = (from) => `${((performance.now() - from) / 1000).toFixed(1)} s`

/** Runs a command with its output kept, and shown only when it fails. */
const run = (command, args) =>
  new Promise((resolve) => {
    const child = spawn(join(root, "node_modules", ".bin", command), args, {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1", NO_COLOR: "1", WEBAGENT_GO: go }
    })
    const chunks = []
    child.stdout.on("data", (chunk) => chunks.push(chunk))
    child.stderr.on("data", (chunk) => chunks.push(chunk))
    child.on("error", (error) => resolve({ ok: false, output: String(error) }))
    child.on("close", (code) => resolve({ ok: code === 0, output: Buffer.concat(chunks).toString("utf8") }))
  })

/** What one task printed, without turbo's prefix. */
const linesOf = (output, task) =>
  output
    .split("\n")
    .filter((line) => line.startsWith(`${task}: `))
    .map((line) => `  ${line.slice(task.length + 2)}`)
    .join("\n")

const gates = [
  { name: "types", command: "turbo", args: ["run", "types", "--continue"] },
  { name: "lint", command: "turbo", args: ["run", "lint"] },
  { name: "format", command: "turbo", args: ["run", "format"] },
  { name: "arrows", command: "turbo", args: ["run", "boundaries"] }
]

const counts = { passed: 0, failed: 0, skipped: 0 }
// said once more at the end, where whoever has only the last lines finds it
const failures = []

for (const gate of gates) {
  const start = performance.now()
  const { ok, output } = await run(gate.command, gate.args)
  counts[ok ? "passed" : "failed"]++
  if (!ok) failures.push(gate.name)
  process.stdout.write(`${ok ? "ok    " : "FAILED"}  ${gate.name.padEnd(28)} ${seconds(start)}\n`)
  if (!ok) process.stdout.write(`${output}\n`)
}

// a report of an earlier run must not be counted for a package whose tests did not start
const reports = () => globSync("{packages,packages/*,apps,tools}/*/.webagent/tests.json", { cwd: root })
for (const report of reports()) rmSync(join(root, report))

const start = performance.now()
const tests = await run("turbo", ["run", "test:unit", "--continue"])
// turbo's last lines name what failed, as package#task: a task can fail though each of its tests passed
const failedTasks = new Set(/^\s*Failed:\s+(.+)$/mu.exec(tests.output)?.[1]?.split(", "))

const row = (ok, name, text) => process.stdout.write(`${ok ? "ok    " : "FAILED"}  ${name.padEnd(28)} ${text}\n`)

/** What failed in a package, each with the first line of why. */
const failuresOf = (name, { testResults }, taskFailed) => {
  const found = testResults.flatMap(({ assertionResults, message, name: file, status }) => {
    const failed = assertionResults.filter((test) => test.status === "failed")
    const tests = failed.length === 0 && status === "failed" ? [{ failureMessages: [message] }] : failed
    return tests.map(({ failureMessages: [why = ""], fullName }) =>
      [name, relative(root, file), fullName, why.split("\n")[0].slice(0, 300)].filter(Boolean).join(" > ")
    )
  })
  return found.length === 0 && taskFailed ? [`${name}: an error outside of its tests`] : found
}

for (const manifest of globSync("{packages,packages/*,apps,tools}/*/package.json", { cwd: root }).toSorted()) {
  const folder = dirname(manifest)
  const { name, scripts } = JSON.parse(readFileSync(join(root, manifest), "utf8"))
  if (scripts?.["test:unit"] === undefined) continue
  const taskFailed = failedTasks.delete(`${name}#test:unit`)
  const file = reports().find((report) => report.startsWith(join(folder, "/")))
  if (file === undefined) {
    counts.failed++
    failures.push(`${name}: its tests did not run`)
    row(false, name, "its tests did not run")
    continue
  }
  const report = JSON.parse(readFileSync(join(root, file), "utf8"))
  // a file that cannot be loaded has no tests to fail, nor has an error outside of every test
  const broken = report.testResults.filter(
    (result) => result.status === "failed" && result.assertionResults.length === 0
  ).length
  const failed = Math.max(report.numFailedTests + broken, taskFailed ? 1 : 0)
  failures.push(...failuresOf(name, report, taskFailed))
  counts.passed += report.numPassedTests
  counts.failed += failed
  counts.skipped += report.numPendingTests + report.numTodoTests
  row(failed === 0, name, `${report.numPassedTests} passed${failed === 0 ? "" : `, ${failed} failed`}`)
  if (taskFailed) process.stdout.write(`${linesOf(tests.output, `${name}:test:unit`)}\n`)
}
// what is left is no test: a build that the tests needed
for (const task of failedTasks) {
  counts.failed++
  failures.push(task)
  row(false, task.replace("#", " "), "")
  process.stdout.write(`${linesOf(tests.output, task.replace("#", ":"))}\n`)
}
if (!tests.ok && counts.failed === 0) {
  counts.failed++
  process.stdout.write(`${tests.output}\n`)
}
process.stdout.write(`tests took ${seconds(start)}\n\n`)

if (failures.length > 0) process.stdout.write(`${failures.map((failure) => `failed: ${failure}`).join("\n")}\n\n`)
if (counts.skipped > 0) process.stdout.write(`${counts.skipped} skipped, for what this machine has not\n`)
process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`)
process.exit(counts.failed === 0 ? 0 : 1)
