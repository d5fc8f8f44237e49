import { grouped, headingLine, paragraphs, plain, table } from "../measure/Report.ts"
import { cdpTables } from "./cdp.ts"
import { cyclesTables } from "./cycles.ts"
import type { Times } from "../measure/Times.ts"
import type { BrowsersReport } from "./browsers.ts"

const times = ({ p50, p95 }: Times) => [plain(p50), plain(p95)]

/** The tables of a report. */
export const markdown = (report: BrowsersReport): string => {
  const { atOnce, cdp, create, cycles, live, memory } = report
  const { alone, seen } = live.still
  const viewer = Math.max(0, seen.browser + seen.server - alone.browser - alone.server)
  return paragraphs(
    headingLine(report, `headless shell, isolation ${cdp.isolation}`),
    cdpTables(cdp),
    table(
      ["POST /browsers, ms", "p50", "p95"],
      [
        ["one that waits", ...times(create.warm)],
        ["none waits", ...times(create.cold)],
        ["each of ten at once", ...times(create.burst)]
      ]
    ),
    `An empty browser takes ${plain(memory.browser_MiB)} MiB (mean of ${memory.count}, each shared page for its share).`,
    `${atOnce.count} browsers ran at once, besides those that wait. They took ${grouped(atOnce.all_MiB)} MiB together. Each answered within ${plain(atOnce.answer.p95)} ms (p95; p50 ${plain(atOnce.answer.p50)} ms). The end: ${atOnce.end}`,
    table(
      ["live view", ""],
      [
        ["from a change to its drawing, p50 ms", plain(live.delay_ms.p50)],
        ["from a change to its drawing, p95 ms", plain(live.delay_ms.p95)],
        ["CPU of a viewer of a still page, of a core", `${plain(viewer * 100)} %`]
      ]
    ),
    cyclesTables(cycles)
  )
}
