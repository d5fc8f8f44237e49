import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as K6 from "@webagent/load/K6"
import { percent } from "@webagent/cli/Text"
import * as LoadScript from "@webagent/load/LoadScript"
import * as ScriptedK6 from "./ScriptedK6.ts"
import { call, callIn } from "../inProcess.ts"
import { run, start } from "../program.ts"
import { key, reportIn, stage } from "./stage.ts"

const { newFolder, serve } = stage()

// two minutes where it has never been built; the tests' own time begins when it is there
const built = spawnSync(
  process.execPath,
  [fileURLToPath(new URL("../../../../../tools/k6/build.mjs", import.meta.url))],
  {
    encoding: "utf8"
  }
)

describe.skipIf(built.status === 4)("the real k6 (needs Go)", () => {
  const k6 = built.stdout.trim()
  // every start a second takes ten virtual users, each a copy of the script; k6 leaves out what it is late for, so that
  // a round of the mix has to be over long before the end
  const seconds = ["--duration", "3s", "--rate", "5"]

  it("is our build, runs the TypeScript, and passes on the simulated service in another process", async () => {
    assert.strictEqual(built.status, 0, built.stderr)
    const directory = newFolder()
    const { code, stderr, stdout } = await run(["load", "smoke", ...seconds, "--report-dir", directory])
    assert.deepStrictEqual([code, stderr], [0, ""], stdout)
    assert.match(stdout, /^simulated service on 127\.0\.0\.1:\d+ · open model · 5 starts per second for 3s · k6 2\./u)
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

  it("ignores settings of k6 in the working directory", async () => {
    const directory = newFolder()
    mkdirSync(join(directory, ".config", "k6"), { recursive: true })
    writeFileSync(join(directory, ".config", "k6", "config.json"), '{ "noSetup": true }')
    const { address } = await serve()
    const args = ["load", "smoke", "--target", address, "--mix", "status=1", ...seconds, "--report-dir", directory]
    const { code, stderr, stdout } = await callIn(directory, args, { WEBAGENT_API_KEY: key })
    assert.deepStrictEqual([code, stderr], [0, ""], stdout)
  })

  it("makes one load with two processes, with percentiles over all points", async () => {
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

  it("decodes the requested share with two processes", async () => {
    const directory = newFolder()
    const load = ["--duration", "1s", "--vus", "10", "--segments", "2", "--mix", "status=1", "--sample", "0.2"]
    const { address } = await serve()
    const args = ["load", "smoke", "--target", address, ...load, "--report-dir", directory]
    const { code, stderr, stdout } = await call(args, { WEBAGENT_API_KEY: key })
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
    const { code, stderr, stdout } = await call([...load, "--target", address, "--report-dir", directory], {
      WEBAGENT_API_KEY: key
    })
    assert.deepStrictEqual([code, stderr], [1, ""], stdout)
    assert.match(stdout, /^failed: .*http_req_failed/mu)
    // half of the requests fail from the first one, which is sent before the load: a slow machine ends the test with it
    assert.match(
      stdout,
      /^carries (?:about \d+ starts .+; beyond that, |none of the load: )http_req_failed rate is .+$/mu
    )
    // to the end it would be nine hundred
    assert.isBelow(reportIn(directory, "breakpoint").metrics["iterations"]?.values["count"] ?? 0, 450)
  })

  it.effect("is recognized as our build, and gets the TypeScript file unchanged", () =>
    Effect.gen(function* () {
      const found = yield* K6.find(k6, () => Effect.void)
      assert.deepInclude(found, { path: k6, readsTypeScript: true })
      assert.match(yield* LoadScript.resolve(found), /\/packages\/harness\/load\/k6\/load\.ts$/u)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it("runs the bundle without our extension", async () => {
    const { path } = ScriptedK6.write(
      newFolder(),
      `const { spawnSync } = await import("node:child_process")
      process.exitCode = spawnSync(${JSON.stringify(k6)}, args, { stdio: "inherit", env: { ...process.env, XK6_TS: "false" } }).status`,
      false
    )
    const { address } = await serve()
    // each answer is held against the contract
    const args = ["load", "smoke", "--target", address, ...seconds, "--sample", "1", "--report-dir", newFolder()]
    const { code, stderr, stdout } = await call(args, { WEBAGENT_API_KEY: key, WEBAGENT_K6: path })
    assert.deepStrictEqual([code, stderr], [0, ""], stdout)
    assert.include(stdout, " · k6 9.8.7\n")
  })

  it("names http_req_failed when a service fails 5 % of the requests", async () => {
    const { address, seen } = await serve({ fail: (_, ordinal) => (ordinal % 20 === 0 ? 500 : undefined) })
    const directory = newFolder()
    const args = ["load", "smoke", "--target", address, "--duration", "3s", "--rate", "20", "--report-dir", directory]
    const { code, stdout } = await call(args, { WEBAGENT_API_KEY: key })
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
    const { code, stdout } = await call([...args, "--out", "prometheus=http://127.0.0.1:9/api/v1/write"], {
      WEBAGENT_API_KEY: key
    })
    assert.strictEqual(code, 1)
    assert.match(stdout, /^k6 {7}TypeError: .* \(\S*load\/k6\/flows\/v2-sessions\.ts:\d+\) \(\d+ times\)$/mu)
    assert.match(stdout, /^k6 {7}Failed to send the time series data to the endpoint: .*connection refused/mu)
  })

  it("fails without any work, because of the thresholds that count work", async () => {
    const { address } = await serve({ fail: () => 503 })
    const args = ["load", "smoke", "--target", address, ...seconds, "--report-dir", newFolder()]
    const { code, stdout } = await call(args, { WEBAGENT_API_KEY: key })
    assert.strictEqual(code, 1)
    assert.match(stdout, /^failed: browsers_stopped, checks, http_req_failed, runs_completed · /mu)
    assert.match(stdout, /^failed requests by status: 503 \(\d+\)$/mu)
  })

  it("starts work at its rate even if no request gets a response", async () => {
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
