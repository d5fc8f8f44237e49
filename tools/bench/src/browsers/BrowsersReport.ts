import { grouped, headingLine, paragraphs, plain, table } from "../measure/Report.ts"
import type { BrowsersReport, Times } from "./browsers.ts"

const times = ({ p50, p95 }: Times) => [plain(p50), plain(p95)]

/** The tables of a report. */
export const markdown = (report: BrowsersReport): string => {
  const { atOnce, create, cycles, isolation, large, live, memory, pipelined, roundTrip } = report
  const { active, descriptors, files, folders, links, processes } = cycles.left
  const { alone, seen } = live.still
  const viewer = Math.max(0, seen.browser + seen.server - alone.browser - alone.server)
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
    `${atOnce.count} browsers ran at once, besides those that wait. They took ${grouped(atOnce.all_MiB)} MiB together. Each answered within ${plain(atOnce.answer.p95)} ms (p95; p50 ${plain(atOnce.answer.p50)} ms). The end: ${atOnce.end}`,
    table(
      ["live view", ""],
      [
        ["from a change to its drawing, p50 ms", plain(live.delay_ms.p50)],
        ["from a change to its drawing, p95 ms", plain(live.delay_ms.p95)],
        ["CPU of a viewer of a still page, of a core", `${plain(viewer * 100)} %`]
      ]
    ),
    `${grouped(cycles.count)} times create, use and stop, with ${grouped(cycles.killed)} browsers killed and ${grouped(cycles.cut)} clients cut, took ${plain(cycles.seconds)} s.`,
    table(
      ["left of them", "count"],
      [
        ["processes", `${processes}`],
        ["folders and records of the pool", `${folders}`],
        ["other files", `${files}`],
        ["files, sockets and pipes that the server has open", `${descriptors}`],
        ["browsers that are active", `${active}`],
        ["links that open", `${links}`]
      ]
    )
  )
}
