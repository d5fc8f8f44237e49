import { median } from "@webagent/statistics/Robust"
import { grouped, headingLine, none, paragraphs, plain, ratioText, table } from "../measure/Report.ts"
import { ratioOf } from "../measure/Statistics.ts"
import { timesText } from "../measure/Times.ts"
import type { ListsOf, ListsReport } from "./lists.ts"

const createsRow = (name: string, { creates: { listed, unlisted } }: ListsOf) => [
  name,
  grouped(median(listed)),
  grouped(median(unlisted)),
  ratioText(ratioOf(listed, unlisted))
]

/** The tables of a report. */
export const markdown = (report: ListsReport): string => {
  const { postgres, runs, sqlite } = report
  return paragraphs(
    headingLine(report, `${grouped(runs)} runs`),
    "**A page of 50, p50 / p95 in ms**",
    table(
      ["list", "SQLite", "plain SQL", "rows", "Postgres", "plain SQL", "rows"],
      Object.entries(sqlite.pages).map(([name, of]) => {
        const other = postgres.pages[name]
        return [
          name,
          timesText(of.page),
          of.plain === null ? none : timesText(of.plain),
          plain(of.rows),
          other === undefined ? none : timesText(other.page),
          other?.plain ? timesText(other.plain) : none,
          other === undefined ? none : plain(other.rows)
        ]
      })
    ),
    "**Counts up to 10,000 of each status, and spend, p50 / p95 in ms**",
    table(
      ["read", "SQLite", "Postgres"],
      Object.entries(sqlite.sums).map(([name, times]) => {
        const other = postgres.sums[name]
        return [name, timesText(times), other === undefined ? none : timesText(other)]
      })
    ),
    "**Creates per second, with lists and without them**",
    table(
      ["store", "with lists", "without", "with ÷ without"],
      [createsRow("SQLite", sqlite), createsRow("Postgres", postgres)]
    )
  )
}
