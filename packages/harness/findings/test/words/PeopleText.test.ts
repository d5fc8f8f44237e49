import { assert, describe, it } from "@effect/vitest"
import type { Finding } from "@webagent/report/Finding"
import * as FindingText from "../../src/words/FindingText.ts"
import * as PeopleText from "../../src/words/PeopleText.ts"

const ada = { owner: "ada", at: "2026-11-28T08:00:00.000Z", until: "2026-12-01", note: "rolling back" }
const failed = (...scenarios: Finding["scenarios"]): Finding => ({
  kind: { _tag: "Failed", claimedSuccess: false, cause: null, trials: 1 },
  severity: "error",
  scenarios
})
const scenarioOf = (name: string, owner?: string) => ({
  suite: "shop",
  name,
  ...(owner === undefined ? {} : { owner })
})

describe("the text about a finding's people", () => {
  it("names owners once each, and anyone working on it", () => {
    const finding = failed(
      scenarioOf("pays", "checkout"),
      { ...scenarioOf("sells", "kim"), acknowledged: ada },
      scenarioOf("ships", "checkout")
    )
    assert.strictEqual(PeopleText.owners(finding), "checkout, kim")
    assert.strictEqual(
      PeopleText.acknowledged(finding),
      "ada has been working on it since 2026-11-28, until 2026-12-01: rolling back (1 of 3 scenarios)"
    )
  })

  it("counts people if there are more than three", () => {
    const finding = failed(...["ada", "kim", "lee", "max", "sam"].map((owner) => scenarioOf(`is of ${owner}`, owner)))
    assert.strictEqual(PeopleText.owners(finding), "ada, kim, lee, and 2 more")
  })

  it("calls them owners of their scenarios' failures, but only affected by an outage", () => {
    const away = {
      ...failed(scenarioOf("pays", "checkout")),
      kind: { _tag: "Unreachable", cause: null, outage: null, trials: 1 }
    } as const
    const { affected, owner } = FindingText.describe(away)
    assert.deepStrictEqual([owner, affected], [undefined, "checkout"])
    const outage = { from: "2026-11-21T02:00:00.000Z", to: null, why: "HTTP 503" }
    const whole = FindingText.describe({ ...away, kind: { _tag: "ServiceAway", outage, isWholeRun: false } })
    assert.deepStrictEqual([whole.owner, whole.affected], ["service operator", "checkout"])
  })

  it("names the operator if a shard is missing, because no scenario caused it", () => {
    const lost = { _tag: "Incomplete", why: { _tag: "LostShards", missing: 1, of: 2, shards: [2] } } as const
    assert.strictEqual(PeopleText.owner({ ...failed(), kind: lost }), "CI operator")
    const stopped = { _tag: "Incomplete", why: { _tag: "Stopped" } } as const
    assert.isUndefined(PeopleText.owner({ ...failed(), kind: stopped }))
  })

  it("name the team of the service first if only that changed", () => {
    const run = { startedAt: ada.at, tool: "0.1.0", suites: { commit: "3f0c1a2b" } }
    const changedTo = (version: string, tool = "0.1.0") => {
      const change = { good: { ...run, service: { version: "1.4.2" } }, bad: { ...run, tool, service: { version } } }
      const onset = { since: run.startedAt, nights: 1, known: 9, change }
      return (...owners: ReadonlyArray<string>) =>
        FindingText.describe(failed(...owners.map((owner) => ({ ...scenarioOf(`is of ${owner}`, owner), onset }))))
          .owner
    }
    assert.deepStrictEqual(
      [changedTo("1.5.0")("ada"), changedTo("1.5.0")("ada", "kim"), changedTo("1.5.0", "0.2.0")("ada")],
      [
        "the team that deployed service 1.5.0 (scenarios: ada)",
        "the team that deployed service 1.5.0 (scenarios: ada, kim)",
        "ada"
      ]
    )
  })

  it("is omitted if there are none", () => {
    const finding = failed(scenarioOf("pays"))
    assert.deepStrictEqual([PeopleText.owners(finding), PeopleText.acknowledged(finding)], [undefined, undefined])
  })
})
