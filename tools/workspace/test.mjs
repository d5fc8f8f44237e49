/**
 * Everything that has to hold, in one go: `npm test`. Prints a line when a gate or a package's tests end, each failure
 * at once and in full, and ends with `N passed, N failed`: every test of every package, and each gate (types, lint,
 * format, arrows) as one. `npm test -- --slow` also names the ten slowest tests. `npm run test:screens` runs this with
 * `--screens`: only the tests of the console and of the documentation site, over every screen, theme and width.
 */
import { spawn, spawnSync } from "node:child_process"
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { stripVTControlCharacters } from "node:util"
import { failureIn } from "./live.mjs"
import { duration, Progress } from "./Progress.mjs"

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..")
const flags = process.argv.slice(2)
const screens = flags.includes("--screens")
const unknown = flags.find((flag) => flag !== "--slow" && flag !== "--screens")
if (unknown !== undefined) {
  process.stderr.write(`Unknown flag ${unknown}. npm test takes --slow: name the ten slowest tests.\n`)
  process.exit(2)
}

// tests that need Go are skipped without it: which Go there is belongs to what turbo caches by
const go = spawnSync("go", ["version"], { encoding: "utf8" }).stdout?.trim() ?? "none"

// tests start some hundred processes of the same modules: those of one run compile them once
const compiled = mkdtempSync(join(tmpdir(), "webagent-compiled-"))
process.on("exit", () => rmSync(compiled, { recursive: true, force: true }))

// the time of day is what vitest writes into its report
const began = Date.now()
const progress = new Progress()
const counts = { passed: 0, failed: 0, skipped: 0 }
// said once more at the end, for a reader who has only the last lines
const failures = []

/** Runs turbo; `onLine` gets each line of each task, by the task's name. Resolves to whether all went well. */
const turbo = async (args, onLine) => {
  const child = spawn(join(root, "node_modules", ".bin", "turbo"), args, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      // nothing else runs beside the screens, and a page often waits
      ...(screens ? { WEBAGENT_SCREENS: "all", VITEST_MAX_WORKERS: "2" } : {}),
      TURBO_TELEMETRY_DISABLED: "1",
      NO_COLOR: "1",
      NODE_COMPILE_CACHE: compiled,
      WEBAGENT_GO: go,
      WEBAGENT_LIVE: join(root, "tools", "workspace", "live.mjs")
    }
  })
  const ended = new Promise((resolve) => child.on("error", resolve).on("close", resolve))
  const read = async (stream) => {
    for await (const line of createInterface({ input: stream })) {
      const { source = "turbo", text = line } = line.startsWith("{") ? JSON.parse(line) : {}
      onLine(source, text)
    }
  }
  await Promise.all([read(child.stdout), read(child.stderr)])
  return (await ended) === 0
}

/** Lines by the task that printed them. */
const outputs = new Map()
const keep = (task, line) => outputs.set(task, [...(outputs.get(task) ?? []), line])
const outputOf = (task) => (outputs.get(task) ?? []).map((line) => `    ${line}`.trimEnd()).join("\n")

progress.watch()

for (const [name, ...args] of [
  // k6 is built here, since two turbos that need it would both build it
  ["types", "run", "types", "binary", "--continue"],
  ["lint", "run", "lint"],
  ["format", "run", "format"],
  ["arrows", "run", "boundaries"]
].filter(() => !screens)) {
  progress.started(name)
  const lines = []
  const ok = await turbo(args, (_, line) => lines.push(line))
  counts[ok ? "passed" : "failed"]++
  if (!ok) failures.push(name)
  progress.ended(name, { ok })
  if (!ok) progress.line(lines.join("\n"))
}

/** The packages whose tests open pages in a browser. */
const withScreens = ["@webagent/console", "@webagent/docs"]

/** The packages that have tests, by their task. */
const packages = new Map(
  globSync("{packages,packages/*,apps,tools}/*/package.json", { cwd: root })
    .toSorted()
    .map((path) => ({ folder: dirname(path), ...JSON.parse(readFileSync(join(root, path), "utf8")) }))
    .filter(({ name, scripts }) => scripts?.["test:unit"] !== undefined && (!screens || withScreens.includes(name)))
    .map(({ folder, name }) => [`${name}#test:unit`, { name, report: join(root, folder, ".webagent", "tests.json") }])
)
// a report of an earlier run must not be counted for a package whose tests did not start
for (const { report } of packages.values()) rmSync(report, { force: true })

/** A report once it is whole. */
const reportOf = ({ report }) => {
  try {
    return existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : undefined
  } catch {
    return undefined
  }
}

const waiting = new Map(packages)
const [told, failed] = [new Set(), new Set()]
const slow = []
const skipped = new Set()

/** Why a test failed, on one line: the message, with the log of a browser's call, and the place in the test. */
const reasonOf = (why) => {
  const lines = why.split("\n").map((line) => line.trim())
  const isPlace = (line) => /^(?:at|❯) .*:\d+:\d+\)?$/u.test(line)
  const place = lines.find((line) => isPlace(line) && !line.includes("node_modules"))?.replace(`${root}/`, "")
  const message = [...lines, ""].slice(0, lines.findIndex(isPlace)).filter(Boolean).join(" ")
  return [stripVTControlCharacters(message).slice(0, 300), place].filter(Boolean).join(" ")
}

/** What failed in a report, each with why. */
const failuresOf = (name, { testResults }) =>
  testResults.flatMap(({ assertionResults, message, name: file, status }) => {
    const failed = assertionResults.filter((test) => test.status === "failed")
    const tests = failed.length === 0 && status === "failed" ? [{ failureMessages: [message] }] : failed
    return tests.map(({ failureMessages: [why = ""] = [], fullName }) =>
      [name, relative(root, file), fullName, reasonOf(why)].filter(Boolean).join(" > ")
    )
  })

/** Counts a package as soon as its report is there: turbo does not say when a task ends. */
const collect = () => {
  for (const [task, { name, report: file }] of waiting) {
    const report = reportOf({ report: file })
    if (report === undefined) continue
    waiting.delete(task)
    const { numFailedTests, numPassedTests: passed, numPendingTests, numTodoTests, startTime, testResults } = report
    // what all its tests need failed: turbo says so when the task has ended
    if (testResults.length === 0) continue
    // a file that cannot be loaded has no tests to fail
    const broken = testResults.filter(
      ({ assertionResults, status }) => status === "failed" && assertionResults.length === 0
    )
    const one = { passed, failed: numFailedTests + broken.length, skipped: numPendingTests + numTodoTests }
    for (const kind of Object.keys(counts)) counts[kind] += one[kind]
    if (one.failed > 0) {
      failed.add(task)
      failures.push(...failuresOf(name, report))
    }
    for (const { assertionResults, name: path } of testResults)
      for (const { duration: ms = 0, fullName } of assertionResults)
        slow.push({ ms, fullName, file: relative(root, path) })
    for (const { ancestorTitles = [], fullName, status } of testResults.flatMap((file) => file.assertionResults))
      if (status === "pending" || status === "skipped") skipped.add(`${name}: ${ancestorTitles[0] ?? fullName}`)
    // turbo restores a report before it says that it had one
    progress.ended(name, { ok: one.failed === 0, counts: one, cached: startTime < began })
  }
  progress.expect([...waiting.keys()].filter((task) => !outputs.has(task)).length)
}

const failedTasks = []
const poll = setInterval(collect, 200)
// turbo starts a package after those it imports: the longest tests would begin last, and end long after all others
const ordered = [
  [
    ["webagent-harness", "@webagent/conformance"],
    ["@webagent/chromium", "@webagent/agent"]
  ],
  [["webagent-server"], ["@webagent/bench", "@webagent/docs-test", "@webagent/examples"]],
  // builds every package first
  [["@webagent/packaging"], ["@webagent/console"]]
].map((steps) =>
  steps.map((names) => names.filter((name) => packages.has(`${name}#test:unit`))).filter((names) => names.length > 0)
)
// a test often waits for a process or a deadline: more packages run at once than there are cores
const everything = [
  ...ordered.map((steps) => steps.map((names) => names.map((name) => `--filter=${name}`))),
  [["--filter=*", ...ordered.flat(2).map((name) => `--filter=!${name}`)]]
]
const lanes = screens ? [[[...withScreens.map((name) => `--filter=${name}`), "--force"]]] : everything
const args = ["run", "test:unit", "--continue", "--json", "--output-logs=new-only", "--log-order=stream"]
const onLine = (task, line) => {
  const failure = failureIn(line)
  // turbo's last lines name what failed, as package#task: a task can fail though each of its tests passed
  if (task === "turbo") failedTasks.push(...(/^\s*Failed:\s+(.+)$/u.exec(line)?.[1]?.split(", ") ?? []))
  if (line.startsWith("cache miss") && waiting.has(task)) progress.started(packages.get(task).name)
  if (failure === undefined) return keep(task, line)
  told.add(task)
  return progress.failure(packages.get(task)?.name ?? task, failure)
}
const results = await Promise.all(
  lanes.map(async (steps) => {
    let ok = true
    for (const filters of steps) ok = (await turbo([...args, ...filters], onLine)) && ok
    return ok
  })
)
const ok = results.every(Boolean)
clearInterval(poll)
collect()

for (const [task, { name }] of waiting) {
  counts.failed++
  failed.add(task)
  failures.push(`${name}: its tests did not run`)
  progress.ended(name, { ok: false, text: "its tests did not run" })
}
for (const task of failedTasks) {
  const { name } = packages.get(task) ?? { name: task.replace("#", " ") }
  // an error outside of each test, or a build that the tests needed
  if (!failed.has(task)) {
    counts.failed++
    failures.push(packages.has(task) ? `${name}: an error outside of its tests` : name)
    progress.ended(name, { ok: false, text: "an error outside of its tests" })
  }
  if (!told.has(task)) progress.line(outputOf(task))
}
if (!ok && counts.failed === 0) {
  counts.failed++
  progress.line(outputOf("turbo"))
}
progress.stop()

if (flags.includes("--slow")) {
  progress.line("\nThe slowest tests:")
  for (const { file, fullName, ms } of slow.toSorted((a, b) => b.ms - a.ms).slice(0, 10))
    progress.line(`${duration(ms / 1000).padStart(12)}  ${fullName} (${file})`)
}
progress.line(`\n${duration(progress.elapsed)} in all`)
if (counts.skipped > 0) {
  progress.line(
    `\n${counts.skipped} skipped: this machine lacks what they need, or only npm run test:screens runs them`
  )
  for (const what of skipped) progress.line(`  ${what}`)
}
if (failures.length > 0) progress.line(`\n${failures.map((failure) => `failed: ${failure}`).join("\n")}`)
progress.line(`\n${counts.passed} passed, ${counts.failed} failed`)
process.exitCode = counts.failed === 0 ? 0 : 1
