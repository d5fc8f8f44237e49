import { assert, describe, it } from "@effect/vitest"
import * as ReportUrl from "../../src/config/ReportUrl.ts"

const values: ReportUrl.Values = { run: "2026 11", date: "2026-11-28", seed: "7", commit: null, job: "99" }
const scenario = { suite: "shop", scenario: "pays / late", anchor: "s3" }

describe("the template of report addresses", () => {
  it("must be a web address with known placeholders", () => {
    const all = ["https://h/{run}", "https://h/{job}/a?s={suite}&n={scenario}#{anchor}", "https://h/report"]
    assert.isTrue(all.every(ReportUrl.isTemplate))
    const others = ["h/{run}", "./reports/{run}", "https://h/{folder}", "https://h/{}", "file:///srv/{run}"]
    assert.isFalse(others.some(ReportUrl.isTemplate))
  })

  it("becomes a link with encoded values", () => {
    assert.strictEqual(ReportUrl.runLink("https://h/{run}/{date}/{seed}", values), "https://h/2026%2011/2026-11-28/7")
    assert.strictEqual(
      ReportUrl.scenarioLink("https://h/{job}?s={suite}&n={scenario}#{anchor}", values, scenario),
      "https://h/99?s=shop&n=pays%20%2F%20late#s3"
    )
  })

  it("omits a scenario's part from a run's link", () => {
    assert.strictEqual(ReportUrl.runLink("https://h/{job}/report.html#{anchor}", values), "https://h/99/report.html")
    assert.strictEqual(ReportUrl.runLink("https://h/{job}?s={suite}#{anchor}", values), "https://h/99")
    assert.isNull(ReportUrl.runLink("https://h/{suite}/x", values))
  })

  it("makes no link if the run lacks a value", () => {
    assert.isNull(ReportUrl.runLink("https://h/{commit}", values))
    assert.isNull(ReportUrl.scenarioLink("https://h/{commit}#{anchor}", values, scenario))
  })
})
