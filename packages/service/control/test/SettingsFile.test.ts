import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import { type FaultPlan, presets, type Profile, SettingsFile } from "../src/index.ts"

const length = "a length of time such as 200ms, 45 seconds or 30m"
const distribution = `${length}, or an object with uniform, lognormal or pareto`
const rules = (...faults: ReadonlyArray<unknown>) => ({ faults })
const fault = (fault: unknown, when?: unknown) => rules({ fault, ...(when === undefined ? {} : { when }) })
const kinds =
  "one of refuse-connections, reset, hang, slow-headers, slow-body, cut-body, malformed-json, wrong-content-type, " +
  "html-error, status, duplicate-delivery, stale-read, clock-skew, redirect"

/** Files that are wrong, and every line of what is said about each. */
const wrong: ReadonlyArray<readonly [file: unknown, ...lines: ReadonlyArray<string>]> = [
  [[], "expected an object, got []"],
  [null, "expected an object, got null"],
  ["realistic", 'expected an object, got "realistic"'],
  [{ durtion: "5ms" }, 'durtion: is not a known field; did you mean "duration"?'],
  [
    { limits: { colour: 1 } },
    "limits.colour: is not a known field; use one of concurrentRuns, concurrentBrowsers, requestsPerSecond, burst, retryAfter"
  ],
  [
    { extends: "flakey" },
    'extends: expected one of instant, realistic, flaky, hostile, overloaded, got "flakey"; did you mean "flaky"?'
  ],
  [{ name: "" }, 'name: expected a text with a length of at least 1, got ""'],
  [{ name: 5 }, "name: expected a text, got 5"],
  [{ duration: 5 }, `duration: expected ${distribution}, got 5`],
  [{ duration: "5" }, `duration: expected ${length}, got "5"`],
  [{ duration: {} }, `duration: expected ${distribution}, got {}`],
  [{ duration: { lognrmal: {} } }, 'duration.lognrmal: is not a known field; did you mean "lognormal"?'],
  [
    { duration: { lognormal: { median: "a while", x: 1 } } },
    "duration.lognormal.x: is not a known field; use one of median, sigma, max",
    `duration.lognormal.median: expected ${length}, got "a while"`,
    "duration.lognormal.sigma: is missing, expected a number"
  ],
  [{ duration: { uniform: { min: "5s", max: "1s" } } }, "duration.uniform.min: is longer than max"],
  [
    { latency: { pareto: { min: "5s", alpha: 0, max: "9s" } } },
    "latency.pareto.alpha: expected a number greater than 0, got 0"
  ],
  [{ outcomes: { completed: -1 } }, "outcomes.completed: expected a number greater than or equal to 0, got -1"],
  [{ outcomes: { completed: 0, failed: 0 } }, "outcomes: needs one weight that is more than 0"],
  [{ results: [] }, "results: needs at least one entry"],
  [{ errors: ["no door", 7] }, "errors[1]: expected a text, got 7"],
  [
    { cost: { start: "a lot", perMinute: "-1" } },
    'cost.start: expected a decimal number string, got "a lot"',
    'cost.perMinute: expected a price in USD that is not negative, got "-1"'
  ],
  [{ selfReport: { failed: 1.5 } }, "selfReport.failed: expected a number between 0 and 1, got 1.5"],
  [{ judge: {} }, "judge.enabled: is missing, expected a number"],
  [{ proxy: { rate: 1, mb: { min: 3, max: 1 } } }, "proxy.mb.min: is more than max"],
  [
    { limits: { requestsPerSecond: 0 } },
    "limits.requestsPerSecond: expected a number greater than or equal to 0.001, got 0"
  ],
  [{ limits: { burst: 3 } }, "limits.burst: says nothing without requestsPerSecond"],
  [{ limits: { concurrentRuns: 0.5 } }, "limits.concurrentRuns: expected an integer, got 0.5"],
  [
    { limits: { retryAfter: "second" } },
    'limits.retryAfter: expected one of seconds, date, either, none, got "second"; did you mean "seconds"?'
  ],
  [{ faults: {} }, "faults: expected a list, got {}"],
  [rules({}), "faults[0].fault: is missing, expected an object with kind"],
  [fault({}), `faults[0].fault.kind: is missing, expected ${kinds}`],
  [fault("reset"), 'faults[0].fault: expected an object with kind, got "reset"'],
  [fault({ kind: "resett" }), `faults[0].fault.kind: expected ${kinds}, got "resett"; did you mean "reset"?`],
  [fault({ kind: "slow-body" }), `faults[0].fault.for: is missing, expected ${length}`],
  [fault({ kind: "reset", for: "5s" }), "faults[0].fault.for: is not a known field; use one of kind, placement"],
  [fault({ kind: "status", status: 200 }), "faults[0].fault.status: expected a number between 400 and 599, got 200"],
  [fault({ kind: "cut-body", share: 1 }), "faults[0].fault.share: expected a share from 0 to less than 1, got 1"],
  [
    fault({ kind: "wrong-content-type", contentType: "a\nb" }),
    'faults[0].fault.contentType: expected a text of printable ASCII characters, got "a\\nb"'
  ],
  [
    fault({ kind: "redirect", to: "elsewhere" }),
    'faults[0].fault.to: expected an address that begins with http:// or https://, got "elsewhere"'
  ],
  [fault({ kind: "reset" }, { rate: 2 }), "faults[0].when.rate: expected a number between 0 and 1, got 2"],
  [
    fault({ kind: "reset" }, { nth: [0] }),
    "faults[0].when.nth[0]: expected a number greater than or equal to 1, got 0"
  ],
  [fault({ kind: "reset" }, { from: "5s", until: "5s" }), "faults[0].when.until: is not after from"],
  [
    { duration: "soon", outcomes: {}, ...rules({ fault: { kind: "reset" } }, { fault: { kind: "hang" }, wen: {} }) },
    `duration: expected ${length}, got "soon"`,
    "outcomes: needs one weight that is more than 0",
    'faults[1].wen: is not a known field; did you mean "when"?'
  ]
]

describe("SettingsFile", () => {
  for (const [file, ...lines] of wrong) {
    it(`reports ${lines.length === 1 ? "one line" : `${lines.length} lines`} for ${JSON.stringify(file).slice(0, 90)}`, () => {
      const result = SettingsFile.profileFromUnknown(file)
      assert.deepStrictEqual(Result.isFailure(result) ? result.failure.lines : [], lines)
    })
  }

  it("reads a file with its time spans", () => {
    assert.deepStrictEqual(
      SettingsFile.profileFromJson(
        '{"$schema": "profile.json", "duration": "2s", "letGo": {"uniform": {"min": "0ms", "max": "1s"}}}'
      ),
      Result.succeed({
        duration: Duration.seconds(2),
        letGo: { uniform: { min: Duration.millis(0), max: Duration.seconds(1) } }
      })
    )
  })

  it("fills missing fields from a preset, field by field", () => {
    const { faults: _, ...flaky } = presets.flaky
    assert.deepStrictEqual(
      SettingsFile.profileFromUnknown({ extends: "flaky", name: "mine", faults: [], browser: { start: "1s" } }),
      Result.succeed({ ...flaky, name: "mine", faults: [], browser: { start: Duration.seconds(1) } })
    )
  })

  it("shows where a text isn't JSON", () => {
    const result = SettingsFile.profileFromJson('{\n "duration": "5s",\n}')
    assert.match(Result.isFailure(result) ? result.failure.message : "", /^is not JSON: .*line 3/u)
  })

  it("reads a fault plan, and reports its mistakes", () => {
    assert.deepStrictEqual(
      SettingsFile.faultPlanFromJson('[{"fault": {"kind": "hang", "for": "1s"}, "when": {"nth": [2]}}]'),
      Result.succeed([{ fault: { kind: "hang", for: Duration.seconds(1) }, when: { nth: [2] } }])
    )
    const result = SettingsFile.faultPlanFromUnknown([
      { fault: { kind: "hang", for: "1s" } },
      { fault: { kind: "hung" } }
    ])
    assert.deepStrictEqual(Result.isFailure(result) ? result.failure.lines : [], [
      `[1].fault.kind: expected ${kinds}, got "hung"; did you mean "hang"?`
    ])
  })

  it("reports the same mistakes for untyped values as for files, and accepts a Duration as a time", () => {
    const wrongProfile: Profile = JSON.parse(
      '{ "duration": "5s", "outcomes": { "complete": 1 }, "faults": [{ "fault": { "kind": "resett" } }] }'
    )
    const profile = SettingsFile.checkedProfile(wrongProfile)
    assert.deepStrictEqual(Result.isFailure(profile) ? profile.failure.lines : [], [
      'duration: expected a Duration such as Duration.seconds(45), got "5s"',
      'outcomes.complete: is not a known field; did you mean "completed"?',
      `faults[0].fault.kind: expected ${kinds}, got "resett"; did you mean "reset"?`
    ])
    const wrongPlan: FaultPlan = JSON.parse('[{ "fault": { "kind": "hang", "for": "1s" } }, { "kind": "reset" }]')
    const plan = SettingsFile.checkedFaultPlan(wrongPlan)
    assert.deepStrictEqual(Result.isFailure(plan) ? plan.failure.lines : [], [
      '[0].fault.for: expected a Duration such as Duration.seconds(45), got "1s"',
      "[1].kind: is not a known field; use one of name, fault, when",
      "[1].fault: is missing, expected an object with kind"
    ])
  })

  it("keeps valid values unchanged", () => {
    for (const preset of Object.values(presets)) {
      assert.deepStrictEqual(SettingsFile.checkedProfile(preset), Result.succeed(preset))
      assert.deepStrictEqual(
        SettingsFile.checkedFaultPlan("faults" in preset ? preset.faults : []),
        Result.succeed("faults" in preset ? preset.faults : [])
      )
    }
  })

  it("finds a preset by its name, or lists the presets", () => {
    assert.deepStrictEqual(SettingsFile.preset("hostile"), Result.succeed(presets.hostile))
    for (const [name, help] of [
      ["hostyle", "Did you mean hostile?"],
      ["nice", "Use one of instant, realistic, flaky, hostile, overloaded."],
      ["toString", "Use one of instant, realistic, flaky, hostile, overloaded."]
    ] as const) {
      const result = SettingsFile.preset(name)
      assert.deepStrictEqual(Result.isFailure(result) ? result.failure.lines : [], [
        `Unknown preset "${name}". ${help}`
      ])
    }
  })
})
