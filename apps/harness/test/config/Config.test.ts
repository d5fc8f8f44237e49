import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Config from "../../src/config/Config.ts"

const wrong = (value: unknown) => Result.getOrElse(Result.flip(Config.decode(value)), () => ["nothing is wrong"])

describe("decode", () => {
  it("accepts every key", () => {
    const config = Config.defineConfig({
      target: "staging",
      targets: { staging: { url: "https://staging.example/api/v4", apiKeyEnv: "STAGING_KEY", allowPaid: true } },
      suites: ["suites/**/*.suite.ts", "v4-runs"],
      trials: 3,
      timeout: "5 minutes",
      maxTime: 60_000,
      maxCost: "5 USD",
      reporters: ["console", ["junit", { file: "junit.xml" }]],
      limits: { "checkout > buys the red mug": { maxDuration: "20s", maxCost: "0.10 USD" } },
      load: { profiles: { nightly: { test: "smoke", rate: 20, thresholds: { time_to_terminal: ["p(95)<3000"] } } } }
    })
    assert.deepStrictEqual(Config.decode(config), Result.succeed(config))
  })

  const mistakes: ReadonlyArray<readonly [value: unknown, line: string]> = [
    [3, "expected an object, got 3"],
    [{ trails: 3 }, 'trails: is not a known field; did you mean "trials"?'],
    [{ trials: 0 }, "trials: expected an integer of 1 or more, got 0"],
    [{ trials: "3" }, 'trials: expected an integer, got "3"'],
    [
      { timeout: 0 },
      'timeout: expected a time such as "30s", "500ms", "5 minutes", or milliseconds as a number, got 0'
    ],
    [
      { timeout: "5 parsecs" },
      'timeout: expected a time such as "30s", "500ms", "5 minutes", or milliseconds as a number, got "5 parsecs"'
    ],
    [
      { target: "stagign", targets: { staging: { url: "https://a.example" } } },
      'target: expected an address, or one of simulated, staging, got "stagign"; did you mean "staging"?'
    ],
    [
      { targets: { staging: { url: "a.example" } } },
      'targets.staging.url: expected an address such as https://your.service, got "a.example"'
    ],
    [
      { targets: { "my staging": { url: "https://a.example", apiKey: "wak_secret" } } },
      'targets["my staging"].apiKey: is not a known field; did you mean "apiKeyEnv"?'
    ],
    [{ suites: [3] }, "suites[0]: expected a text that is not empty, got 3"],
    [
      { reporters: ["junti"] },
      'reporters[0]: expected one of console, github, json, junit, markdown, html, ndjson, or a path such as ./reporter.ts, got "junti"; did you mean "junit"?'
    ],
    [{ reporters: "html" }, 'reporters: expected a list, got "html"'],
    [
      { reporters: [["junti", { file: "a" }]] },
      'reporters[0][0]: expected one of console, github, json, junit, markdown, html, ndjson, or a path such as ./reporter.ts, got "junti"; did you mean "junit"?'
    ],
    [
      { limits: { checkout: { maxCost: "0.5 EUR" } } },
      'limits.checkout.maxCost: expected an amount such as "5 USD" or "0.50 USD", got "0.5 EUR"'
    ],
    [
      { limits: { "buys the red mug": { maxCots: "1 USD" } } },
      'limits["buys the red mug"].maxCots: is not a known field; did you mean "maxCost"?'
    ],
    [{ confirm: 20 }, "confirm is called extraTrials now"],
    [{ nightly: { confirm: 20 } }, "nightly.confirm is called extraTrials now"],
    [
      { load: { profiles: { nightly: { test: "smok" } } } },
      'load.profiles.nightly.test: expected one of smoke, average-load, stress, spike, soak, breakpoint, got "smok"; did you mean "smoke"?'
    ]
  ]
  for (const [value, line] of mistakes) {
    it(`reports one line for ${JSON.stringify(value)}`, () =>
      assert.deepStrictEqual(wrong(value), [line.endsWith("?") ? line : `${line}.`]))
  }

  it("reports one line per mistake", () => {
    assert.deepStrictEqual(wrong({ trails: 3, trials: 0, reporters: ["console", "htlm"] }), [
      'trails: is not a known field; did you mean "trials"?',
      "trials: expected an integer of 1 or more, got 0.",
      'reporters[1]: expected one of console, github, json, junit, markdown, html, ndjson, or a path such as ./reporter.ts, got "htlm"; did you mean "html"?'
    ])
  })
})
