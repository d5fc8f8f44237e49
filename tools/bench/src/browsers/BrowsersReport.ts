import { grouped, headingLine, paragraphs, plain } from "../measure/Report.ts"
import type { BrowsersReport } from "./browsers.ts"
import { createsTable } from "./Creates.ts"
import { cyclesTables } from "./cycles.ts"

/** The tables of a report. */
export const markdown = (report: BrowsersReport): string => {
  const { against, atOnce, creates, cycles, isolation, memory } = report
  return paragraphs(
    headingLine(report, `headless shell, isolation ${isolation}`),
    createsTable(creates, against),
    `An empty browser takes ${plain(memory.browser_MiB)} MiB (mean of ${memory.count}, each shared page for its share).`,
    `${atOnce.count} browsers ran at once, besides those that wait. They took ${grouped(atOnce.all_MiB)} MiB together. Each answered within ${plain(atOnce.answer.p95)} ms (p95; p50 ${plain(atOnce.answer.p50)} ms). The end: ${atOnce.end}`,
    cyclesTables(cycles)
  )
}
