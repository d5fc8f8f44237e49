import type { JudgedRow } from "@webagent/report/NightJudgement"
import * as Fisher from "@webagent/statistics/Fisher"
import * as Interval from "@webagent/statistics/Interval"
import type { Night } from "./Night.ts"
import { least, scenariosOf } from "./Past.ts"
import { failures, pooled } from "./Shares.ts"
import * as Subject from "./Subject.ts"
import * as Windows from "./Windows.ts"
import * as Words from "./Words.ts"

const figure = "flaky scenarios"

/** How many scenarios were not flaky, of those that could have been; only those of the night that is judged count. */
const steady = (night: Night, keys: ReadonlyArray<string>): Fisher.Share => {
  const scenarios = scenariosOf(night)
  const repeated = keys.flatMap((key) => scenarios.get(key) ?? []).filter(({ scored }) => scored > 1)
  return { passed: repeated.filter(({ verdict }) => verdict !== "flaky").length, of: repeated.length }
}

/** How many scenarios are flaky: by an exact test, and by how much nights differ; both have to say so. */
export const judge = ({ nights, standing, tonight }: Subject.Subject, doubt: number): JudgedRow => {
  const keys = Array.from(scenariosOf(tonight).keys())
  const points = Subject.points(
    standing(figure, null),
    nights,
    (night) => night.startedAt,
    (night) => {
      const share = steady(night, keys)
      return share.of === 0 ? undefined : share
    }
  )
  const own = steady(tonight, keys)
  const windows =
    own.of === 0
      ? []
      : Windows.of({ startedAt: tonight.startedAt, value: own }, points).map(({ before, now, since, size }) => {
          const shares = before.map((night) => (night.of - night.passed) / night.of)
          const [all, past] = [failures(pooled(now)), failures(pooled(before))]
          const chance = (sign: 1 | -1) =>
            Interval.chanceOfMean(
              shares.map((share) => sign * share),
              size,
              (sign * all.passed) / all.of
            )
          return {
            size,
            since,
            shares,
            now: all,
            before: past,
            worse: Math.max(Fisher.more(all, past), chance(1)),
            better: Math.max(Fisher.fewer(all, past), chance(-1))
          }
        })
  const flaky = own.of - own.passed
  const [first] = windows
  if (first === undefined) {
    return {
      figure,
      scenario: null,
      verdict: "not enough data",
      now: `${flaky} of ${own.of}`,
      before: "",
      window: 1,
      since: tonight.startedAt,
      nights: points.length,
      detectable: null,
      evidence:
        own.of === 0
          ? "no scenario was repeated"
          : `${flaky} of ${own.of} scenarios were flaky; ${Words.nights(points.length)} before, and ${least} are needed`
    }
  }
  const adjusted = (side: "worse" | "better") => Math.min(...windows.map((window) => window[side])) * windows.length
  const verdict = adjusted("worse") <= doubt ? "regressed" : adjusted("better") <= doubt ? "improved" : "no evidence"
  const side = verdict === "improved" ? "better" : "worse"
  const found =
    verdict === "no evidence" ? first : windows.reduce((best, window) => (window[side] < best[side] ? window : best))
  // nothing is smaller than one scenario
  const reach = Math.max(Interval.ofNextMean(first.shares, 1, doubt / windows.length).detectable, 1 / own.of)
  const [now, before] = [found.now, found.before].map(({ of, passed }) => Words.percent(passed / of))
  const detectable = `${(reach * 100).toFixed(1)} points`
  const said = `${now} of the scenarios were flaky ${Words.lately(found.size)}, ${before} in ${Words.nights(found.shares.length)} before`
  return {
    figure,
    scenario: null,
    verdict,
    now: now ?? "",
    before: before ?? "",
    window: found.size,
    since: found.since,
    nights: found.shares.length,
    detectable,
    evidence:
      verdict === "no evidence"
        ? `${said}; ${detectable} more would have been seen`
        : `${said}: by chance ${Words.rarely(adjusted(side))}`
  }
}
