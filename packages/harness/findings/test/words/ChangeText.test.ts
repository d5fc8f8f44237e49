import { assert, describe, it } from "@effect/vitest"
import type { RunRevision } from "@webagent/report/Revision"
import * as ChangeText from "../../src/words/ChangeText.ts"

const [one, other] = ["3f0c1a2b".padEnd(40, "0"), "9b2c0d1e".padEnd(40, "0")]
const repository = { url: "https://github.com/shop/tests", forge: "github" } as const
const good: RunRevision = {
  startedAt: "2026-11-20T02:00:00.000Z",
  tool: "0.4.0",
  suites: { commit: one, repository },
  service: { version: "1.4.2" }
}
const of = (bad: Partial<RunRevision>, before = good) =>
  ChangeText.text({
    since: "2026-11-21T02:00:00.000Z",
    nights: 1,
    known: 9,
    change: { good: before, bad: { ...good, startedAt: "2026-11-21T02:00:00.000Z", ...bad } }
  })
const began = "between 2026-11-20 02:00 and 2026-11-21 02:00 UTC"

describe("the code change between the last good night and the first bad one", () => {
  it("names both versions of changed code, and unchanged code", () => {
    assert.deepStrictEqual(of({ service: { version: "1.5.0", commit: other } }), {
      began,
      changed: "service from 1.4.2 to 1.5.0 (9b2c0d1); suites 3f0c1a2 and harness 0.4.0 are the same"
    })
    const both = of({ suites: { commit: other }, tool: "0.5.0" })
    assert.strictEqual(
      both?.changed,
      "suites from 3f0c1a2 to 9b2c0d1 and harness from 0.4.0 to 0.5.0; service 1.4.2 is the same"
    )
    assert.strictEqual(both && ChangeText.line(both), `began ${began} · changed: ${both?.changed}`)
  })

  it("names the earlier night if the time of the problem is known", () => {
    const textAt = (version: string) => {
      const bad = { ...good, startedAt: "2026-11-21T02:00:00.000Z", service: { version } }
      const onset = { since: bad.startedAt, nights: 1, known: 9, change: { good, bad } }
      return ChangeText.text(onset, "2026-11-21 02:10:07 UTC")
    }
    const since = "since the night of 2026-11-20"
    assert.deepStrictEqual(
      ["1.4.2", "1.5.0"].map(textAt),
      [
        `no versions ${since}: suites 3f0c1a2, harness 0.4.0 and service 1.4.2 are the same`,
        `service from 1.4.2 to 1.5.0 ${since}; suites 3f0c1a2 and harness 0.4.0 are the same`
      ].map((changed) => ({ began: "2026-11-21 02:10:07 UTC", changed }))
    )
  })

  it("reports that nothing changed, and unknown versions", () => {
    assert.strictEqual(of({})?.changed, "no versions: suites 3f0c1a2, harness 0.4.0 and service 1.4.2 are the same")
    const { service: _, ...silent } = good
    assert.strictEqual(
      of({}, silent)?.changed,
      "no versions: suites 3f0c1a2 and harness 0.4.0 are the same; version of service unknown"
    )
    const local = { commit: one, isChanged: true }
    assert.match(of({ suites: local })?.changed ?? "", /^suites from 3f0c1a2 to 3f0c1a2 with local changes;/u)
    // two nights with local changes need not have the same ones
    assert.match(of({ suites: local }, { ...good, suites: local })?.changed ?? "", /; version of suites unknown$/u)
    assert.isUndefined(ChangeText.text({ since: "2026-11-21T02:00:00.000Z", nights: 1, known: 9 }))
  })

  it("links to the comparison on a known forge, but not for unsafe addresses", () => {
    const urlOf = (repository: NonNullable<RunRevision["suites"]>["repository"]) => {
      const of = (commit: string) => ({ commit, ...(repository === undefined ? {} : { repository }) })
      return ChangeText.text({
        since: "",
        nights: 1,
        known: 1,
        change: { good: { ...good, suites: of(one) }, bad: { ...good, suites: of(other) } }
      })?.url
    }
    assert.strictEqual(urlOf(repository), `${repository.url}/compare/${one.slice(0, 12)}...${other.slice(0, 12)}`)
    const gitlab = { url: "https://gitlab.example.com/shop/tests", forge: "gitlab" } as const
    assert.strictEqual(urlOf(gitlab), `${gitlab.url}/-/compare/${one.slice(0, 12)}...${other.slice(0, 12)}`)
    assert.isUndefined(urlOf(undefined))
    assert.isUndefined(urlOf({ url: "javascript:alert(1)", forge: "github" }))
    assert.isUndefined(urlOf({ url: 'https://github.com/a"onclick="b', forge: "github" }))
  })
})
