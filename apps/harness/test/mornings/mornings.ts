import { conclude } from "@webagent/findings/Conclusion"
import { type Night, ofReport } from "@webagent/nights/Night"
import type { Revisions } from "@webagent/report/Revision"
import type { RunReport } from "@webagent/report/RunReport"
import {
  all,
  days,
  failing,
  leaking,
  month,
  refused,
  startOf,
  type Story,
  times,
  tonight,
  unreached
} from "../reporters/prepared.ts"

/** A morning: last night's report, and the nights before it. */
export interface Morning {
  readonly report: RunReport
  readonly nights: ReadonlyArray<Night>
}

const commits = ["3f0c1a2be1", "9b2c0d1ea4"].map((commit) => commit.padEnd(40, "7"))
const revisionsOf = (suites: 0 | 1, service: string): Revisions => ({
  suites: {
    commit: commits[suites] ?? "",
    repository: { url: "https://github.com/shop/tests", forge: "github" }
  },
  service: { version: service }
})
const before = revisionsOf(0, "1.4.2")
const deployed = revisionsOf(0, "1.5.0")
const owner = "checkout team"

/** 30 trials take 42 seconds together, up to eight at a time. */
const took_ms = 9400

/** The nights before: the service had version 1.4.2. `story` changes a night by its day. */
const past = (story: (day: number) => Story = () => ({})) =>
  month(days, (day) => ({
    revisions: before,
    owner,
    report: { duration_ms: took_ms + (day % 5) * 130 },
    ...story(day)
  }))

const morning = (story: Story, nights = past()): Morning => {
  const took = { duration_ms: took_ms, ...story.report }
  const judged = tonight({ revisions: before, owner, ...story, report: took }, nights)
  const report = conclude({ ...judged, header: { ...judged.header, args: ["shop.suite.ts", "--record"] } })
  return { report, nights: [...nights, ofReport(report)] }
}

const shard = {
  index: 1,
  of: 2,
  startedAt: startOf(days),
  duration_ms: took_ms,
  interrupted: false,
  args: ["shop.suite.ts", "--record", "--shard", "1/2", "--report-dir", "shards/1"]
}

/** Eight mornings of one shop, always the same: sixteen nights of six scenarios with five trials, and last night. */
export const mornings = {
  perfect: morning({}),
  // it began two nights before, with a deployment
  "one failure": morning(
    { revisions: deployed, trials: { "buys a mug": failing(5, refused) } },
    past((day) => (day < days - 2 ? {} : { revisions: deployed, trials: { "buys a mug": failing(5, refused) } }))
  ),
  "one flaky": morning({ trials: { searches: failing(3) } }),
  outage: morning({
    trials: { pays: unreached, cancels: unreached },
    report: {
      // the other scenarios ran after it
      duration_ms: 1_302_000,
      outages: [{ from: "2026-10-17T02:00:00.000Z", to: "2026-10-17T02:21:33.000Z", why: "HTTP 503" }]
    }
  }),
  slower: morning({ revisions: deployed, trials: all(times(1.7)), report: { duration_ms: 16_000 } }),
  costlier: morning({
    revisions: revisionsOf(1, "1.4.2"),
    trials: all((trial) => ({ ...trial, cost_usd: "0.0264" }))
  }),
  leak: morning({ trials: { pays: leaking } }),
  "lost shard": morning({
    report: { shards: [shard] },
    results: {
      pays: { verdict: "skipped", skip: { _tag: "MissingShard", shard: 2 }, trials: [], cost_usd: "0" }
    }
  })
} as const satisfies Readonly<Record<string, Morning>>
