import { assert, describe, it } from "@effect/vitest"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as ScriptedK6 from "./ScriptedK6.ts"
import { call } from "../inProcess.ts"
import { run } from "../program.ts"
import { key, reportIn, passed, stage } from "./stage.ts"

const { folder, newFolder, serve } = stage()

describe.concurrent("mistakes", () => {
  const nowhere = { PATH: folder }
  const simulated = ["load", "smoke"]
  const wrongLimits = join(newFolder(), "limits.json")
  const unknownMetric = join(newFolder(), "limits.json")
  writeFileSync(unknownMetric, JSON.stringify({ time_to_terminl: ["p(95)<3000"] }))
  writeFileSync(wrongLimits, JSON.stringify({ http_req_duration: ["p95 below 3"] }))
  const configured = join(newFolder(), "webagent.config.mjs")
  const limits = { thresholds: { time_to_terminl: ["p(95)<3000"] } }
  writeFileSync(configured, `export default ${JSON.stringify({ load: limits })}\n`)
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
      "an unknown load test without a similar name",
      2,
      /^No load test named "toString"\. Load tests: smoke, average-load, stress, spike, soak, breakpoint\. See: npm run harness -- load --help\n$/u,
      ["load", "toString"]
    ],
    [
      "another machine, before the key is required",
      2,
      /^https:\/\/api\.example\.com is on another machine\. The load would send up to 1,219 requests and create up to 35 runs and 18 browsers\. To send it anyway, add --allow-remote\.\n$/u,
      ["load", "smoke", "--target", "https://api.example.com", "--rate", "7", "--duration", "2s"]
    ],
    [
      "an intended but unreachable machine",
      3,
      /^Nothing answers at http:\/\/service\.invalid \(.+\)\. Is the service running\?\n$/u,
      ["load", "smoke", "--target", "http://service.invalid", "--allow-remote"],
      { WEBAGENT_API_KEY: key }
    ],
    [
      "a configured limit on an unknown metric",
      2,
      /^thresholds: unknown metric "time_to_terminl"\. Did you mean time_to_terminal\?\n$/u,
      [...simulated, "--config", configured]
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
      "no service at B, before k6 is searched",
      3,
      /^Nothing answers at http:\/\/127\.0\.0\.1:9 \(connection refused\)\. .+ serve --port 9\n$/u,
      ["load", "compare", "simulated", "http://127.0.0.1:9"],
      { WEBAGENT_API_KEY: key, WEBAGENT_K6: "/nowhere/k6" }
    ],
    [
      "no service at A, before k6 is searched",
      3,
      /^Nothing answers at http:\/\/127\.0\.0\.1:9 \(connection refused\)\. .+ serve --port 9\n$/u,
      ["load", "compare", "http://127.0.0.1:9", "simulated", "--test", "smoke"],
      { WEBAGENT_API_KEY: key, WEBAGENT_K6: "/nowhere/k6" }
    ],
    [
      "no address",
      2,
      /^--target takes "simulated" or a web address/u,
      ["load", "smoke", "--target", "simulatd"],
      { WEBAGENT_API_KEY: key }
    ],
    [
      "a missing k6",
      2,
      /^\/nowhere\/k6 is not k6\. Set WEBAGENT_K6 to the path of a k6, or unset it\.\n$/u,
      simulated,
      { WEBAGENT_K6: "/nowhere/k6" }
    ],
    ["a program that is not k6", 2, /^.+ is not k6\. Set WEBAGENT_K6 /u, simulated, { WEBAGENT_K6: process.execPath }],
    [
      "neither Go nor k6",
      4,
      /^No k6: WEBAGENT_K6 is not set, and ours cannot be built\. There is no Go on the PATH\. k6 needs Go 1\.\d+\.\d+ or later to be built: get it from https:\/\/go\.dev\/dl, or from your package manager\. Without Go, run "npm install --global @webagent\/k6"\.\n$/u,
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
      "an invalid limit",
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
      "a missing file of limits",
      2,
      /^Cannot read the thresholds: \/nowhere\.json does not exist\.\n$/u,
      ["load", "smoke", "--thresholds", "/nowhere.json"]
    ],
    [
      "a record without a place, before the load",
      2,
      /^Cannot write the baseline: \/nowhere does not exist\.\n$/u,
      ["load", "smoke", "--baseline", "/nowhere/history.ndjson", "--record"]
    ],
    [
      "an unknown output",
      2,
      /^Invalid value for flag --out: "influx=http:\/\/127\.0\.0\.1:9"\. Expected: prometheus=URL or otlp=URL\. See: /u,
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
      "an unknown flow",
      2,
      /^--mix must list weights from 0 to 999 for runs, .*, such as runs=3,browsers=1; got "walks=1"\.\n$/u,
      ["load", "smoke", "--mix", "walks=1"]
    ],
    [
      "a duration that is too short",
      2,
      /^Invalid value for flag --duration: "999ms"\. Expected: a time from 1s to 365d, such as 30s or 5m\. See: /u,
      ["load", "smoke", "--duration", "999ms"]
    ],
    [
      "a duration that is too long",
      2,
      /^Invalid value for flag --duration: "9999999h"\. Expected: a time from 1s to 365d, such as 30s or 5m\. See: /u,
      ["load", "smoke", "--duration", "9999999h"]
    ],
    [
      "an infinite wait",
      2,
      /^Invalid value for flag --run-timeout: "8784h"\. Expected: a time from 100ms to 365d, such as 30s or 5m\. See: /u,
      ["load", "smoke", "--vus", "1", "--run-timeout", "8784h"]
    ],
    [
      "more than a machine can handle",
      2,
      /^The load needs 10,000,001 virtual users, about 7,000 GB; this machine has \S+ GB\. Lower --rate or --run-timeout, or use several machines with load render\.\n$/u,
      ["load", "smoke", "--rate", "1000000"]
    ],
    [
      "more processes than cores",
      2,
      /^--segments must be \d+ or less on this machine \(4 per core\); got 10000\. Use several machines with load render\.\n$/u,
      ["load", "smoke", "--segments", "10000"],
      // none starts, also without a refusal
      { WEBAGENT_K6: "/nowhere/k6" }
    ],
    [
      "--ab, which is a command now",
      2,
      /^--ab is a command now: npm run harness -- load compare URL_A URL_B --test TEST\. See: .* load --help\n$/u,
      ["load", "smoke", "--ab", "simulated", "simulated"]
    ],
    [
      "--ab without a test",
      2,
      /^--ab is a command now: npm run harness -- load compare URL_A URL_B --test TEST\. See: .* load --help\n$/u,
      ["load", "--ab", "simulated", "simulated", "--pairs", "3"]
    ],
    [
      "--render, which is a command now",
      2,
      /^--render is a command now: npm run harness -- load render TEST FOLDER --target URL\. See: .* load --help\n$/u,
      ["load", "smoke", "--render", "k6-operator", "--target", "http://a.example", "--out", "load"]
    ],
    [
      "a rate together with users",
      2,
      /^--rate and --vus cannot be combined: with --vus the rate follows from response times\. Remove one\.\n$/u,
      ["load", "smoke", "--rate", "5", "--vus", "5"]
    ],
    [
      "a profile for an external service",
      2,
      /^--profile applies only to the simulated service\. Remove --profile or use the simulated service\.\n$/u,
      ["load", "smoke", "--target", "http://127.0.0.1:9", "--profile", "flaky"]
    ],
    [
      "a record without a baseline",
      2,
      /^--record needs --baseline FILE, the earlier runs\.\n$/u,
      ["load", "smoke", "--record"]
    ],
    [
      "a tolerance without a baseline",
      2,
      /^--tolerance needs --baseline FILE, the earlier runs\.\n$/u,
      ["load", "smoke", "--tolerance", "0.05"]
    ],
    [
      "an output twice",
      2,
      /^Invalid value for flag --out: .*Expected: each output once\. See: /u,
      ["load", "smoke", "--out", "otlp=http://127.0.0.1:9", "--out", "otlp=http://127.0.0.1:8"]
    ],
    [
      "a second address",
      2,
      /"http:\/\/127\.0\.0\.1:9".* See: .* load --help\n$/u,
      ["load", "smoke", "http://127.0.0.1:9"]
    ],
    [
      "a tolerance in percent",
      2,
      /^Invalid value for flag --tolerance: "5"\. Expected: a share from 0 to 1, such as 0\.05 for 5 %\. See: /u,
      ["load", "smoke", "--tolerance", "5"]
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

  it("sends no requests to a service that is not simulated without a flag", async () => {
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
