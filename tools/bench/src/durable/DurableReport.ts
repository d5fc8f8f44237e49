import { median } from "@webagent/statistics/Robust"
import { grouped, headingLine, paragraphs, plain, ratioText, table } from "../measure/Report.ts"
import { ratioOf } from "../measure/Statistics.ts"
import type { Commits } from "./Commits.ts"
import type { DurableReport } from "./durable.ts"
import type { Times } from "./FullFile.ts"

const commitTable = ({ commits: { commit, limited, unlimited } }: DurableReport) => {
  const figures: ReadonlyArray<readonly [string, (commits: Commits) => number]> = [
    ["commits a second", ({ perSecond }) => perSecond],
    ["a commit, p50, ms", ({ p50_ms }) => p50_ms],
    ["a commit, p99, ms", ({ p99_ms }) => p99_ms],
    ["the slowest commit, ms", ({ slowest_ms }) => slowest_ms],
    ["event loop late, p99, ms", ({ loopP99_ms }) => loopP99_ms],
    ["event loop late, at most, ms", ({ loopSlowest_ms }) => loopSlowest_ms],
    ["largest log, MB", ({ log_MB }) => log_MB]
  ]
  return table(
    [
      "figure",
      "default (log limit 64 MB)",
      "no log limit",
      "in the commit",
      "default ÷ no limit",
      "default ÷ in the commit"
    ],
    figures.map(([name, of]) => [
      name,
      plain(median(limited.map(of))),
      plain(median(unlimited.map(of))),
      plain(median(commit.map(of))),
      ratioText(ratioOf(limited.map(of), unlimited.map(of))),
      ratioText(ratioOf(limited.map(of), commit.map(of)))
    ])
  )
}

const timesRow = (name: string, { p50_ms, p99_ms }: Times) => [name, plain(p50_ms), plain(p99_ms)]

const fullTables = ({ full }: DurableReport) => {
  const { create, file_MB, prune, reads, rss_MB, runs, start_ms } = full
  return paragraphs(
    `A file with ${grouped(runs)} ended runs, each with a session of its own, has ${grouped(file_MB)} MB. A server answers over it ${plain(start_ms)} ms after its start and then holds ${plain(rss_MB)} MB.`,
    table(
      ["one after the other, from another process", "p50, ms", "p99, ms"],
      [
        timesRow("run status, v4", reads.status),
        timesRow("run, v4", reads.run),
        timesRow("session, v2", reads.session),
        timesRow("create, v4", create),
        timesRow("`/health`", reads.health),
        timesRow("`/metrics`", reads.metrics),
        timesRow("run status while half of the file is deleted", prune.status)
      ]
    ),
    `\`prune\` deletes ${grouped(prune.runs)} runs with their sessions in ${plain(prune.took_s)} s, ${grouped(prune.runs / prune.took_s)} a second, while the server goes on.`
  )
}

/** The tables of a report. */
export const markdown = (report: DurableReport): string => {
  const { growth } = report
  const parts = Object.entries(growth.kB).map(([table, kB]) => `${table.replaceAll("_", " ")} ${plain(kB)}`)
  return paragraphs(
    headingLine(report, "our server bundled"),
    "**Checkpoints: copying SQLite's write-ahead log into the file**",
    commitTable(report),
    "**The file**",
    `A run with an idempotency key takes ${plain(growth.kB_aRun)} kB, by ${grouped(growth.runs)} of them${parts.length === 0 ? "" : `: ${parts.join(", ")} kB`}. Keys go after a day, events when there are more than 10,000.`,
    fullTables(report)
  )
}
