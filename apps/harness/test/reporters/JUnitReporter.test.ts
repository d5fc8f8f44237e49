import { assert, describe, it } from "@effect/vitest"
import { render } from "../../src/reporters/JUnitReporter.ts"
import { mixed, replay } from "./fixture.ts"

describe("JUnitReporter", () => {
  it("one testsuite a suite, one testcase a scenario, and nothing that XML cannot hold", () => {
    assert.deepStrictEqual(render(mixed, replay).replaceAll("><", ">\n<").split("\n"), [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<testsuites name="webagent-harness" tests="4" failures="2" errors="0" skipped="1" time="2.100">',
      '<testsuite name="v4-runs" tests="1" failures="0" errors="0" skipped="0" time="0.300" timestamp="2026-11-21T09:12:44" hostname="http://127.0.0.1:41873">',
      '<testcase name="a run completes" classname="v4-runs" time="0.300">',
      "<system-out>replay    harness run v4-runs --name &quot;a run completes&quot; --seed 1</system-out>",
      "</testcase>",
      "</testsuite>",
      '<testsuite name="v4-browsers" tests="3" failures="2" errors="0" skipped="1" time="1.220" timestamp="2026-11-21T09:12:44" hostname="http://127.0.0.1:41873">',
      '<testcase name="closing &lt;CDP&gt; &amp; &quot;more&quot;" classname="v4-browsers" time="1.200">',
      '<failure message="connecting again should succeed\uFFFD" type="check">expected  a CDP answer',
      "got       HTTP 404 {&quot;detail&quot;:&quot;Browser not found&quot;}",
      "request   GET /api/v4/browsers/b/cdp 404",
      "where     src/suites/v4-browsers.ts:61</failure>",
      "<system-out>replay    harness run v4-browsers --name &quot;closing &lt;CDP&gt; &amp; &quot;more&quot;&quot; --seed 1</system-out>",
      "</testcase>",
      '<testcase name="forgets" classname="v4-browsers" time="0.020">',
      '<failure message="left browsers open: b-91c2f0aa" type="leak">left browsers open: b-91c2f0aa</failure>',
      "<system-out>replay    harness run v4-browsers --name &quot;forgets&quot; --seed 1</system-out>",
      "</testcase>",
      '<testcase name="costs" classname="v4-browsers" time="0.000">',
      '<skipped message="it would cost: allow that with --allow-paid"/>',
      "<system-out>replay    harness run v4-browsers --name &quot;costs&quot; --seed 1</system-out>",
      "</testcase>",
      "</testsuite>",
      "</testsuites>",
      ""
    ])
  })
})
