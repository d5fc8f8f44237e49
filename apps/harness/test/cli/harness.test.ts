import { assert, describe, it } from "@effect/vitest"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, beforeAll } from "vitest"
import { begin, call } from "./inProcess.ts"
import { lastLineIn, reportIn, shout } from "./lastLine.ts"
import { run, start } from "./program.ts"

const folder = mkdtempSync(join(tmpdir(), "webagent-harness-"))
const example = "test/cli/example.suite.ts"
let count = 0
const reportDir = () => join(folder, `run-${count++}`)
const servers: Array<Server> = []
const listen = async (answer: RequestListener) => {
  const server = createServer(answer)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return (server.address() as AddressInfo).port
}

const key = "wak_example_key"
const serving = start(["serve", "--port", "0", "--api-key", key])
let address = ""

beforeAll(async () => {
  address = /(http:\/\/127\.0\.0\.1:\d+)/u.exec(await serving.says("try it"))?.[1] ?? ""
})

afterAll(async () => {
  serving.signal("SIGTERM")
  await serving.ended
  for (const server of servers) server.close()
  rmSync(folder, { recursive: true })
})

describe.concurrent("run", () => {
  it("exits with 0 if everything passes, and its reports decode", async () => {
    const directory = reportDir()
    const { code, stderr, stdout } = await run([
      "run",
      example,
      "versions",
      "--tag",
      "quick",
      "--report-dir",
      directory
    ])
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.match(
      stdout,
      /^webagent harness \d+\.\d+\.\d+ · simulated service on 127\.0\.0\.1:\d+ · seed 1 · 8 at a time\n/u
    )
    assert.match(stdout, /\n {2}example +1\/1 +[\d.]+ m?s\n\nreport /u)
    const [, facts = ""] = stdout.split(`\n${lastLineIn(directory)} · `)
    assert.match(facts, /^[\d.]+ m?s · 0 leaked browsers(?: · .+)?\n$/u)
    assert.notInclude(stdout, "\u001B")
    const report = reportIn(directory)
    const { failed, leakedBrowsers, passed, skipped } = report.counts
    assert.deepStrictEqual(
      { passed, failed, skipped, leakedBrowsers },
      { passed: 1, failed: 0, skipped: 0, leakedBrowsers: 0 }
    )
    assert.match(
      readFileSync(join(directory, "junit.xml"), "utf8"),
      /<testsuite name="example" tests="1" failures="0"/u
    )
  })

  it("accepts a suite file in a folder without packages, which imports modules next to it", async () => {
    writeFileSync(
      join(folder, "beside.ts"),
      'import * as Effect from "effect/Effect"\nexport const two = Effect.succeed(2)\n'
    )
    const file = join(folder, "far.suite.ts")
    writeFileSync(
      file,
      `import { check, scenario, Suite } from "@webagent/scenario"
import { two } from "./beside.ts"
export default Suite.make("far", [scenario("adds up", function* () { yield* check.equal(yield* two, 2) })])
`
    )
    const directory = reportDir()
    const { code, stderr, stdout } = await call(["run", file, "--report-dir", directory])
    assert.strictEqual(code, 0, stderr)
    assert.include(stdout, lastLineIn(directory))
    assert.strictEqual(reportIn(directory).counts.passed, 1)
  })

  it("also looks for a suite file in the folder where npm was called, because npm changes the working directory", async () => {
    writeFileSync(
      join(folder, "called.suite.ts"),
      `import { check, scenario, Suite } from "@webagent/scenario"
export default Suite.make("called", [scenario("adds up", function* () { yield* check.equal(1 + 1, 2) })])
`
    )
    const args = (file: string) => ["run", file, "--report-dir", reportDir()]
    const [there, here, nowhere] = await Promise.all([
      call(args("called.suite.ts"), { INIT_CWD: folder }),
      call([...args(example), "--tag", "quick"], { INIT_CWD: folder }),
      call(args("missing.suite.ts"), { INIT_CWD: folder })
    ])
    assert.deepStrictEqual([there?.code, there?.stderr], [0, ""])
    assert.deepStrictEqual([here?.code, here?.stderr], [0, ""])
    assert.deepStrictEqual(
      [nowhere?.code, nowhere?.stderr],
      [2, `No file ${resolve("missing.suite.ts")} or ${join(folder, "missing.suite.ts")}. Correct the path.\n`]
    )
  })

  it("exits with 1 if something fails, and prints how to run it again", async () => {
    const directory = reportDir()
    const { code, stdout } = await call(["run", example, "--name", "FAILS", "--report-dir", directory, "--seed", "7"])
    assert.strictEqual(code, 1)
    assert.include(stdout, '      expected  "completed"\n      got       "failed"\n')
    assert.match(stdout, /request {3}GET \/api\/v4\/runs\/[\da-f-]+ {3}200 {3}[\d.]+ m?s\b/u)
    assert.match(stdout, /where {5}test\/cli\/example\.suite\.ts:11\n/u)
    assert.include(stdout, `replay    npm run harness -- run ${example} --name fails --seed 7`)
    assert.include(stdout, `\n${lastLineIn(directory)} · `)
    assert.strictEqual(reportIn(directory).counts.failed, 1)
  })

  it("stops and names a leaked browser, and fails", async () => {
    const directory = reportDir()
    const { code, stdout } = await call(["run", example, "--tag", "leak", "--report-dir", directory])
    assert.strictEqual(code, 1)
    const [, facts = ""] = stdout.split(`\n${lastLineIn(directory)} · `)
    assert.match(facts, /^[\d.]+ m?s · 1 leaked browser, stopped by the harness\n/u)
    assert.strictEqual(reportIn(directory).results[0]?.trials[0]?.leakedBrowsers[0]?.stopped, true)
  })

  it("stops gracefully on Ctrl-C: writes reports and releases resources", async () => {
    const directory = reportDir()
    const args = ["run", example, "--name", "o", "--tag", "long", "--tag", "quick", "--report-dir", directory]
    const running = start([...args, "--concurrency", "1", "--target", address], { WEBAGENT_API_KEY: key })
    await running.says("webagent harness")
    running.signal("SIGINT")
    const { code, stderr, stdout } = await running.ended
    assert.strictEqual(code, 130)
    assert.include(stderr, "Ctrl-C again ends at once")
    assert.include(stdout, `STOPPED, ${shout("failed")}: `)
    assert.include(stdout, "0 leaked browsers")
    const report = reportIn(directory)
    assert.isTrue(report.interrupted)
    assert.deepStrictEqual(report.results.at(-1)?.skip, { _tag: "Stopped" })
  })

  it("accepts a service in another process, with or without /api/vN in its address", async () => {
    for (const target of [address, `${address}/api/v4/`]) {
      const directory = reportDir()
      const args = ["run", "v4-browsers", "--target", target, "--api-key-env", "MY_KEY", "--report-dir", directory]
      const { code, stdout } = await call(args, { MY_KEY: key })
      assert.strictEqual(code, 0)
      assert.strictEqual(reportIn(directory).counts.skipped, 0)
      assert.notInclude(readFileSync(join(directory, "report.json"), "utf8") + stdout, key)
    }
  })

  it("sends another service no paid requests and none that only our servers specify", async () => {
    const paths: Array<string> = []
    const port = await listen((request, response) => {
      paths.push(`${request.method} ${request.url}`)
      if (request.url === "/") return response.writeHead(404, { "content-type": "application/json" }).end("{}")
      const body: Array<Buffer> = []
      request
        .on("data", (chunk: Buffer) => body.push(chunk))
        .on("end", () => {
          void fetch(`${address}${request.url}`, {
            method: request.method ?? "GET",
            headers: Object.entries(request.headers).flatMap(([name, value]): Array<[string, string]> =>
              ["host", "connection", "content-length"].includes(name) ? [] : [[name, String(value)]]
            ),
            ...(body.length === 0 ? {} : { body: Buffer.concat(body) })
          }).then(async (answer) =>
            response
              .writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" })
              .end(await answer.text())
          )
        })
      return undefined
    })
    const directory = reportDir()
    const args = ["run", "--target", `http://127.0.0.1:${port}`, "--report-dir", directory]
    const { code, stdout } = await call(args, { WEBAGENT_API_KEY: key })
    assert.strictEqual(code, 0, stdout)
    const { header, results } = reportIn(directory)
    assert.deepStrictEqual(header.target.capabilities, ["extensions"])
    const whole = header.suites.filter(({ name }) =>
      results.filter(({ suite }) => suite === name).every(({ verdict }) => verdict === "passed")
    )
    assert.deepStrictEqual(
      whole.map(({ name }) => name),
      ["versions", "json-responses", "not-found", "validation"]
    )
    assert.isTrue(results.filter(({ needs }) => needs.length > 0).every(({ verdict }) => verdict === "skipped"))
    assert.include(stdout, "skipped: costs money: pass --allow-paid")
    assert.isAbove(paths.length, 100)
  })

  it("writes only the requested reports", async () => {
    const directory = reportDir()
    const args = ["run", "versions", "--reporter", "json", "--report-dir", directory]
    const { code, stdout } = await call(args)
    assert.deepStrictEqual([code, stdout], [0, ""])
    assert.throws(() => readFileSync(join(directory, "junit.xml")))
  })
})

describe.concurrent("mistakes on the command line", () => {
  type Case = readonly [
    what: string,
    code: number,
    sentence: RegExp,
    args: () => ReadonlyArray<string>,
    env?: Record<string, string>
  ]
  const cases: ReadonlyArray<Case> = [
    [
      "a missing file",
      2,
      /^No file \/\S+\/apps\/harness\/missing\.suite\.ts\. Correct the path\.\n$/u,
      () => ["run", "missing.suite.ts"]
    ],
    [
      "a file that imports a missing package",
      2,
      /^\S+homeless\.suite\.ts imports nowhere-to-be-found, which is not installed beside the file\. Install it there, or move the file\.\n$/u,
      () => {
        const file = join(folder, "homeless.suite.ts")
        writeFileSync(file, 'import "nowhere-to-be-found"\n')
        return ["run", file]
      }
    ],
    [
      "a file without a suite",
      2,
      /^src\/suites\/Operations\.ts has no suite as its default export\. .+\n$/u,
      () => ["run", "src/suites/Operations.ts"]
    ],
    [
      "a file that can't be loaded",
      2,
      /^\S+\/broken\.suite\.ts:1: this file is broken\n$/u,
      () => {
        const file = join(folder, "broken.suite.ts")
        writeFileSync(file, 'throw new Error("this file is broken")\n')
        return ["run", file]
      }
    ],
    [
      "no key",
      2,
      /^No API key: set WEBAGENT_API_KEY, or pass --api-key-env NAME to read it from another variable\.\n$/u,
      () => ["run", "--target", "https://api.example.com"]
    ],
    [
      "no key in the named variable",
      2,
      /^No API key: set OTHER\.\n$/u,
      () => ["run", "--target", "https://api.example.com", "--api-key-env", "OTHER"]
    ],
    [
      "nothing there",
      3,
      /^Nothing answers at http:\/\/127\.0\.0\.1:9 \(connection refused\)\. Is the service running\? Start ours with: npm run harness -- serve --port 9\n$/u,
      () => ["run", "--target", "http://127.0.0.1:9"],
      { WEBAGENT_API_KEY: key }
    ],
    [
      "no such host",
      3,
      /^Nothing answers at http:\/\/service\.invalid \(.+\)\. Is the service running\?\n$/u,
      () => ["run", "--target", "http://service.invalid"],
      { WEBAGENT_API_KEY: key }
    ],
    [
      "no address",
      2,
      /^--target takes "simulated" or a web address such as https:\/\/host, not "simulatd"\.\n$/u,
      () => ["run", "--target", "simulatd"],
      { WEBAGENT_API_KEY: key }
    ],
    [
      "another key",
      3,
      /^http:\/\/127\.0\.0\.1:\d+ does not take the API key in WEBAGENT_API_KEY \(HTTP 401\): set it to a key of this service\.\n$/u,
      () => ["run", "--target", address],
      { WEBAGENT_API_KEY: "wak_other" }
    ],
    [
      "an unknown suite",
      2,
      /^No suite named "v4-rnus"\. Did you mean v4-runs\? See: npm run harness -- list\n$/u,
      () => ["run", "v4-rnus"]
    ],
    [
      "an unknown suite by flag",
      2,
      /^No suite named "nonsense"\. See: npm run harness -- list\n$/u,
      () => ["run", "--suite", "nonsense"]
    ],
    [
      "nothing fits",
      2,
      /^No scenario of versions matches .*nothing.* See: .+ list\n$/u,
      () => ["run", "versions", "--name", "nothing"]
    ],
    [
      "an unknown flag",
      2,
      /^No flag --suit\. Did you mean --suite\? See: npm run harness -- run --help\n$/u,
      () => ["run", "--suit", "x"]
    ],
    [
      "an unknown command",
      2,
      /^No command "rnu"\. Did you mean run\? See: npm run harness -- --help\n$/u,
      () => ["rnu"]
    ],
    [
      "the old name of a command",
      2,
      /^reap is called cleanup now\. See: npm run harness -- cleanup --help\n$/u,
      () => ["reap", "--ledger", "x"]
    ],
    [
      "the help of an old name of a command",
      2,
      /^reap is called cleanup now\. See: npm run harness -- cleanup --help\n$/u,
      () => ["reap", "--help"]
    ],
    [
      "an old flag that the command never had",
      2,
      /^No flag --confirm\. Did you mean --config\? See: npm run harness -- merge --help\n$/u,
      () => ["merge", "--confirm", "5"]
    ],
    [
      "the old name of a flag",
      2,
      /^--confirm is called --extra-trials now\. See: npm run harness -- run --help\n$/u,
      () => ["run", "--confirm", "5"]
    ],
    [
      "a concurrency of 0",
      2,
      /^Invalid value for flag --concurrency: "0"\. Expected: 1 or more\. See: .+\n$/u,
      () => ["run", "--concurrency", "0"]
    ],
    [
      "a time without a unit",
      2,
      /^Invalid value for flag --timeout: "5"\. Expected: a time such as 500ms, 30s or 5m\. See: .+\n$/u,
      () => ["run", "--timeout", "5"]
    ],
    [
      "a trial beyond the number of trials",
      2,
      /^--trial must be 5 or less, as --trials is 5; got 9\.\n$/u,
      () => ["run", "versions", "--trials", "5", "--trial", "9"]
    ],
    [
      "an unknown reporter",
      2,
      /^Invalid value for flag --reporter: .+ See: .+\n$/u,
      () => ["run", "--reporter", "yaml"]
    ],
    [
      "a folder that can't be created",
      2,
      /^The reports cannot be written: a part of package\.json\/x is a file, not a folder\. Choose another folder with --report-dir\.\n$/u,
      () => ["run", "versions", "--report-dir", "package.json/x"]
    ],
    [
      "a file in place of the folder",
      2,
      /^The reports cannot be written: package\.json exists and is not a folder\. Choose another folder with --report-dir\.\n$/u,
      () => ["run", "versions", "--report-dir", "package.json"]
    ],
    [
      "a port in use",
      2,
      /^Port \d+ is in use\. Choose another with --port, or 0 for any free port\.\n$/u,
      () => ["serve", "--port", new URL(address).port]
    ]
  ]

  for (const [what, code, sentence, args, env] of cases) {
    it(`${what}: one sentence and exit code ${code}`, async () => {
      const ended = await call(args(), env)
      assert.match(ended.stderr, sentence)
      assert.strictEqual(ended.code, code)
      assert.strictEqual(ended.stdout, "")
    })
  }

  it("a report that cannot be written at the end: one sentence and exit code 2", async () => {
    const directory = reportDir()
    mkdirSync(join(directory, "report.json"), { recursive: true })
    const { code, stderr } = await call(["run", "versions", "--report-dir", directory])
    assert.strictEqual(
      stderr,
      `The report cannot be written: ${join(directory, "report.json")} is a folder, not a file.\n`
    )
    assert.strictEqual(code, 2)
  })

  it("names the unexpected response of another server at the address", async () => {
    const page = await listen((_, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<html>Hi</html>")
    )
    const api = await listen((_, response) =>
      response.writeHead(404, { "content-type": "application/json" }).end('{"detail":"Not Found"}')
    )
    const [first, second] = await Promise.all(
      [page, api].map((port) => call(["run", "--target", `http://127.0.0.1:${port}`], { WEBAGENT_API_KEY: key }))
    )
    assert.match(
      first?.stderr ?? "",
      /^Something answers at http:\/\/127\.0\.0\.1:\d+, but it is not the service\. Is the base address right\?\n {2}asked     GET \/api\/v2\/sessions\/[\da-f-]+\n {2}expected  HTTP 404 that says the session is not found\n {2}got       HTTP 200 text\/html: <html>Hi<\/html>\n$/u
    )
    assert.match(
      second?.stderr ?? "",
      /^Something answers at .+\. Is the base address right\?\n[^]+\n {2}got {7}HTTP 404 application\/json: \{"detail":"Not Found"\}\n$/u
    )
    assert.deepStrictEqual([first?.code, second?.code], [3, 3])
  })
})

describe("serve", () => {
  it("prints its addresses and requests, and stops on Ctrl-C", async () => {
    const program = start(["serve", "--port", "0", "--api-key", key])
    const said = await program.says("try it")
    const at = /^simulated service on (http:\/\/127\.0\.0\.1:\d+), until Ctrl-C\n/u.exec(said)?.[1] ?? ""
    for (const line of [`v4        ${at}/api/v4`, `docs      ${at}/api/v4/docs`, `key       ${key}`]) {
      assert.include(said, `${line}\n`)
    }
    assert.strictEqual((await fetch(`${at}/api/v4/docs`)).status, 200)
    await program.says("\nGET     200  ")
    program.signal("SIGINT")
    assert.strictEqual((await program.ended).code, 0)
  })
})

describe("serve with simulation flags", () => {
  it("prints the given values, and the control API responds", async () => {
    const program = begin([
      "serve",
      "--port",
      "0",
      "--profile",
      "flaky",
      "--time-scale",
      "60",
      "--control-key",
      "wck_example"
    ])
    const said = await program.says("try it")
    assert.include(said, "profile   flaky\n")
    assert.include(said, "time      60 times as fast as real time\n")
    const control = /^control +(\S+)$/mu.exec(said)?.[1] ?? ""
    const answer = await fetch(`${control}/profile`, { headers: { "x-control-key": "wck_example" } })
    assert.include(await answer.text(), '"name":"flaky"')
    program.stop()
    assert.strictEqual((await program.ended).code, 0)
  })

  it("refuses a wrong value with one sentence and exit code 2", async () => {
    const { code, stderr } = await call(["serve", "--profile", "flakey"])
    assert.deepStrictEqual(
      [code, stderr],
      [2, 'Unknown preset "flakey". Did you mean flaky? To use a file, give its path, such as ./flakey.json.\n']
    )
  })
})

describe.concurrent("list and help", () => {
  it("list names every suite with its scenarios' needs", async () => {
    const { code, stdout } = await call(["list"])
    assert.strictEqual(code, 0)
    for (const suite of ["v2-sessions", "v4-runs", "authentication", "cross-version"]) {
      assert.match(stdout, new RegExp(`^${suite} {2}\\(\\d+\\)$`, "mu"))
    }
    assert.include(stdout, "  closing the CDP connection does not stop the browser   · needs money\n")
  })

  it("run and load describe their shared flags in the same words", async () => {
    const [ofRun, ofLoad] = await Promise.all(["run", "load"].map((command) => call([command, "--help"])))
    const said = (help: string | undefined, flag: string) =>
      new RegExp(`--${flag}(?:, -\\w)? .*default: .*`, "u").exec(help ?? "")?.[0].replaceAll(/ +/gu, " ")
    const key = said(ofRun?.stdout, "api-key-env")
    assert.include(key ?? "", "default: WEBAGENT_API_KEY")
    assert.strictEqual(said(ofLoad?.stdout, "api-key-env"), key)
    for (const help of [ofRun?.stdout, ofLoad?.stdout]) {
      assert.include(said(help, "target") ?? "", "(default: simulated, a service ")
      assert.include(said(help, "report-dir") ?? "", "default: .webagent/runs/<local time>")
    }
  })

  it("help shows every default", async () => {
    const { code, stdout } = await call(["run", "--help"])
    assert.strictEqual(code, 0)
    for (const flag of ["target", "concurrency", "timeout", "seed", "report-dir", "reporter", "api-key-env"]) {
      assert.match(stdout, new RegExp(`--${flag}(?:, -\\w)? .*default: `, "u"))
    }
  })
})
