import { assert, it } from "vitest"
import { markdown } from "../../src/durable/DurableReport.ts"
import { markdown as killsTables } from "../../src/durable/Kills.ts"
import { heading } from "../measure/heading.ts"

it("the page shows the size of a file with many runs", () => {
  const commits = [{ perSecond: 1, p50_ms: 1, p99_ms: 1, slowest_ms: 1, loopP99_ms: 1, loopSlowest_ms: 1, log_MB: 1 }]
  const times = { p50_ms: 1, p99_ms: 3 }
  const text = markdown({
    ...heading,
    growth: { runs: 5000, kB_aRun: 4.4, kB: { turns: 1 } },
    commits: { limited: commits, unlimited: commits, commit: commits },
    full: {
      runs: 1_000_000,
      file_MB: 1500,
      start_ms: 300,
      rss_MB: 100,
      reads: { status: times, run: times, session: times, health: times, metrics: times },
      create: times,
      prune: { runs: 500_000, took_s: 250, status: times }
    }
  })
  assert.include(text, "A file with 1,000,000 ended runs, each with a session of its own, has 1,500 MB.")
  assert.include(text, "`prune` deletes 500,000 runs with their sessions in 250 s, 2,000 a second")
})

it("the page names runs lost by a kill", () => {
  const outcome = {
    kills: 200,
    acknowledged: { runs: 1, sessions: 1, messages: 1, browsers: 1, keys: 1 },
    lost: ["run a", "sessions b"],
    doubled: [],
    stuck: [],
    unexplained: [],
    ended: 7
  }
  const text = killsTables({ ...heading, seed: 7, outcome })
  assert.include(text, "| **lost** | 2: run a, sessions b |")
  assert.include(text, "| **stuck** | 0 |")
})
