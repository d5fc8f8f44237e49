import { median } from "@webagent/statistics/Robust"
import { headingLine, none, paragraphs, plain, ratioText, table } from "../measure/Report.ts"
import { ratioOf } from "../measure/Statistics.ts"
import type { Path, VersionsReport } from "./versions.ts"

const hundredths = (figure: number) => figure.toFixed(2)

const row = ({ before, isSame, name, now, unit }: Path) => [
  name,
  `${plain(median(now))} ${unit}`,
  `${plain(median(before))} ${unit}`,
  ratioText(ratioOf(now, before), hundredths),
  isSame === undefined ? none : isSame ? "yes" : "**no**"
]

/** The table of a report. */
export const markdown = (report: VersionsReport): string => {
  const { against, paths, settings } = report
  return paragraphs(
    headingLine(report, `${settings.rounds} pairs, in turns`),
    `CPU time of this version and of ${against}. A ratio below 1 means that this version needs less.`,
    table(["path", "this version", against, "this ÷ other", "same work"], paths.map(row))
  )
}
