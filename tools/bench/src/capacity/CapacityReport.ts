import { headingLine, paragraphs, plain, table } from "../measure/Report.ts"
import type { CapacityReport } from "./capacity.ts"

/** The tables of a report. */
export const markdown = (report: CapacityReport): string =>
  paragraphs(
    headingLine(report, "CPU time of processes; Postgres 18 without fsync, on a socket of the same machine"),
    table(
      [
        "nodes that have nothing to do",
        "transactions/s",
        "a node",
        "CPU of a node, ms/s",
        "CPU of Postgres, ms/s a node",
        "connections a node",
        "memory of a node, MB"
      ],
      report.idle.map(({ connections, nodes, rss_MB, seconds, used }) => [
        String(nodes),
        plain(used.transactions / seconds),
        plain(used.transactions / seconds / nodes),
        plain((1000 * used.nodes_s) / seconds / nodes),
        plain((1000 * used.postgres_s) / seconds / nodes),
        plain(connections / nodes),
        plain(rss_MB)
      ])
    ),
    table(
      ["operation at one node", "times", "transactions each", "CPU of the node, ms each", "CPU of Postgres, ms each"],
      report.operations.map(({ count, used, what }) => [
        what,
        String(count),
        plain(used.transactions / count),
        plain((1000 * used.nodes_s) / count),
        plain((1000 * used.postgres_s) / count)
      ])
    )
  )
