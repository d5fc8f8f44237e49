import { median } from "@webagent/statistics/Robust"
import { columns, headingLine, paragraphs, plain, ratioText, table } from "../measure/Report.ts"
import { ratioOf } from "../measure/Statistics.ts"
import { timesOf } from "../measure/Times.ts"
import { both, type Pair } from "../measure/Versions.ts"
import { bursts } from "./Changes.ts"
import type { Cost, Costs } from "./Costs.ts"
import type { Keys } from "./Keys.ts"
import type { LiveReport } from "./live.ts"

const share = (part: number) => `${plain(Math.max(0, part) * 100)} %`

const p95Of = (times: ReadonlyArray<number>) => timesOf(times).p95

/** The ratio to the other version, of figures of the same rounds. */
const ratioCells = ([now, before]: Pair<ReadonlyArray<number>>) =>
  before === undefined ? [] : [ratioText(ratioOf(now, before))]

const changesTable = ({ against, changes }: LiveReport) =>
  table(
    [
      "from a change to its drawing, in ms",
      ...columns(against, "p50", "p95", "most"),
      ...(against === null ? [] : [`÷ ${against}`])
    ],
    [
      [
        `${changes[0].delays.length} changes`,
        ...changes.flatMap(({ delays }) => [median(delays), p95Of(delays), Math.max(...delays)].map(plain)),
        ...ratioCells(both(changes, ({ delays }) => delays))
      ]
    ]
  )

/** A ratio is between the same quantile of a round's keys. */
const keysTable = ({ against, keys }: LiveReport) => {
  const row = (name: string, of: (each: Keys) => Keys["atOnce"]) => [
    name,
    ...keys.flatMap((each) => [median(of(each).flat()), p95Of(of(each).flat())].map(plain)),
    ...ratioCells(both(keys, (each) => of(each).map(median))),
    ...ratioCells(both(keys, (each) => of(each).map(p95Of)))
  ]
  return table(
    [
      "from a key at a viewer to the page, in ms",
      ...columns(against, "p50", "p95"),
      ...(against === null ? [] : [`p50 ÷ ${against}`, `p95 ÷ ${against}`])
    ],
    [row("16 keys at once", ({ atOnce }) => atOnce), row("a key every 60 ms", ({ inTurn }) => inTurn)]
  )
}

const costsTable = ({ against, costs }: LiveReport) => {
  const row = (name: string, of: (each: Costs) => Cost) => [
    name,
    ...costs.flatMap((each) => [share(of(each).browser), share(of(each).server)])
  ]
  const pictures = costs.map(({ animated }) => plain(animated.pictures_s)).join(" and ")
  return table(
    ["CPU, of one core", ...columns(against, "browser", "server")],
    [
      row("still page, no viewer", ({ still }) => still.alone),
      row("still page, 1 viewer", ({ still }) => still.seen),
      row("animated page, no viewer", ({ animated }) => animated.alone),
      row("animated page, 1 viewer", ({ animated }) => animated.seen),
      row(`animated page, 40 viewers, ${pictures} pictures a second each`, ({ animated }) => animated.seenBy40)
    ]
  )
}

/** The figures of a report. */
export const markdown = (report: LiveReport): string => {
  const { against, changes } = report
  const [stale, staleBefore] = changes.map((each) => `${each.stale} of ${bursts}`)
  return paragraphs(
    headingLine(report, "apps/server --browsers chromium, 1280x720; viewers on the same machine"),
    changesTable(report),
    `Last pictures of bursts that stayed wrong: ${stale}${staleBefore === undefined ? "" : `, and ${staleBefore} with ${against}`}.`,
    keysTable(report),
    costsTable(report)
  )
}
