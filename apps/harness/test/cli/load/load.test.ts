import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import type { IncomingMessage } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll } from "vitest"
import * as K6 from "@webagent/load/K6"
import { percent } from "@webagent/report/Text"
import { LoadReport } from "@webagent/load/LoadReport"
import * as LoadScript from "@webagent/load/LoadScript"
import * as ScriptedK6 from "./ScriptedK6.ts"
import * as ScriptedService from "./ScriptedService.ts"
import { call } from "../inProcess.ts"
import { type Ended, run, start } from "../program.ts"

const folder = mkdtempSync(join(tmpdir(), "webagent-load-test-"))
let count = 0
const newFolder = () => {
  const path = join(folder, String(count++))
  mkdirSync(path)
  return path
}
const key = "wak_load_canary"
const services: Array<ScriptedService.ScriptedService> = []
const serve = async (script: Partial<ScriptedService.Script> = {}) => {
  const service = await ScriptedService.start({ key, simulated: true, ...script })
  services.push(service)
  return service
}
const reportIn = (directory: string, test = "smoke") =>
  Schema.decodeUnknownSync(Schema.fromJsonString(LoadReport))(
    readFileSync(join(directory, `load-${test}.json`), "utf8")
  )

afterAll(() => {
  for (const service of services) service.close()
  rmSync(folder, { recursive: true })
})

/** How to run `load smoke` on a service, with a program in the place of k6. */
const prepare = async (body: string, args: ReadonlyArray<string>, service?: ScriptedService.ScriptedService) => {
  const directory = newFolder()
  const k6 = ScriptedK6.write(directory, body)
  const { address } = service ?? (await serve())
  const all = ["load", "smoke", "--target", `${address}/api/v4/`, "--report-dir", directory, ...args]
  return { address, all, directory, k6 }
}

/** Runs `load smoke` with a program in the place of k6, in this process. */
const called = async (body: string, args: ReadonlyArray<string> = []) => {
  const { all, directory, k6 } = await prepare(body, args)
  const ended: Ended = await call(all, { WEBAGENT_API_KEY: key, WEBAGENT_K6: k6.path })
  return { ...ended, directory, k6 }
}

/** Runs `load smoke` with a program in the place of k6, as its users do. */
const scripted = async (body: string, args: ReadonlyArray<string> = [], service?: ScriptedService.ScriptedService) => {
  const { address, all, directory, k6 } = await prepare(body, args, service)
  // what a program that ends at once leaves behind goes with the folder
  const inherited = { HTTPS_PROXY: "http://proxy", TMPDIR: directory }
  const env = { WEBAGENT_API_KEY: key, WEBAGENT_K6: k6.path, K6_VUS: "7", SECRET: "x", ...inherited }
  return { address, directory, k6, started: start(all, env) }
}

const passed = ScriptedK6.summary({ checks: true }, { http_reqs: 182, runs_completed: 1 })

// programs start by the dozen, on a machine that may be busy
describe.concurrent("k6", () => {
  it("passes k6 the address, the key, and only the network settings of the environment", async () => {
    const args = ["--rate", "3", "--duration", "1250ms"]
    const { address, directory, k6, started } = await scripted(`sumUp(${JSON.stringify(passed)})`, args)
    const { code, stderr, stdout } = await started.ended
    assert.deepStrictEqual([code, stderr], [0, ""])
    const [call] = k6.calls()
    assert.deepStrictEqual(call?.args.slice(0, 2), ["run", "--quiet"])
    assert.match(call?.args[2] ?? "", /\/smoke\.load\.ts$/u)
    assert.deepStrictEqual(call?.args.slice(3), ["--out", "csv=-"])
    const { K6_CONFIG, WEBAGENT_LOAD_EXECUTION = "", WEBAGENT_LOAD_SUMMARY, ...env } = call?.env ?? {}
    assert.match(K6_CONFIG ?? "", /\/webagent-load-[^/]+\/config\.json$/u)
    assert.isDefined(WEBAGENT_LOAD_SUMMARY)
    assert.match(WEBAGENT_LOAD_EXECUTION, /^[\w-]{36}-0$/u)
    assert.deepStrictEqual(env, {
      HTTPS_PROXY: "http://proxy",
      K6_AUTO_EXTENSION_RESOLUTION: "false",
      K6_CSV_TIME_FORMAT: "unix_milli",
      K6_NO_USAGE_REPORT: "true",
      K6_WEB_DASHBOARD: "true",
      K6_WEB_DASHBOARD_EXPORT: join(directory, "load-smoke-k6.html"),
      K6_WEB_DASHBOARD_PERIOD: "1s",
      K6_WEB_DASHBOARD_PORT: "-1",
      NO_COLOR: "1",
      TMPDIR: directory,
      WEBAGENT_API_KEY: key,
      WEBAGENT_API_KEY_HEADER: "X-Service-API-Key",
      WEBAGENT_BASE_URL: address,
      WEBAGENT_LOAD_DURATION: "1250ms",
      WEBAGENT_LOAD_RATE: "3",
      WEBAGENT_LOAD_TEST: "smoke"
    })
    const report = readFileSync(join(directory, "load-smoke.json"), "utf8")
    assert.notInclude(report + stdout + call?.args.join(" "), key)
    assert.match(stdout, /\nreport {3}\S+\npassed · 182 requests, 1 run completed, 0 browsers stopped in 1\.23 s\n$/u)
  })

  it("passes the load's settings and further outputs to k6, with their addresses", async () => {
    const thresholds = join(newFolder(), "limits.json")
    writeFileSync(thresholds, JSON.stringify({ time_to_terminal: ["p(95)<3000"] }))
    const flags = {
      vus: "4",
      mix: "runs=3,status=1",
      sample: "0.5",
      task: "Buy a mug",
      "run-timeout": "10m",
      thresholds,
      out: "otlp=http://127.0.0.1:4318"
    }
    const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value])
    const { code, directory, k6, stderr, stdout } = await called(`sumUp(${JSON.stringify(passed)})`, args)
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.include(stdout, " · closed model · 4 virtual users for 5s · ")
    const [call] = k6.calls()
    assert.deepInclude(call?.env, {
      WEBAGENT_LOAD_VUS: "4",
      WEBAGENT_LOAD_MIX: "runs=3,status=1",
      WEBAGENT_LOAD_SAMPLE: "0.5",
      WEBAGENT_LOAD_TASK: "Buy a mug",
      WEBAGENT_LOAD_RUN_TIMEOUT: "600000ms",
      K6_OTEL_HTTP_EXPORTER_ENDPOINT: "127.0.0.1:4318",
      WEBAGENT_LOAD_THRESHOLDS: '{"time_to_terminal":["p(95)<3000"]}'
    })
    assert.deepStrictEqual(call?.args.slice(-2), ["--out", "opentelemetry"])
    assert.deepStrictEqual(reportIn(directory).settings, {
      vus: 4,
      mix: "runs=3,status=1",
      sample: 0.5,
      task: "Buy a mug",
      run_timeout_ms: 600_000,
      thresholds: { time_to_terminal: ["p(95)<3000"] },
      segments: 1
    })
  })

  it("a crossed threshold is named, and the exit code is 1", async () => {
    const summary = ScriptedK6.summary({ http_req_failed: false, checks: true, runs_lost: false })
    const { code, directory, stderr, stdout } = await called(`sumUp(${JSON.stringify(summary)}); process.exitCode = 99`)
    assert.deepStrictEqual([code, stderr], [1, ""])
    assert.match(stdout, /^http_req_failed +< 1 % +5 % +FAILED$/mu)
    assert.match(stdout, /^failed: http_req_failed, runs_lost · 0 requests/mu)
    assert.strictEqual(reportIn(directory).verdict, "failed")
    assert.include(readFileSync(join(directory, "load-smoke.html"), "utf8"), "http_req_failed was 5 %, limit &lt; 1 %")
    const junit = readFileSync(join(directory, "load-smoke.junit.xml"), "utf8")
    assert.include(junit, '<testsuites name="webagent-harness" tests="4" failures="2" errors="0" ')
    assert.include(junit, '<failure message="runs_lost was 5 %, limit &lt; 1 %" type="threshold"/>')
  })

  for (const [what, body, sentence] of [
    [
      "a script that does not load",
      'write("boom"); process.exitCode = 107',
      /^The load test has no result: k6 failed: the script failed to load or threw an error \(exit code 107\)\.\nboom\n$/u
    ],
    [
      "an unknown exit code",
      `sumUp(${JSON.stringify(passed)}); process.exitCode = 42`,
      /^The load test has no result: k6 failed: unknown reason \(exit code 42\)\.\n$/u
    ],
    ["a signal", 'process.kill(process.pid, "SIGKILL")', /k6 failed: a signal killed it\.\n$/u],
    ["no summary", "", /k6 failed: it wrote no summary\.\n$/u],
    ["another summary", "sumUp({ metrics: {} })", /k6 failed: it wrote no summary\.\n$/u]
  ] as const) {
    it(`${what}: one sentence, what k6 said, and exit code 1`, async () => {
      const { code, directory, stderr } = await called(body)
      assert.match(stderr, sentence)
      assert.strictEqual(code, 1)
      assert.throws(() => reportIn(directory))
      const why = /k6 failed: .*?(?=\.\n)/u.exec(stderr)?.[0] ?? "nothing"
      assert.include(
        readFileSync(join(directory, "load-smoke.junit.xml"), "utf8"),
        `<error message="${why}" type="k6"/>`
      )
    })
  }

  it("leaves nothing of an earlier report beside its own", async () => {
    const directory = newFolder()
    for (const ending of [".json", ".series.json", ".junit.xml", ".html", "-k6.html"]) {
      writeFileSync(join(directory, `load-smoke${ending}`), "earlier")
    }
    const { path } = ScriptedK6.write(newFolder(), "process.exitCode = 107")
    const { address } = await serve()
    const args = ["load", "smoke", "--target", address, "--report-dir", directory]
    const { code } = await call(args, { WEBAGENT_API_KEY: key, WEBAGENT_K6: path })
    assert.strictEqual(code, 1)
    assert.deepStrictEqual(readdirSync(directory), ["load-smoke.junit.xml"])
    assert.notInclude(readFileSync(join(directory, "load-smoke.junit.xml"), "utf8"), "earlier")
  })

  it("reports its result also when the report cannot be written", async () => {
    // a folder where a file is to go stops everybody, root too
    const body = `
      const { mkdirSync } = await import("node:fs")
      mkdirSync(process.env.K6_WEB_DASHBOARD_EXPORT.replace("-k6.html", ".json"))
      sumUp(${JSON.stringify(passed)})`
    const { code, stderr, stdout } = await called(body)
    assert.include(stdout, "\npassed · 182 requests, 1 run completed, 0 browsers stopped in 1.23 s\n")
    assert.match(stderr, /^Cannot write the report: .*load-smoke\.json.*\.\n$/u)
    assert.strictEqual(code, 2)
  })

  /** Runs a k6 that reports for work, never ends, and does `onSignal` on SIGINT; resolves once it works. */
  const endless = async (onSignal: string) => {
    const ready = Promise.withResolvers<IncomingMessage["socket"]>()
    const service = await serve({
      fail: ({ socket }) => {
        ready.resolve(socket)
        return null
      }
    })
    const body = `
      process.on("SIGINT", () => { ${onSignal} })
      fetch(process.env.WEBAGENT_BASE_URL + "/api/v4/ready", { headers: { "x-service-api-key": process.env.WEBAGENT_API_KEY } })`
    const running = await scripted(body, [], service)
    return { ...running, socket: await ready.promise }
  }

  for (const [how, other] of [
    ["is asked to stop", `if (body.includes('"stopped":true')) { sumUp(passed); process.exit(103) }`],
    // k6 lets go of its address and of signals before it sums up
    ["sums up by itself", `server.close(); setTimeout(() => { sumUp(passed); process.exit(0) }, 500)`]
  ] as const)
    it(`a threshold that ends one of two processes ends the other, which ${how}, and stays crossed`, async () => {
      const body = `
      const { createServer } = await import("node:http")
      const passed = ${JSON.stringify(passed)}
      const crossed = ${JSON.stringify(ScriptedK6.summary({ checks: false }))}
      const after = (flag) => args[args.indexOf(flag) + 1]
      const [host, port] = after("--address").split(":")
      const server = createServer(async (request, response) => {
        const body = (await request.toArray()).join("")
        response.end(JSON.stringify({ data: { attributes: { status: 4 } } }), () => {
          if (request.method !== "PATCH") return
          if (after("--execution-segment").startsWith("0:")) {
            sumUp(crossed)
            write("thresholds on metrics 'checks' were crossed; at least one has abortOnFail enabled, stopping test prematurely")
            process.exit(99)
          }
          ${other}
        })
      }).listen(Number(port), host)`
      const { code, directory, stderr, stdout } = await called(body, ["--segments", "2"])
      assert.deepStrictEqual([code, stderr], [1, ""], stdout)
      assert.match(stdout, /^failed: checks · 182 requests/mu)
      assert.strictEqual(reportIn(directory).verdict, "failed")
    })

  it("chooses another port when another program took the first, and gives up after several", async () => {
    const taken = (times: number) => `
      const { readFileSync } = await import("node:fs")
      const { createServer } = await import("node:http")
      const after = (flag) => args[args.indexOf(flag) + 1]
      const [host, port] = after("--address").split(":")
      const tries = new URL("tries", import.meta.url)
      if (after("--execution-segment").startsWith("1/")) {
        appendFileSync(tries, "x")
        if (readFileSync(tries).length <= ${times}) {
          write("Error from API server")
          process.exit(106)
        }
      }
      const finish = (code) => { sumUp(${JSON.stringify(ScriptedK6.summary({}, { http_reqs: 1 }))}); process.exit(code) }
      process.on("SIGINT", () => finish(105))
      createServer((request, response) => {
        response.end(JSON.stringify({ data: { attributes: { status: 4 } } }), () => {
          if (request.method === "PATCH") finish(0)
        })
      }).listen(Number(port), host)`
    const once = await called(taken(1), ["--segments", "2"])
    assert.deepStrictEqual([once.code, once.stderr], [0, ""], once.stdout)
    const after = ({ args }: { readonly args: ReadonlyArray<string> }, flag: string) =>
      args[args.indexOf(flag) + 1] ?? ""
    // the other process may be ended before it has noted its call
    const ofTaken = (run: typeof once) =>
      run.k6.calls().filter((call) => after(call, "--execution-segment").startsWith("1/"))
    const addresses = once.k6.calls().map((call) => after(call, "--address"))
    assert.strictEqual(new Set(addresses).size, addresses.length)
    assert.strictEqual(ofTaken(once).length, 2)
    const always = await called(taken(99), ["--segments", "2"])
    assert.match(
      always.stderr,
      /k6 failed: process 2 of 2: another program took its address each time \(exit code 106\)\.\nError from API server\n$/u
    )
    assert.strictEqual(ofTaken(always).length, 5)
  })

  for (const [when, answer] of [
    ["before the load", "process.exitCode = 107"],
    ["in it", "listen(() => process.exit(107))"]
  ] as const)
    it(`a process that fails ${when} ends the others at once, and is named`, async () => {
      const body = `
        const { createServer } = await import("node:http")
        const after = (flag) => args[args.indexOf(flag) + 1]
        const [host, port] = after("--address").split(":")
        const listen = (begin) =>
          createServer(async (request, response) => {
            const body = (await request.toArray()).join("")
            response.end(JSON.stringify({ data: { attributes: { status: 4 } } }), () => {
              if (body.includes('"stopped":true')) finish(103)
              else if (request.method === "PATCH") begin()
            })
          }).listen(Number(port), host)
        const finish = (code) => { sumUp(${JSON.stringify(passed)}); process.exit(code) }
        if (after("--execution-segment").startsWith("1/")) {
          write("boom")
          ${answer}
        } else {
          process.on("SIGINT", () => finish(105))
          listen(() => appendFileSync(new URL("began", import.meta.url), "x"))
        }`
      const { code, directory, stderr } = await called(body, ["--segments", "2"])
      assert.strictEqual(
        stderr,
        "The load test has no result: k6 failed: process 2 of 2: the script failed to load or threw an error (exit code 107).\nboom\n"
      )
      assert.strictEqual(code, 1)
      if (when === "before the load") assert.isFalse(existsSync(join(directory, "began")))
    })

  it("Ctrl-C asks it to stop, and what it has measured is reported, with what it leaves behind", async () => {
    const summary = ScriptedK6.summary({ checks: true }, { browsers_leaked: 1, runs_lost: 2 })
    const { address, directory, started } = await endless(`sumUp(${JSON.stringify(summary)}); process.exit(105)`)
    started.signal("SIGINT")
    const { code, stderr, stdout } = await started.ended
    assert.strictEqual(code, 130)
    assert.strictEqual(stderr, "\nstopping; Ctrl-C again ends at once\n")
    assert.match(stdout, /^stopped · /mu)
    assert.include(stdout, `\nleft     1 browser and 2 runs at ${address} may still be open and cost money\nreport   `)
    assert.strictEqual(reportIn(directory).verdict, "stopped")
    assert.include(readFileSync(join(directory, "load-smoke.junit.xml"), "utf8"), ' errors="1" ')
  })

  it("Ctrl-C twice ends at once, and k6 with it", async () => {
    const { socket, started } = await endless("")
    const closed = new Promise((resolve) => socket.once("close", resolve))
    started.signal("SIGINT")
    await started.complains("stopping")
    started.signal("SIGINT")
    assert.strictEqual((await started.ended).code, 130)
    await closed
  })
})

describe.concurrent("--render k6-operator", () => {
  it("writes what a cluster runs, with the same settings and without a key, and says how", async () => {
    const directory = newFolder()
    const load = ["--rate", "30", "--mix", "runs=1", "--segments", "4"]
    const where = [
      "--target",
      "https://agents.example.com",
      "--out",
      directory,
      "--out",
      "prometheus=http://p/api/v1/write"
    ]
    const env = { WEBAGENT_API_KEY: key, WEBAGENT_API_KEY_HEADER: "X-Key", PATH: "" }
    const { code, stderr, stdout } = await run(["load", "spike", "--render", "k6-operator", ...load, ...where], env)
    assert.deepStrictEqual([code, stderr], [0, ""])
    const manifest = readFileSync(join(directory, "testrun.yaml"), "utf8")
    assert.include(manifest, "parallelism: 4\n")
    assert.match(manifest, /name: "WEBAGENT_LOAD_RATE"\n\s+value: "30"\n/u)
    assert.match(manifest, /name: "WEBAGENT_BASE_URL"\n\s+value: "https:\/\/agents\.example\.com"\n/u)
    assert.match(manifest, /name: "WEBAGENT_API_KEY_HEADER"\n\s+value: "X-Key"\n/u)
    assert.include(manifest, "experimental-prometheus-rw")
    assert.include(readFileSync(join(directory, "configmap.yaml"), "utf8"), "spike.load.js")
    assert.notInclude(manifest + stdout, key)
    assert.match(stdout, /^at most, a run will send up to 68,\d+ requests .* at https:\/\/agents\.example\.com$/mu)
    assert.include(stdout, "  kubectl apply -f testrun.yaml\n")
  })

  it("bakes the script into an image that is named", async () => {
    const directory = newFolder()
    const where = ["--target", "http://a.example", "--out", directory, "--image", "registry.example/load:1"]
    const { code, stderr, stdout } = await run(["load", "smoke", "--render", "k6-operator", ...where], { PATH: "" })
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.include(readFileSync(join(directory, "testrun.yaml"), "utf8"), 'image: "registry.example/load:1"\n')
    assert.include(readFileSync(join(directory, "Dockerfile"), "utf8"), "COPY smoke.load.js ")
    assert.isTrue(existsSync(join(directory, "smoke.load.js")))
    assert.include(stdout, "  docker build -t registry.example/load:1 .\n")
  })

  it("is for the k6 that ours is", () => {
    const manifest = readFileSync(new URL("../../../../../tools/k6/go.mod", import.meta.url), "utf8")
    assert.include(manifest, `go.k6.io/k6/v2 v${K6.pinned}\n`)
  })

  for (const [what, args, sentence] of [
    [
      "no address",
      ["--out", "load"],
      /^--render needs --target URL, the address of the service from the cluster: npm run /u
    ],
    [
      "an address without http",
      ["--target", "localhost:4400", "--out", "load"],
      /^--render needs --target URL, the address of the service from the cluster: npm run /u
    ],
    ["no folder", ["--target", "http://a.example"], /^--render needs --out DIR, the folder for its files: npm run /u],
    [
      "an image without a name",
      ["--target", "http://a.example", "--out", "load", "--image", ""],
      /^--image must be the name of an image, such as registry\.example\/load:1; got ""\.\n$/u
    ]
  ] as const) {
    it(`${what}: one sentence and exit code 2`, async () => {
      const { code, stderr } = await call(["load", "smoke", "--render", "k6-operator", ...args])
      assert.match(stderr, sentence)
      assert.strictEqual(code, 2)
    })
  }
})

describe.concurrent("mistakes", () => {
  const nowhere = { PATH: folder }
  const simulated = ["load", "smoke"]
  const wrongLimits = join(newFolder(), "limits.json")
  const unknownMetric = join(newFolder(), "limits.json")
  writeFileSync(unknownMetric, JSON.stringify({ time_to_terminl: ["p(95)<3000"] }))
  writeFileSync(wrongLimits, JSON.stringify({ http_req_duration: ["p95 below 3"] }))
  const cases: ReadonlyArray<
    readonly [
      what: string,
      code: number,
      sentence: RegExp,
      args: ReadonlyArray<string>,
      env?: Readonly<Record<string, string>>
    ]
  > = [
    [
      "an unknown load test",
      2,
      /^No load test named "smok"\. Did you mean smoke\? See: npm run harness -- load --help\n$/u,
      ["load", "smok"]
    ],
    [
      "a load test like no other",
      2,
      /^No load test named "toString"\. Load tests: smoke, average-load, stress, spike, soak, breakpoint\. See: npm run harness -- load --help\n$/u,
      ["load", "toString"]
    ],
    [
      "another machine, before a key is asked for",
      2,
      /^https:\/\/api\.example\.com is on another machine\. The load would send up to 1,219 requests and create up to 35 runs and 18 browsers\. To send it anyway, add --allow-remote\.\n$/u,
      ["load", "smoke", "--target", "https://api.example.com", "--rate", "7", "--duration", "2s"]
    ],
    [
      "another machine that is meant, and is not there",
      3,
      /^Nothing answers at http:\/\/service\.invalid \(.+\)\. Is the service running\?\n$/u,
      ["load", "smoke", "--target", "http://service.invalid", "--allow-remote"],
      { WEBAGENT_API_KEY: key }
    ],
    [
      "no key",
      2,
      /^No API key: set OTHER\.\n$/u,
      ["load", "smoke", "--target", "http://127.0.0.1:9", "--api-key-env", "OTHER"]
    ],
    [
      "nothing there",
      3,
      /^Nothing answers at http:\/\/127\.0\.0\.1:9 \(connection refused\)\. .+ serve --port 9\n$/u,
      ["load", "smoke", "--target", "http://127.0.0.1:9"],
      { WEBAGENT_API_KEY: key }
    ],
    [
      "no address",
      2,
      /^--target takes "simulated" or a web address/u,
      ["load", "smoke", "--target", "simulatd"],
      { WEBAGENT_API_KEY: key }
    ],
    [
      "a k6 that is not there",
      2,
      /^\/nowhere\/k6 is not k6\. Set WEBAGENT_K6 to the path of a k6, or unset it\.\n$/u,
      simulated,
      { WEBAGENT_K6: "/nowhere/k6" }
    ],
    ["a program that is not k6", 2, /^.+ is not k6\. Set WEBAGENT_K6 /u, simulated, { WEBAGENT_K6: process.execPath }],
    [
      "neither Go nor k6",
      4,
      /^No k6: WEBAGENT_K6 is not set, and ours cannot be built\. There is no Go on the PATH\. k6 needs Go 1\.\d+\.\d+ or later to be built: get it from https:\/\/go\.dev\/dl, or from your package manager\.\n$/u,
      simulated,
      nowhere
    ],
    [
      "no load at all",
      2,
      /^Invalid value for flag --rate: "0"\. Expected: 1 or more\. See: /u,
      ["load", "smoke", "--rate", "0"]
    ],
    [
      "a limit that cannot be read",
      2,
      /limits\.json: .*expected a limit such as "p\(95\)<200", .* got "p95 below 3"[^]*http_req_duration/u,
      ["load", "smoke", "--thresholds", wrongLimits]
    ],
    [
      "a limit on a metric that no load test has",
      2,
      /limits\.json: unknown metric "time_to_terminl"\. Did you mean time_to_terminal\?\n$/u,
      ["load", "smoke", "--thresholds", unknownMetric],
      // no k6 starts
      { WEBAGENT_K6: "/nowhere/k6" }
    ],
    [
      "limits that are not there",
      2,
      /^Cannot read the thresholds: \/nowhere\.json does not exist\.\n$/u,
      ["load", "smoke", "--thresholds", "/nowhere.json"]
    ],
    [
      "a record that has no place, before there is one to keep",
      2,
      /^Cannot write the baseline: \/nowhere does not exist\.\n$/u,
      ["load", "smoke", "--baseline", "/nowhere/history.ndjson", "--record"]
    ],
    [
      "an output that there is not",
      2,
      /^--out must be prometheus=URL or otlp=URL; got "influx=http:\/\/127\.0\.0\.1:9"\.\n$/u,
      ["load", "smoke", "--out", "influx=http://127.0.0.1:9"]
    ],
    [
      "a share above 1",
      2,
      /^Invalid value for flag --sample: "2"\. Expected: a share from 0 to 1, such as 0\.1\. See: /u,
      ["load", "smoke", "--sample", "2"]
    ],
    [
      "an address without http",
      2,
      /^--target takes "simulated" or a web address such as https:\/\/host, not "localhost:4400"\.\n$/u,
      ["load", "smoke", "--target", "localhost:4400"],
      { WEBAGENT_API_KEY: key }
    ],
    [
      "a flow that there is not",
      2,
      /^--mix must list weights from 0 to 999 for runs, .*, such as runs=3,browsers=1; got "walks=1"\.\n$/u,
      ["load", "smoke", "--mix", "walks=1"]
    ],
    [
      "hardly any time",
      2,
      /^Invalid value for flag --duration: "999ms"\. Expected: a time from 1s to 365d, such as 30s or 5m\. See: /u,
      ["load", "smoke", "--duration", "999ms"]
    ],
    [
      "more time than there is",
      2,
      /^Invalid value for flag --duration: "9999999h"\. Expected: a time from 1s to 365d, such as 30s or 5m\. See: /u,
      ["load", "smoke", "--duration", "9999999h"]
    ],
    [
      "a wait without an end",
      2,
      /^Invalid value for flag --run-timeout: "8784h"\. Expected: a time from 100ms to 365d, such as 30s or 5m\. See: /u,
      ["load", "smoke", "--vus", "1", "--run-timeout", "8784h"]
    ],
    [
      "more than a machine holds",
      2,
      /^The load needs 10,000,001 virtual users, about 7,000 GB; this machine has \S+ GB\. Lower --rate or --run-timeout, or use several machines with --render k6-operator\.\n$/u,
      ["load", "smoke", "--rate", "1000000"]
    ],
    [
      "more processes than cores run",
      2,
      /^--segments must be \d+ or less on this machine \(4 per core\); got 10000\. Use several machines with --render k6-operator\.\n$/u,
      ["load", "smoke", "--segments", "10000"],
      // none starts, also without a refusal
      { WEBAGENT_K6: "/nowhere/k6" }
    ],
    [
      "manifests of what runs here",
      2,
      /^--render cannot be combined with --ab, --baseline, --record\. Remove one\.\n$/u,
      ["load", "smoke", "--render", "k6-operator", "--ab", "simulated", "simulated", "--baseline", "x", "--record"]
    ],
    [
      "a tolerance in percent",
      2,
      /^Invalid value for flag --tolerance: "5"\. Expected: a share from 0 to 1, such as 0\.05 for 5 %\. See: /u,
      ["load", "smoke", "--tolerance", "5"]
    ],
    [
      "an image that nothing renders",
      2,
      /^--image needs --render k6-operator\.\n$/u,
      ["load", "smoke", "--image", "x"]
    ],
    [
      "a time without a unit",
      2,
      /^Invalid value for flag --duration: "5"\. Expected: a time from 1s to 365d, such as 30s or 5m\. See: /u,
      ["load", "smoke", "--duration", "5"]
    ]
  ]
  for (const [what, code, sentence, args, env] of cases) {
    it(`${what}: one sentence and exit code ${code}`, async () => {
      // the build of k6 looks for Go on the PATH of the process
      const ended = await (env === nowhere ? run : call)(args, env)
      assert.match(ended.stderr, sentence)
      assert.deepStrictEqual([ended.code, ended.stdout], [code, ""])
    })
  }

  it("sends nothing to a service that is not simulated without a flag", async () => {
    const { address, seen } = await serve({ simulated: false })
    const directory = newFolder()
    const { path } = ScriptedK6.write(directory, `sumUp(${JSON.stringify(passed)})`)
    const args = ["load", "smoke", "--target", address, "--report-dir", directory]
    const env = { WEBAGENT_API_KEY: key, WEBAGENT_K6: path }
    const refused = await call(args, env)
    assert.strictEqual(refused.code, 2)
    assert.match(
      refused.stderr,
      /^\S+ is not simulated and may cost money\. The load would send up to 2,099 requests .+ add --allow-remote\.\n$/u
    )
    assert.throws(() => reportIn(directory))
    const meant = await call([...args, "--allow-remote"], env)
    assert.strictEqual(meant.code, 0)
    assert.include(
      meant.stdout,
      "\nat most, this will send up to 2,099 requests and create up to 57 runs and 29 browsers, which may cost money\n"
    )
    assert.deepStrictEqual(seen, [])
  })
})

// two minutes where it has never been built; the tests' own time begins when it is there
const built = spawnSync(
  process.execPath,
  [fileURLToPath(new URL("../../../../../tools/k6/build.mjs", import.meta.url))],
  {
    encoding: "utf8"
  }
)

describe.skipIf(built.status === 4)("the real k6, where there is Go to build it", () => {
  const k6 = built.stdout.trim()
  // every start a second takes ten virtual users, each a copy of the script; k6 leaves out what it is late for, so that
  // a round of the mix has to be over long before the end
  const seconds = ["--duration", "3s", "--rate", "5"]

  it("is ours, runs the TypeScript, and passes on the simulated service in another process", async () => {
    assert.strictEqual(built.status, 0, built.stderr)
    const directory = newFolder()
    const { code, stderr, stdout } = await run(["load", "smoke", ...seconds, "--report-dir", directory])
    assert.deepStrictEqual([code, stderr], [0, ""], stdout)
    assert.match(stdout, /^simulated service on 127\.0\.0\.1:\d+ · open model · 5 starts a second for 3s · k6 2\./u)
    assert.strictEqual(stdout.match(/ ok$/gmu)?.length, 10)
    assert.match(stdout, /^latency +count +p50 +p95 +p99 +max\nall requests +\d+ /mu)
    assert.match(stdout, /^time to terminal +\d+ +[\d.]+ m?s /mu)
    const { measurements, metrics, target, thresholds, verdict } = reportIn(directory)
    assert.deepStrictEqual([verdict, target.simulated, thresholds.length], ["passed", true, 10])
    assert.isAtLeast(metrics["runs_completed"]?.values["count"] ?? 0, 3)
    // the points that came as CSV are those that k6 has summed up
    const { "p(95)": p95, count } = metrics["http_req_duration"]?.values ?? {}
    assert.strictEqual(measurements.requests.count, count)
    assert.closeTo(measurements.requests.p95, p95 ?? Number.NaN, 1e-3)
    const page = readFileSync(join(directory, "load-smoke.html"), "utf8")
    assert.notMatch(page, /<script|\bsrc=|@import|url\(/u)
  })

  it("hears no settings of k6 that lie in the working directory", async () => {
    const directory = newFolder()
    mkdirSync(join(directory, ".config", "k6"), { recursive: true })
    writeFileSync(join(directory, ".config", "k6", "config.json"), '{ "noSetup": true }')
    const args = ["load", "smoke", "--mix", "status=1", ...seconds, "--report-dir", directory]
    const { code, stderr, stdout } = await run(args, {}, directory)
    assert.deepStrictEqual([code, stderr], [0, ""], stdout)
  })

  it("shared by two processes is one load, and its percentiles are those of all points", async () => {
    const directory = newFolder()
    // a round of the mix for each
    const args = ["load", "smoke", "--duration", "3s", "--rate", "12", "--segments", "2", "--report-dir", directory]
    // what is meant for this machine goes through no proxy
    const { code, stderr, stdout } = await run(args, { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: "http://127.0.0.1:9" })
    assert.deepStrictEqual([code, stderr], [0, ""], stdout)
    const { measurements, metrics, settings, thresholds } = reportIn(directory)
    assert.deepStrictEqual([settings.segments, thresholds.length], [2, 10])
    assert.isAtLeast(metrics["runs_completed"]?.values["count"] ?? 0, 8)
    assert.strictEqual(metrics["http_reqs"]?.values["count"], measurements.requests.count)
    assert.strictEqual(metrics["http_req_duration"]?.values["p(95)"], measurements.requests.p95)
    assert.isFalse(existsSync(join(directory, "load-smoke-k6.html")))
  })

  it("shared by two processes decodes the share that is asked for", async () => {
    const directory = newFolder()
    const load = ["--duration", "1s", "--vus", "10", "--segments", "2", "--mix", "status=1", "--sample", "0.2"]
    const { code, stderr, stdout } = await run(["load", "smoke", ...load, "--report-dir", directory])
    assert.deepStrictEqual([code, stderr], [0, ""], stdout)
    const { metrics } = reportIn(directory)
    const count = (metric: string) => metrics[metric]?.values["count"] ?? 0
    // users who decode come to fewer starts than the others, never to more
    assert.isAbove(count("answers_decoded"), 0)
    // each of the five who decode does so at its first start, however few come after it
    assert.isBelow(count("answers_decoded"), 0.25 * count("iterations") + 5)
  })

  it("stops every k6 process when one finds the breakpoint", async () => {
    const { address } = await serve({ fail: (_, ordinal) => (ordinal % 2 === 0 ? 500 : undefined) })
    const directory = newFolder()
    const load = ["load", "breakpoint", "--duration", "1m", "--rate", "30", "--mix", "status=1", "--segments", "2"]
    const { code, stderr, stdout } = await run([...load, "--target", address, "--report-dir", directory], {
      WEBAGENT_API_KEY: key
    })
    assert.deepStrictEqual([code, stderr], [1, ""], stdout)
    assert.match(stdout, /^failed: .*http_req_failed/mu)
    assert.match(stdout, /^breakpoint at about \d+ starts a second$/mu)
    // to the end it would be nine hundred
    assert.isBelow(reportIn(directory, "breakpoint").metrics["iterations"]?.values["count"] ?? 0, 450)
  })

  it.effect("recognises our k6 build, and gives it the TypeScript file unchanged", () =>
    Effect.gen(function* () {
      const found = yield* K6.find(k6, () => Effect.void)
      assert.deepInclude(found, { path: k6, readsTypeScript: true })
      assert.match(yield* LoadScript.resolve("smoke", found), /\/packages\/harness\/load\/k6\/smoke\.load\.ts$/u)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it("without our extension runs the bundle", async () => {
    const { path } = ScriptedK6.write(
      newFolder(),
      `const { spawnSync } = await import("node:child_process")
      process.exitCode = spawnSync(${JSON.stringify(k6)}, args, { stdio: "inherit", env: { ...process.env, XK6_TS: "false" } }).status`,
      false
    )
    const args = ["load", "smoke", ...seconds, "--report-dir", newFolder()]
    const { code, stderr, stdout } = await run(args, { WEBAGENT_K6: path })
    assert.deepStrictEqual([code, stderr], [0, ""], stdout)
    assert.include(stdout, " · k6 9.8.7\n")
  })

  it("names http_req_failed when a service fails 5 % of the requests", async () => {
    const { address, seen } = await serve({ fail: (_, ordinal) => (ordinal % 20 === 0 ? 500 : undefined) })
    const directory = newFolder()
    const args = ["load", "smoke", "--target", address, "--duration", "3s", "--rate", "20", "--report-dir", directory]
    const { code, stdout } = await run(args, { WEBAGENT_API_KEY: key })
    assert.strictEqual(code, 1)
    const share = Math.floor(seen.length / 20) / seen.length
    assert.isAbove(share, 0.01)
    assert.match(stdout, new RegExp(`^http_req_failed +< 1 % +${percent(share, 2)} +FAILED$`, "mu"))
    assert.match(stdout, /^failed: .*\bhttp_req_failed\b.* · /mu)
    assert.strictEqual(reportIn(directory).verdict, "failed")
  })

  it("reports the exception of the TypeScript and a missing output", async () => {
    const { address } = await serve({ tasks: [null] })
    const args = ["load", "smoke", "--target", address, "--mix", "v2=1", ...seconds, "--report-dir", newFolder()]
    const { code, stdout } = await run([...args, "--out", "prometheus=http://127.0.0.1:9/api/v1/write"], {
      WEBAGENT_API_KEY: key
    })
    assert.strictEqual(code, 1)
    assert.match(stdout, /^k6 {7}TypeError: .* \(\S*load\/k6\/flows\/v2-sessions\.ts:\d+\) \(\d+ times\)$/mu)
    assert.match(stdout, /^k6 {7}Failed to send the time series data to the endpoint: .*connection refused/mu)
  })

  it("doing no work at all fails, by the thresholds that count work", async () => {
    const { address } = await serve({ fail: () => 503 })
    const args = ["load", "smoke", "--target", address, ...seconds, "--report-dir", newFolder()]
    const { code, stdout } = await run(args, { WEBAGENT_API_KEY: key })
    assert.strictEqual(code, 1)
    assert.match(stdout, /^failed: browsers_stopped, checks, http_req_failed, runs_completed · /mu)
    assert.match(stdout, /^failed requests by status: 503 \(\d+\)$/mu)
  })

  it("starts work at its rate when nothing is ever answered", async () => {
    const enough = Promise.withResolvers<void>()
    const { address } = await serve({
      fail: (_, ordinal) => {
        if (ordinal === 10) enough.resolve()
        return null
      }
    })
    const args = ["load", "smoke", "--target", address, ...seconds, "--report-dir", newFolder()]
    const running = start(args, { WEBAGENT_API_KEY: key })
    await enough.promise
    running.signal("SIGINT")
    await running.complains("stopping")
    // its teardown would look for browsers that were cut off, and get no answer either
    running.signal("SIGINT")
    assert.strictEqual((await running.ended).code, 130)
  })
})
