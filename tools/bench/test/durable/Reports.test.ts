import { assert, it } from "vitest"
import { markdown } from "../../src/durable/DurableReport.ts"
import { markdown as killsTables } from "../../src/durable/Kills.ts"
import { heading } from "../measure/heading.ts"

it("the page says what a file costs beside memory, and what a file of many runs weighs", () => {
  const sample = (cpu_us: number) => ({ requests: 1, perSecond: 10, cpu_us, p50_ms: 1, p99_ms: 2 })
  const server = (name: string, cpu_us: number) => ({
    name,
    starts: [],
    samples: { status: [sample(cpu_us), sample(cpu_us)] },
    rssBefore_MB: 1,
    rssAfter_MB: 1,
    served: 1,
    stalls: 0
  })
  const commits = [{ perSecond: 1, p50_ms: 1, p99_ms: 1, slowest_ms: 1, loopP99_ms: 1, loopSlowest_ms: 1 }]
  const times = { p50_ms: 1, p99_ms: 3 }
  const text = markdown({
    ...heading,
    pinning: "not pinned",
    settings: { rounds: 2, window_s: 1, warmup_s: 0, starts: 0, connections: 1, liveRuns: 0, settle_s: 0 },
    servers: [server("memory", 50), server("file", 100)],
    growth: { runs: 5000, kB_aRun: 4.4, kB: { turns: 1 } },
    commits: { thread: commits, commit: commits },
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
  assert.include(text, "| file | 100 | 2 (2 to 2) | 10 | 2 |")
  assert.include(text, "A file with 1,000,000 ended runs, each with a session of its own, has 1,500 MB.")
  assert.include(text, "`prune` deletes 500,000 runs with their sessions in 250 s, 2,000 a second")
})

it("the page names what a kill lost", () => {
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
