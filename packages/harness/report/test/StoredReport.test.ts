import { assert, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { RunReport } from "../src/RunReport.ts"
import { upgraded } from "../src/StoredReport.ts"
import { reportOf, resultOf, trialOf } from "./reports.ts"

it("a report of format 2 is read without its sentences", () => {
  const row = {
    figure: "pass rate",
    scenario: null,
    verdict: "no evidence",
    tier: "unusual",
    now: "90 %",
    before: "99 %",
    window: 1,
    since: "2026-01-01",
    nights: 9,
    evidence: "90 % of the trials passed",
    detectable: "3 points"
  }
  const report = reportOf([resultOf("pays", [trialOf()])])
  const old = {
    ...report,
    format: 2,
    crossed: ["the shards cost 2 USD together"],
    gate: { green: true, reasons: [], notes: [] },
    judgement: { verdict: "no evidence", tier: "unusual", nights: 9, passedOver: [], differences: [], rows: [row] }
  }
  const read = Schema.decodeUnknownSync(RunReport)(upgraded(old))
  const { figure, isUnusual, now, verdict } = read.judgement?.rows[0] ?? {}
  assert.deepStrictEqual([read.format, figure, verdict, isUnusual, now], [3, "pass rate", "no evidence", true, null])
  assert.deepStrictEqual(Schema.decodeUnknownSync(RunReport)(upgraded(report)), report)
})
