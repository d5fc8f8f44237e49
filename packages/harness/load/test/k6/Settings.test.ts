import { assert, describe, it } from "@effect/vitest"
import { toMillis } from "../../k6/Duration.ts"
import * as Settings from "../../k6/Settings.ts"
import { type LoadTestName, loadTests } from "../../src/LoadTest.ts"

const required = { WEBAGENT_BASE_URL: "http://127.0.0.1:8080/api/v4/", WEBAGENT_API_KEY: "wak_test" }
const from = (environment: Readonly<Record<string, string>>, test: LoadTestName = "smoke") =>
  Settings.from(
    { ...required, WEBAGENT_LOAD_TEST: test, ...environment },
    { ...loadTests, [test]: { ...loadTests[test], rate: 5, duration_ms: 5000, mix: "runs=1,browsers=1" } }
  )

describe("Settings", () => {
  it("has defaults for everything except the service and its key", () => {
    const settings = from({ WEBAGENT_LOAD_RATE: "" })
    assert.deepInclude(settings, {
      address: "http://127.0.0.1:8080",
      apiKey: "wak_test",
      apiKeyHeader: "X-Service-API-Key",
      rate: 5,
      duration_ms: 5000,
      vus: undefined,
      sample: 0.01,
      runTimeout_ms: 30_000,
      summary: undefined
    })
  })

  for (const [name, value, sentence] of [
    ["WEBAGENT_BASE_URL", "", /^Set WEBAGENT_BASE_URL\. It has no default\.$/u],
    ["WEBAGENT_API_KEY", "", /^Set WEBAGENT_API_KEY/u],
    ["WEBAGENT_LOAD_TEST", "smok", /^WEBAGENT_LOAD_TEST must be smoke, average-load, .*; got "smok"\.$/u],
    [
      "WEBAGENT_LOAD_RATE",
      "0",
      /^WEBAGENT_LOAD_RATE must be a number of starts per second, one a minute .*; got "0"\.$/u
    ],
    ["WEBAGENT_LOAD_RATE", "fast", /got "fast"/u],
    ["WEBAGENT_LOAD_VUS", "1.5", /^WEBAGENT_LOAD_VUS must be a whole number of users, 1 or more; got "1\.5"\.$/u],
    [
      "WEBAGENT_LOAD_DURATION",
      "5",
      /^WEBAGENT_LOAD_DURATION must be a time of 1s or more, such as 30s or 5m; got "5"\.$/u
    ],
    ["WEBAGENT_LOAD_SAMPLE", "2", /^WEBAGENT_LOAD_SAMPLE must be a share from 0 to 1; got "2"\.$/u],
    [
      "WEBAGENT_LOAD_THRESHOLDS",
      "{",
      /^WEBAGENT_LOAD_THRESHOLDS must be a JSON object from metrics to lists of limits/u
    ],
    ["WEBAGENT_LOAD_THRESHOLDS", '{"checks":"rate>0.9"}', /^WEBAGENT_LOAD_THRESHOLDS must be a JSON object/u],
    ["WEBAGENT_LOAD_THRESHOLDS", "[]", /^WEBAGENT_LOAD_THRESHOLDS must be a JSON object/u]
  ] as const) {
    it(`refuses ${name}=${value} in one sentence`, () => {
      assert.throws(() => from({ [name]: value }), sentence)
    })
  }

  it("reads times as k6 writes them", () => {
    assert.deepStrictEqual(["1m30s", "500ms", "1.5h", "60000ms", "", "5", "5 s", "s"].map(toMillis), [
      90_000,
      500,
      5_400_000,
      60_000,
      undefined,
      undefined,
      undefined,
      undefined
    ])
  })

  it("has thresholds for the flows of the mix, and for dropped starts if there is a rate", () => {
    const names = (environment: Readonly<Record<string, string>>) =>
      Object.keys(from(environment).thresholds).toSorted()
    const always = ["checks", "contract_violations", "http_req_failed", "iterations", "iterations_failed"]
    assert.deepStrictEqual(
      names({}),
      [...always, "browsers_leaked", "browsers_stopped", "dropped_iterations", "runs_completed", "runs_lost"].toSorted()
    )
    assert.deepStrictEqual(names({ WEBAGENT_LOAD_MIX: "status=1", WEBAGENT_LOAD_VUS: "2" }), always)
  })

  it("replaces its thresholds by the given ones, and removes them with an empty list", () => {
    const { thresholds } = from({
      WEBAGENT_LOAD_THRESHOLDS: '{"checks":["rate>0.5"],"runs_lost":[],"time_to_terminal":["p(95)<500","max<900"]}'
    })
    const limits = (name: string) => thresholds[name]?.map(({ threshold }) => threshold)
    assert.deepStrictEqual(
      [limits("checks"), limits("runs_lost"), limits("time_to_terminal"), limits("browsers_leaked")],
      [["rate>0.5"], undefined, ["p(95)<500", "max<900"], ["count==0"]]
    )
  })

  it("ends a breakpoint test at the first limit that can be judged during the test", () => {
    const { thresholds } = from({ WEBAGENT_LOAD_THRESHOLDS: '{"time_to_terminal":["p(95)<500"]}' }, "breakpoint")
    const aborting = Object.keys(thresholds).filter((name) => thresholds[name]?.some(({ abortOnFail }) => abortOnFail))
    assert.deepStrictEqual(aborting.toSorted(), [
      "checks",
      "contract_violations",
      "dropped_iterations",
      "http_req_duration",
      "http_req_failed",
      "iterations_failed",
      "time_to_terminal"
    ])
    assert.isUndefined(from({}).thresholds["http_req_duration"])
    assert.isFalse(Object.values(from({}).thresholds).some(([limit]) => limit?.abortOnFail))
  })
})
