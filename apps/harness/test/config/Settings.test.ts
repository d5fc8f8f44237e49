import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import type { Config } from "../../src/config/Config.ts"
import * as Settings from "../../src/config/Settings.ts"

interface Case {
  readonly command?: Settings.CommandName
  readonly typed?: string
  readonly named?: ReadonlyArray<string>
  readonly config?: Config
  readonly file?: string
  readonly env?: Readonly<Record<string, string>>
}

const settled = ({
  command = "run",
  config = {},
  env = {},
  file = "webagent.config.ts",
  named = [],
  typed = ""
}: Case) =>
  Settings.settle(command, typed === "" ? [] : typed.split(" "), { named, project: { file, config } }).pipe(
    Effect.map((words) => words.join(" ")),
    Effect.catchTag("UserError", ({ message }) => Effect.succeed(message)),
    Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(env))),
    Effect.runPromise
  )

const targets = { staging: { url: "https://a.example", apiKeyEnv: "STAGING_KEY", control: "http://127.0.0.1:1" } }

describe("settle", () => {
  const cases: ReadonlyArray<readonly [what: string, given: Case, words: string]> = [
    ["adds nothing without a configuration", { typed: "--trials 2" }, "--trials 2"],
    ["adds the flags of the configuration", { config: { trials: 3, record: true } }, "--trials 3 --record"],
    ["adds the unit to a time in milliseconds", { config: { timeout: 30_000 } }, "--timeout 30000ms"],
    ["omits false values", { config: { record: false } }, ""],
    ["prefers a typed flag to the configuration", { typed: "--trials=2", config: { trials: 3 } }, "--trials=2"],
    [
      "prefers a typed --no- flag as well",
      { typed: "--no-allow-paid", config: { allowPaid: true } },
      "--no-allow-paid"
    ],
    [
      "prefers the environment to the configuration",
      { config: { trials: 3, seed: 5 }, env: { WEBAGENT_HARNESS_TRIALS: "4", WEBAGENT_HARNESS_RECORD: "true" } },
      "--trials 4 --seed 5 --record"
    ],
    [
      "lets the environment undo a configured value",
      { config: { record: true }, env: { WEBAGENT_HARNESS_RECORD: "false" } },
      ""
    ],
    [
      "reports an invalid variable in one line",
      { env: { WEBAGENT_HARNESS_TRIALS: "three" } },
      'WEBAGENT_HARNESS_TRIALS: expected an integer, got "three".'
    ],
    [
      "reports a variable with an old name in one line",
      { env: { WEBAGENT_HARNESS_CONFIRM: "3" } },
      "WEBAGENT_HARNESS_CONFIRM is called WEBAGENT_HARNESS_EXTRA_TRIALS now. Rename the variable."
    ],
    [
      "accepts an old variable next to the new one",
      { env: { WEBAGENT_HARNESS_CONFIRM: "3", WEBAGENT_HARNESS_EXTRA_TRIALS: "4" } },
      "--extra-trials 4"
    ],
    [
      "adds suites if none is named",
      { config: { suites: ["a/*.suite.ts", "v4-runs"] } },
      "--suite a/*.suite.ts --suite v4-runs"
    ],
    [
      "adds no suites if one is named",
      { typed: "b.suite.ts", named: ["b.suite.ts"], config: { suites: "a.suite.ts" } },
      "b.suite.ts"
    ],
    ["does not record a partial run", { typed: "--name mug", config: { record: true } }, "--name mug"],
    ["--debug runs one at a time", { typed: "--debug", config: { concurrency: 4 } }, "--debug"],
    [
      "joins reporters with commas",
      { config: { reporters: ["console", ["junit", { file: "a.xml" }]] } },
      "--reporter console,junit"
    ],
    [
      "replaces a named target with its address and settings",
      { typed: "--target staging --trials 2", config: { targets } },
      "--target https://a.example --trials 2 --api-key-env STAGING_KEY --control http://127.0.0.1:1"
    ],
    [
      "does the same for a configured target, and prefers its own key variable",
      { config: { target: "staging", targets, apiKeyEnv: "OTHER_KEY" } },
      "--target https://a.example --api-key-env STAGING_KEY --control http://127.0.0.1:1"
    ],
    [
      "always accepts simulated as a target",
      { typed: "--target simulated", config: { target: "staging", targets } },
      "--target simulated"
    ],
    [
      "reports an unknown target in one line",
      { typed: "--target stagign", config: { targets } },
      'webagent.config.ts has no target "stagign". Did you mean staging?'
    ],
    [
      "lists the targets for one without a similar name, even with a dot",
      { typed: "--target eu.shop", config: { targets } },
      'webagent.config.ts has no target "eu.shop". Use one of simulated, staging, or a web address such as https://host.'
    ],
    [
      "gives a command only its own flags",
      { command: "compare", config: { trials: 3, history: "nights.ndjson" } },
      "--history nights.ndjson"
    ],
    [
      "resolves paths relative to the configuration",
      { file: "ci/webagent.config.ts", config: { history: "nights.ndjson" } },
      "--history ci/nights.ndjson"
    ],
    [
      "replaces a load profile with its load test and flags",
      {
        command: "load",
        typed: "nightly --rate 5",
        named: ["nightly"],
        config: {
          load: { runTimeout: "10s", rate: 50, profiles: { nightly: { test: "smoke", duration: "5s", rate: 20 } } }
        }
      },
      "smoke --rate 5 --duration 5s --run-timeout 10s"
    ],
    [
      "gives load compare the load settings that it has flags for",
      {
        command: "load compare",
        typed: "http://a http://b --test=nightly",
        named: ["nightly"],
        config: {
          target: "http://c",
          load: { segments: 2, baseline: "x", mix: "runs=1", profiles: { nightly: { test: "smoke", rate: 20 } } }
        }
      },
      "http://a http://b --test=smoke --rate 20 --mix runs=1"
    ],
    [
      "applies load settings to custom load tests",
      { command: "load", typed: "smoke", named: ["smoke"], config: { load: { rate: 5 } } },
      "smoke --rate 5"
    ],
    [
      "--vus takes the place of a rate",
      { command: "load", typed: "smoke --vus 2", named: ["smoke"], config: { load: { rate: 5 } } },
      "smoke --vus 2"
    ]
  ]
  for (const [what, given, words] of cases) {
    it(`${what}`, async () => assert.strictEqual(await settled(given), words))
  }
})
