import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Quarantine from "../src/Quarantine.ts"
import * as Release from "../src/Release.ts"
import { night, scenario } from "./nights.ts"
import { green } from "./reports.ts"

const entry: Quarantine.Entry = {
  suite: "shop",
  scenario: "pays",
  owner: "kim",
  reason: "the bank's page is slow",
  since: "2026-11-01",
  expires: "2026-12-01"
}
const today = "2026-11-21"
const fileOf = (...entries: ReadonlyArray<unknown>) => JSON.stringify({ entries })
const refused = (text: string) => {
  const result = Quarantine.parse(text, today)
  if (Result.isSuccess(result)) throw new Error("it was taken")
  return result.failure
}

describe("a quarantine file", () => {
  it("has an owner, a reason and an end date per entry", () => {
    assert.deepStrictEqual(Result.getOrThrow(Quarantine.parse(fileOf(entry), today)), {
      cleanTrials: 59,
      entries: [entry]
    })
    const own = Quarantine.parse(JSON.stringify({ cleanTrials: 20, entries: [] }), today)
    assert.strictEqual(Result.getOrThrow(own).cleanTrials, 20)
  })

  const mistakes: ReadonlyArray<readonly [string, unknown, RegExp]> = [
    [
      "lasts too long",
      { ...entry, expires: "2026-12-02" },
      /^entries\[0\]\.expires \(shop › pays\): 2026-12-02 is 31 days after since, and 30 are the most: 2026-12-01 or earlier$/u
    ],
    ["ends before it begins", { ...entry, expires: "2026-10-31" }, /^entries\[0\]\.expires .+ is before since/u],
    ["begins in the future", { ...entry, since: "2026-11-22" }, /^entries\[0\]\.since .+: 2026-11-22 is not yet/u],
    ["has no owner", { ...entry, owner: " " }, /expected some words.+owner/u],
    [
      "has an invalid date",
      { ...entry, since: "2026-11-31" },
      /expected a day such as 2026-12-01, got "2026-11-31".+since/u
    ],
    ["has an unknown field", { ...entry, issue: 1 }, /issue/u]
  ]
  for (const [what, wrong, sentence] of mistakes) {
    it(`is refused with the field's name if an entry ${what}`, () => {
      assert.match(refused(fileOf(wrong)), sentence)
    })
  }

  it("is refused if it contains a scenario twice", () => {
    assert.strictEqual(
      refused(fileOf(entry, entry)),
      "entries[0] and entries[1] are both about shop › pays: leave one out"
    )
  })
})

describe("the quarantined scenarios", () => {
  const scenarios = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ suite: "shop", name: `s${index}` }))
  const held = (count: number) => ({
    cleanTrials: 59,
    entries: Array.from({ length: count }, (_, index) => ({ ...entry, scenario: `s${index}` }))
  })

  it("are at most one in twenty, and at least one", () => {
    assert.isUndefined(Quarantine.tooMany(held(5), scenarios(100)))
    assert.strictEqual(
      Quarantine.tooMany(held(6), scenarios(100)),
      "--quarantine: 6 of 100 scenarios are in quarantine, and 5 may be (5 %): fix some, or let them fail."
    )
    assert.isUndefined(Quarantine.tooMany(held(5), scenarios(119)))
    assert.isDefined(Quarantine.tooMany(held(6), scenarios(119)))
    assert.isUndefined(Quarantine.tooMany(held(1), scenarios(3)))
    assert.isDefined(Quarantine.tooMany(held(2), scenarios(3)))
  })

  it("are reported if they don't exist", () => {
    assert.deepStrictEqual(
      Quarantine.strangers({ cleanTrials: 59, entries: [entry, { ...entry, suite: "x" }] }, scenarios(2)),
      [
        'quarantine: there is no scenario "pays" in suite "shop": take the entry out, or correct its name',
        'quarantine: suite "x" is not in this run'
      ]
    )
  })

  it("are marked in the report, and expire the day after their last", () => {
    const of = (expires: string) => {
      const quarantine = {
        cleanTrials: 59,
        entries: [{ ...entry, suite: "v4-runs", scenario: "a run completes", expires }]
      }
      return Quarantine.mark(quarantine, green).results[0]?.quarantine
    }
    assert.deepStrictEqual(of(today), { owner: "kim", reason: entry.reason, expires: today, expired: false })
    assert.strictEqual(of("2026-11-20")?.expired, true)
  })
})

describe("the release from quarantine", () => {
  const quarantine = { cleanTrials: 59, entries: [{ ...entry, since: "2026-01-03" }] }
  const nights = (count: number, change = () => scenario("pays")) =>
    Array.from({ length: count }, (_, day) => night(day, [day === 5 ? change() : scenario("pays")]))

  it("is suggested after 59 clean trials since the quarantine began, with the confidence", () => {
    assert.deepStrictEqual(Release.proposals(quarantine, nights(13)), [])
    const [proposal] = Release.proposals(quarantine, nights(14))
    assert.strictEqual(proposal?.clean, 60)
    assert.approximately(proposal?.failsBelow ?? 0, 0.049, 0.0005)
  })

  it("counts from the last failure", () => {
    const failing = nights(17, () => scenario("pays", 4))
    assert.deepStrictEqual(Release.proposals(quarantine, failing), [])
    assert.strictEqual(Release.proposals(quarantine, [...failing, night(17, [scenario("pays")])])[0]?.clean, 60)
  })

  it("counts from the last leaked browser and the last broken invariant", () => {
    for (const change of [{ leaks: 1 }, { breaches: 1 }]) {
      const unclean = nights(18, () => scenario("pays", 5, change))
      assert.strictEqual(Release.proposals(quarantine, unclean)[0]?.clean, 60)
    }
  })
})
