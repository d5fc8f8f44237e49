import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { AbReport } from "@webagent/load/AbReport"
import * as ScriptedK6 from "./ScriptedK6.ts"
import * as ScriptedService from "./ScriptedService.ts"
import { call } from "../inProcess.ts"
import { start } from "../program.ts"

const folder = mkdtempSync(join(tmpdir(), "webagent-pairs-test-"))
let count = 0
const newFolder = () => {
  const path = join(folder, String(count++))
  mkdirSync(path)
  return path
}
const key = "wak_pairs_canary"
const services: Array<ScriptedService.ScriptedService> = []
const serve = async (script: Partial<ScriptedService.Script> = {}) => {
  const service = await ScriptedService.start({ key, simulated: true, ...script })
  services.push(service)
  return service.address
}

afterAll(() => {
  for (const service of services) service.close()
  rmSync(folder, { recursive: true })
})

const passed = JSON.stringify(ScriptedK6.summary({ checks: true }))

/**
 * A k6 that measures 40 requests. Those of the address `slow` take `factor` times as long. Times vary between pairs, never
 * within a pair: a difference there, however small, is a slower service if it has the same sign in each pair.
 */
const measuring = (slow: string, factor: number | string) => `
  const by = process.env.WEBAGENT_BASE_URL === ${JSON.stringify(slow)} ? ${factor} : 1
  const rows = ["metric_name,timestamp,metric_value,name,scenario,status,expected_response"]
  for (let index = 0; index < 40; index++) {
    const at = 1700000000000 + index * 10
    const took = by * (10 + index / 10 + Math.ceil(calls / 2) / 100)
    rows.push("http_reqs," + at + ",1,v4.getRun,runs,200,true", "http_req_duration," + at + "," + took + ",v4.getRun,runs,200,true")
  }
  console.log(rows.join("\\n"))
  sumUp(${passed})`

const reportIn = (directory: string) =>
  Schema.decodeUnknownSync(Schema.fromJsonString(AbReport))(readFileSync(join(directory, "ab-smoke.json"), "utf8"))

describe.concurrent("load compare", () => {
  it("reports that the second service is slower, by how much, and exits with 1", async () => {
    const [a, b, directory] = [await serve(), await serve(), newFolder()]
    const k6 = ScriptedK6.write(directory, measuring(b, 1.3))
    const args = ["load", "compare", a, b, "--test", "smoke", "--seed", "4", "--report-dir", directory]
    const { code, stderr, stdout } = await call(args, { WEBAGENT_API_KEY: key, WEBAGENT_K6: k6.path })
    assert.deepStrictEqual([code, stderr], [1, ""], stdout)
    assert.match(stdout, /^ {2}pair 7\/7 {3}(?:AB|BA) {3}request p50 {3}A 12 ms {3}B 16 ms$/mu)
    assert.match(stdout, /^request p95 .* 1\.30 \(\+30 %\) .* WORSE$/mu)
    assert.match(stdout, /\nB is worse: by more than 5 %: request p50 \+30 % .*\n$/u)
    const report = reportIn(directory)
    assert.deepStrictEqual([report.verdict, report.pairs.length], ["worse", 7])
    // one of each to warm up, then in turns, as the order of the pairs says
    const order = k6.calls().map(({ env }) => (env["WEBAGENT_BASE_URL"] === a ? "A" : "B"))
    assert.strictEqual(order.join(""), `AB${report.pairs.map(({ order }) => order).join("")}`)
    assert.notInclude(JSON.stringify(report) + stdout, key)
  })

  it("sees no difference if both are alike, and exits with 0", async () => {
    const [a, b, directory] = [await serve(), await serve(), newFolder()]
    const k6 = ScriptedK6.write(directory, measuring("none", 1))
    const args = ["load", "compare", a, b, "--pairs", "4", "--report-dir", directory]
    const { code, stderr, stdout } = await call(args, { WEBAGENT_API_KEY: key, WEBAGENT_K6: k6.path })
    assert.deepStrictEqual([code, stderr], [0, ""], stdout)
    assert.match(stdout, /^no difference seen: smallest detectable change of a time: \+\d+ % or less$/mu)
    assert.include(stdout, `${join(directory, "ab-average-load.html")}\n`)
  })

  it("reports that the second service is faster, and exits with 6", async () => {
    const [a, b, directory] = [await serve(), await serve(), newFolder()]
    const k6 = ScriptedK6.write(directory, measuring(a, 1.3))
    const args = ["load", "compare", a, b, "--test", "smoke", "--report-dir", directory]
    const { code, stderr, stdout } = await call(args, { WEBAGENT_API_KEY: key, WEBAGENT_K6: k6.path })
    assert.deepStrictEqual([code, stderr], [6, ""], stdout)
    assert.match(stdout, /\nB is better: request p50 -23 % .*\n$/u)
  })

  it("reports a service that is slower by an unclear amount, and exits with 5", async () => {
    const [a, b, directory] = [await serve(), await serve(), newFolder()]
    const body = `
      const factor = [0.975, 1.035, 1.09, 1.15, 1.21, 1.265, 1.325][(calls >> 1) % 7]
      ${measuring(b, "factor")}`
    const k6 = ScriptedK6.write(directory, body)
    const args = ["load", "compare", a, b, "--test", "smoke", "--seed", "4", "--report-dir", directory]
    const { code, stderr, stdout } = await call(args, { WEBAGENT_API_KEY: key, WEBAGENT_K6: k6.path })
    assert.match(
      stdout,
      /^B is slower, maybe by no more than the tolerance of 5 %: request p50 \+1\d % \(\+\d % to \+\d\d %\)/mu
    )
    assert.deepStrictEqual([code, stderr], [5, ""], stdout)
    assert.strictEqual(reportIn(directory).verdict, "slower")
  })

  it("cannot tell if the pairs vary too much, names the number needed, and exits with 5", async () => {
    const [a, b, directory] = [await serve(), await serve(), newFolder()]
    // each run of B has its own speed
    const body = `
      const factor = [1, 9, 1, 0.5, 20, 0.3, 3, 40][calls % 8]
      ${measuring(b, "factor")}`
    const k6 = ScriptedK6.write(directory, body)
    const args = ["load", "compare", a, b, "--test", "smoke", "--pairs", "5", "--report-dir", directory]
    const { code, stderr, stdout } = await call(args, { WEBAGENT_API_KEY: key, WEBAGENT_K6: k6.path })
    assert.match(stdout, /^cannot tell: request p50 .*; (?:about \d+|over 1,000) pairs would be needed/mu)
    assert.deepStrictEqual([code, stderr], [5, ""], stdout)
    assert.strictEqual(reportIn(directory).verdict, "cannot tell")
  })

  it("prints its result even if the report cannot be written", async () => {
    const [a, b, directory] = [await serve(), await serve(), newFolder()]
    // a folder where a file is to go stops everybody, root too
    const inTheWay = JSON.stringify(join(directory, "ab-smoke.json"))
    const body = `const { mkdirSync } = await import("node:fs"); mkdirSync(${inTheWay}, { recursive: true })`
    const k6 = ScriptedK6.write(directory, body + measuring(b, 1.3))
    const args = ["load", "compare", a, b, "--test", "smoke", "--pairs", "3", "--report-dir", directory]
    const { code, stderr, stdout } = await call(args, { WEBAGENT_API_KEY: key, WEBAGENT_K6: k6.path })
    assert.match(stdout, /\nB is worse: by more than 5 %: request p50 \+30 % .*\n$/u)
    assert.match(stderr, /^Cannot write the report: .*ab-smoke\.json.*\.\n$/u)
    assert.strictEqual(code, 2)
  })

  it("fails if k6 fails, or a service has no successful request", async () => {
    const [a, b, directory, other] = [await serve(), await serve(), newFolder(), newFolder()]
    const env = { WEBAGENT_API_KEY: key }
    const args = ["load", "compare", a, b, "--test", "smoke"]
    const failing = ScriptedK6.write(directory, 'write("boom"); process.exitCode = 107')
    const failed = await call([...args, "--report-dir", directory], { ...env, WEBAGENT_K6: failing.path })
    assert.strictEqual(failed.code, 5)
    assert.match(failed.stderr, /^The comparison has no result: k6 failed: the script failed to load .*\nboom\n$/u)
    const silent = ScriptedK6.write(other, `sumUp(${passed})`)
    const empty = await call([...args, "--report-dir", other], { ...env, WEBAGENT_K6: silent.path })
    assert.deepStrictEqual(
      [empty.code, empty.stderr],
      [5, `The comparison has no result: no request to ${a} succeeded.\n`]
    )
  })

  it("fails if a service responds but completes nothing", async () => {
    const [a, b, directory] = [await serve(), await serve(), newFolder()]
    const undone = {
      type: "counter",
      contains: "default",
      values: { count: 0 },
      thresholds: { "count>0": { ok: false } }
    }
    const idle = JSON.stringify({ state: { testRunDurationMs: 1 }, metrics: { runs_completed: undone } })
    const k6 = ScriptedK6.write(
      directory,
      `${measuring("none", 1)}\nif (process.env.WEBAGENT_BASE_URL === ${JSON.stringify(b)}) sumUp(${idle})`
    )
    const args = ["load", "compare", a, b, "--test", "smoke", "--report-dir", directory]
    const { code, stderr } = await call(args, { WEBAGENT_API_KEY: key, WEBAGENT_K6: k6.path })
    assert.deepStrictEqual(
      [code, stderr],
      [5, `The comparison has no result: ${b} completed no work: runs_completed is 0.\n`]
    )
  })

  it("reports what all its runs leave on services that keep running", async () => {
    const [a, b, directory] = [await serve(), await serve(), newFolder()]
    const left = JSON.stringify(ScriptedK6.summary({ checks: true }, { browsers_leaked: 1, runs_lost: 2 }))
    const k6 = ScriptedK6.write(
      directory,
      `${measuring("none", 1)}\nif (process.env.WEBAGENT_BASE_URL === ${JSON.stringify(b)}) sumUp(${left})`
    )
    const args = ["load", "compare", a, b, "--test", "smoke", "--pairs", "3", "--report-dir", directory]
    const { stderr, stdout } = await call(args, { WEBAGENT_API_KEY: key, WEBAGENT_K6: k6.path })
    assert.strictEqual(stderr, "")
    assert.deepStrictEqual(stdout.match(/^left .*$/gmu), [
      `left     4 browsers and 8 runs at ${b} may still be open and cost money`
    ])
  })

  it("stops on Ctrl-C, together with k6", async () => {
    const working = Promise.withResolvers<void>()
    const a = await serve({
      fail: () => {
        working.resolve()
        return null
      }
    })
    const [b, directory] = [await serve(), newFolder()]
    const k6 = ScriptedK6.write(
      directory,
      `process.on("SIGINT", () => { sumUp(${passed}); process.exit(105) })
      fetch(process.env.WEBAGENT_BASE_URL + "/api/v4/ready", { headers: { "x-service-api-key": process.env.WEBAGENT_API_KEY } })`
    )
    const args = ["load", "compare", a, b, "--test", "smoke", "--report-dir", directory]
    const running = start(args, { WEBAGENT_API_KEY: key, WEBAGENT_K6: k6.path })
    await working.promise
    running.signal("SIGINT")
    assert.strictEqual((await running.ended).code, 130)
    assert.strictEqual(k6.calls().length, 1)
  })

  for (const [title, args, sentence] of [
    ["one service only", ["http://127.0.0.1:9"], /^Missing required argument: url_b\. See: .* load compare --help\n$/u],
    [
      "a flag for tests of one service",
      ["simulated", "simulated", "--segments", "2"],
      /^No flag --segments\. See: .* load compare --help\n$/u
    ],
    [
      "two pairs",
      ["http://127.0.0.1:9", "http://127.0.0.1:9", "--pairs", "2"],
      /^Invalid value for flag --pairs: "2"\. Expected: 3 or more\. See: /u
    ],
    [
      "a service without an address",
      ["foo", "simulated"],
      /^Invalid value for argument <url_a>: "foo"\. Expected: "simulated", or a URL such as https:\/\/host\. See: /u
    ],
    [
      "a profile for external services",
      ["http://127.0.0.1:9", "http://127.0.0.1:9", "--profile", "flaky"],
      /^--profile applies only to the simulated service\. Remove --profile or use the simulated service\.\n$/u
    ],
    [
      "an unknown load test",
      ["simulated", "simulated", "--test", "smok"],
      /^No load test named "smok"\. Did you mean smoke\? See: /u
    ]
  ] as const) {
    it(`${title}: one sentence and exit code 2`, async () => {
      const { code, stderr } = await call(["load", "compare", ...args], {
        WEBAGENT_API_KEY: key,
        WEBAGENT_K6: ScriptedK6.write(newFolder(), "").path
      })
      assert.match(stderr, sentence)
      assert.strictEqual(code, 2)
    })
  }

  it("another machine: one sentence and exit code 2", async () => {
    const { path } = ScriptedK6.write(newFolder(), "")
    const args = ["load", "compare", await serve(), "https://api.example.com", "--test", "smoke"]
    const { code, stderr } = await call(args, { WEBAGENT_API_KEY: key, WEBAGENT_K6: path })
    assert.match(
      stderr,
      /^https:\/\/api\.example\.com is on another machine\. The load would send up to 16,792 requests .*\. To send it anyway, add --allow-remote\.\n$/u
    )
    assert.strictEqual(code, 2)
  })
})

describe("load --baseline", () => {
  it("cannot tell with fewer than five runs, then reports a slower one, and records only on request", async () => {
    const [address, directory] = [await serve(), newFolder()]
    const baseline = join(directory, "history.ndjson")
    const env = { WEBAGENT_API_KEY: key }
    const args = ["load", "smoke", "--target", address, "--report-dir", directory, "--baseline", baseline]
    const usual = { ...env, WEBAGENT_K6: ScriptedK6.write(directory, measuring("none", 1)).path }
    const first = await call([...args, "--record"], usual)
    assert.deepStrictEqual([first.code, first.stderr], [0, ""])
    assert.include(first.stdout, "\nbaseline: cannot tell, 0 of 5 runs needed\n")
    const recorded = readFileSync(baseline, "utf8")
    assert.strictEqual(recorded.trim().split("\n").length, 1)
    writeFileSync(baseline, recorded.repeat(5))
    const same = await call(args, usual)
    assert.match(same.stdout, /^baseline \(5 runs\): .* no difference seen \(smallest detectable change \+\d+ %\)$/mu)
    assert.strictEqual(same.code, 0)
    const slow = { ...env, WEBAGENT_K6: ScriptedK6.write(newFolder(), measuring(address, 1.3)).path }
    const worse = await call(args, slow)
    assert.match(worse.stdout, /^baseline \(5 runs\): request p95 18 ms, usually 14 ms to 14 ms: WORSE /mu)
    assert.match(worse.stdout, /\nworse: request p50, .*request p95.* · .*\n$/u)
    assert.strictEqual(worse.code, 1)
    assert.match(
      readFileSync(join(directory, "load-smoke.junit.xml"), "utf8"),
      /<failure message="request p95 was 18 ms, baseline 14 ms to 14 ms" type="baseline"\/>/u
    )
    const moved = await serve()
    const elsewhere = await call(
      args.map((arg) => (arg === address ? moved : arg)),
      usual
    )
    assert.include(elsewhere.stdout, "\nbaseline: cannot tell, 0 of 5 runs needed (5 left out: other settings)\n")
    const other = await call([...args, "--rate", "7"], usual)
    assert.include(other.stdout, "\nbaseline: cannot tell, 0 of 5 runs needed (5 left out: other settings)\n")
    assert.strictEqual(readFileSync(baseline, "utf8").trim().split("\n").length, 5)
  })
})
