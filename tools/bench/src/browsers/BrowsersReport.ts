import { grouped, headingLine, paragraphs, plain, table } from "../measure/Report.ts"
import type { BrowsersReport, Times } from "./browsers.ts"

const times = ({ p50, p95 }: Times) => [plain(p50), plain(p95)]

/** The tables of a report. */
export const markdown = (report: BrowsersReport): string => {
  const { create, cycles, isolation, large, memory, pipelined, roundTrip } = report
  const { active, folders, processes } = cycles.left
  const change = (proxied: number, direct: number) => `${plain(((proxied - direct) / direct) * 100)} %`
  return paragraphs(
    headingLine(report, `headless shell, isolation ${isolation}; direct and proxied in turns`),
    table(
      ["what", "direct", "proxied", "difference"],
      [
        [
          "round trip, p50 ms",
          roundTrip.direct.p50.toFixed(3),
          roundTrip.proxied.p50.toFixed(3),
          (roundTrip.proxied.p50 - roundTrip.direct.p50).toFixed(3)
        ],
        [
          "round trip, p95 ms",
          roundTrip.direct.p95.toFixed(3),
          roundTrip.proxied.p95.toFixed(3),
          (roundTrip.proxied.p95 - roundTrip.direct.p95).toFixed(3)
        ],
        [
          "64 at a time, messages a second",
          grouped(pipelined.direct),
          grouped(pipelined.proxied),
          change(pipelined.proxied, pipelined.direct)
        ],
        ["results of 4 MB, MB a second", plain(large.direct), plain(large.proxied), change(large.proxied, large.direct)]
      ]
    ),
    `The server uses ${plain(report.cpu_us)} µs of CPU a message and its answer.`,
    table(
      ["POST /browsers, ms", "p50", "p95"],
      [
        ["one that waits", ...times(create.warm)],
        ["none waits", ...times(create.cold)]
      ]
    ),
    `An empty browser takes ${plain(memory.browser_MiB)} MiB (mean of ${memory.count}, each shared page for its share).`,
    `${grouped(cycles.count)} times create, use and stop, with ${grouped(cycles.killed)} browsers killed, took ${plain(cycles.seconds)} s and left ${processes} processes, ${folders} files and ${active} active browsers.`
  )
}
