/**
 * Runs the tests of a package that vitest does not run, and leaves their counts where `test.mjs` adds them up:
 * `node report-tests.mjs go|node`, in the package's folder. Shows what failed; exit code 1 when anything did.
 */
import { spawn } from "node:child_process"
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { once } from "node:events"
import { basename, resolve } from "node:path"
import { createInterface } from "node:readline"
import { run } from "node:test"
import { inspect } from "node:util"
import { tellFailure } from "./live.mjs"

/** What `npm test -- --slow` reads: each test with its file and milliseconds. */
const tests = []

const failureOf = ({ details }) => details.error?.failureType

/** Every `*.test.mjs`, in processes of their own as `node --test` runs them. */
async function nodeTests() {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  const files = globSync("*.test.mjs").map((file) => resolve(file))
  for await (const { data, type } of run({ files, concurrency: true })) {
    if (type === "test:stderr") process.stderr.write(data.message)
    if (type !== "test:pass" && type !== "test:fail") continue
    // a suite is a heading, unless it fails by itself
    const heading = type === "test:pass" ? data.details.type === "suite" : failureOf(data) === "subtestsFailed"
    if (heading) continue
    const skipped = data.skip !== undefined || data.todo !== undefined
    const status = skipped ? "skipped" : type === "test:pass" ? "passed" : "failed"
    counts[status]++
    tests.push({ file: data.file, fullName: data.name, duration: data.details.duration_ms, status })
    if (type === "test:fail") console.error(`FAILED  ${data.name}\n`, data.details.error)
    if (type === "test:fail")
      tellFailure({ file: basename(data.file), test: data.name, why: inspect(data.details.error) })
    if (typeof data.skip === "string") console.log(`skipped ${data.name}: ${data.skip}`)
  }
  return counts
}

/** `go test` for the folder's module, with the flags of tools/k6/build.mjs, which has then compiled k6 already. */
async function goTests() {
  const args = ["test", "-count=1", "-mod=readonly", "-trimpath", "-buildvcs=false", "-json", "./..."]
  const env = { ...process.env, CGO_ENABLED: "0", GOWORK: "off" }
  const go = spawn("go", args, { env, stdio: ["ignore", "pipe", "inherit"] })
  const ended = new Promise((resolve) => go.on("close", resolve))
  const started = await once(go, "spawn").catch((error) => error)
  if (started.code === "ENOENT") return withoutGo()

  const verdicts = new Map()
  const output = []
  for await (const line of createInterface({ input: go.stdout })) {
    const event = JSON.parse(line)
    const { Action: verdict, Elapsed: seconds = 0, Output: printed, Test: test } = event
    if (printed !== undefined) output.push({ printed, test })
    if (test === undefined || !["pass", "fail", "skip"].includes(verdict)) continue
    verdicts.set(test, verdict)
    tests.push({
      file: resolve("."),
      fullName: test,
      duration: seconds * 1000,
      status: verdict === "fail" ? "failed" : verdict
    })
    const ofTest = output.filter((one) => one.test === test)
    if (verdict === "fail")
      tellFailure({
        test,
        why: ofTest
          .map(({ printed }) => printed)
          .join("")
          .trim()
      })
  }
  const code = await ended
  // a test that has tests of its own is no more than their heading
  const leaves = [...verdicts].filter(([name]) => ![...verdicts.keys()].some((other) => other.startsWith(`${name}/`)))
  const count = (verdict) => leaves.filter(([, other]) => other === verdict).length
  if (code !== 0) console.error(output.map(({ printed }) => printed).join(""))
  // what does not compile has no test that could fail
  const failed = Math.max(count("fail"), code === 0 ? 0 : 1)
  return { passed: count("pass"), failed, skipped: count("skip") }
}

function withoutGo() {
  const skipped = globSync("*_test.go").flatMap((file) => readFileSync(file, "utf8").match(/^func Test\w+\(t /gm) ?? [])
  console.log(`skipped ${skipped.length} tests: there is no Go on the PATH (https://go.dev/dl)`)
  return { passed: 0, failed: 0, skipped: skipped.length }
}

const kinds = { go: goTests, node: nodeTests }
const kind = kinds[process.argv[2]]
if (kind === undefined) {
  console.error(`node report-tests.mjs ${Object.keys(kinds).join("|")}`)
  process.exit(2)
}
const { failed, passed, skipped } = await kind()
mkdirSync(".webagent", { recursive: true })
const counts = { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped, numTodoTests: 0 }
const results = Object.groupBy(tests, ({ file }) => file)
const testResults = Object.entries(results).map(([name, assertionResults]) => ({ name, assertionResults }))
writeFileSync(".webagent/tests.json", JSON.stringify({ ...counts, testResults }))
console.log(`${passed} passed, ${failed} failed${skipped === 0 ? "" : `, ${skipped} skipped`}`)
process.exitCode = failed === 0 ? 0 : 1
