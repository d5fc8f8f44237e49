import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as K6 from "@webagent/load/K6"
import * as Effect from "effect/Effect"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import type { IncomingMessage } from "node:http"
import { join } from "node:path"
import * as ScriptedK6 from "./ScriptedK6.ts"
import { call } from "../inProcess.ts"
import { key, reportIn, passed, stage } from "./stage.ts"

const { newFolder, serve, called, scripted } = stage()

// programs start by the dozen, on a machine that may be busy
describe.concurrent("k6", () => {
  it("passes k6 the address, the key, and only the network settings of the environment", async () => {
    const args = ["--rate", "3", "--duration", "1250ms"]
    const { address, directory, k6, started } = await scripted(`sumUp(${JSON.stringify(passed)})`, args)
    const { code, stderr, stdout } = await started.ended
    assert.deepStrictEqual([code, stderr], [0, ""])
    const [call] = k6.calls()
    assert.deepStrictEqual(call?.args.slice(0, 2), ["run", "--quiet"])
    assert.match(call?.args[2] ?? "", /\/k6\/load\.ts$/u)
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

  it("passes the load's settings and additional outputs to k6, with their addresses", async () => {
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

  it("names a crossed threshold, and exits with 1", async () => {
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
      "a script that can't be loaded",
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
    it(`${what}: one sentence, the output of k6, and exit code 1`, async () => {
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

  it("leaves no files of an earlier report next to its own", async () => {
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

  it("prints its result even if the report cannot be written", async () => {
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
    ["finishes by itself", `server.close(); setTimeout(() => { sumUp(passed); process.exit(0) }, 500)`]
  ] as const)
    it(`stops the other process, which ${how}, if a threshold ends one of two, and the threshold stays crossed`, async () => {
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
    it(`stops the other processes immediately and names a process that fails ${when}`, async () => {
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

  it("asks k6 to stop on Ctrl-C, and reports its measurements and leftovers", async () => {
    const sums = ScriptedK6.summary({ checks: true }, { browsers_leaked: 1, runs_lost: 2 })
    const { metrics } = sums
    const summary = {
      ...sums,
      metrics: { ...metrics, runs_lost: { ...metrics["runs_lost"], thresholds: { "count==0": { ok: false } } } }
    }
    const { address, directory, started } = await endless(`sumUp(${JSON.stringify(summary)}); process.exit(105)`)
    started.signal("SIGINT")
    const { code, stderr, stdout } = await started.ended
    assert.strictEqual(code, 130)
    assert.strictEqual(stderr, "\nstopping; Ctrl-C again ends at once\n")
    assert.match(stdout, /^stopped · /mu)
    assert.include(stdout, `\nleft     1 browser and 2 runs at ${address} may still be open and cost money\nreport   `)
    assert.strictEqual(reportIn(directory).verdict, "stopped")
    // Ctrl-C cut them off, so the service has not lost them
    assert.notMatch(stdout, /runs_lost/u)
    assert.deepStrictEqual(
      reportIn(directory).thresholds.map(({ name }) => name),
      ["checks"]
    )
    assert.include(readFileSync(join(directory, "load-smoke.junit.xml"), "utf8"), ' errors="1" ')
  })

  it("stops immediately on a second Ctrl-C, together with k6", async () => {
    const { socket, started } = await endless("")
    const closed = new Promise((resolve) => socket.once("close", resolve))
    started.signal("SIGINT")
    await started.complains("stopping")
    started.signal("SIGINT")
    assert.strictEqual((await started.ended).code, 130)
    await closed
  })

  it.effect("prefers the k6 of the package @webagent/k6 in the user's project to Go", () =>
    Effect.gen(function* () {
      const folder = newFolder()
      const { path } = ScriptedK6.write(folder, "")
      const home = join(folder, "node_modules", "@webagent", "k6")
      mkdirSync(home, { recursive: true })
      writeFileSync(
        join(home, "package.json"),
        '{ "name": "@webagent/k6", "type": "module", "exports": "./index.mjs" }'
      )
      writeFileSync(join(home, "index.mjs"), `export const path = () => ${JSON.stringify(path)}\n`)
      const found = yield* K6.find(undefined, () => Effect.die("Go was started"), folder)
      assert.deepStrictEqual(found, { path, version: "9.8.7", readsTypeScript: true })
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
