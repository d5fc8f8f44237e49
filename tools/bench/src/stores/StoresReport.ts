import { quantile, sorted } from "@webagent/statistics/Quantile"
import { median } from "@webagent/statistics/Robust"
import { grouped, headingLine, none, paragraphs, plain, ratioText, table } from "../measure/Report.ts"
import { ratioOf } from "../measure/Statistics.ts"
import type { Kept, Round, StoresReport } from "./stores.ts"

/** The figures of a round, with how the report writes them. */
const figures: ReadonlyArray<readonly [string, (round: Round) => number, (figure: number) => string]> = [
  ["creates/s", (round) => round.creates_perSecond, grouped],
  ["CPU a run, ms", (round) => round.turn_nodes_ms + round.turn_postgres_ms, plain],
  ["status reads/s", (round) => round.reads_perSecond, grouped],
  ["CPU a read, µs", (round) => 1000 * (round.read_nodes_ms + round.read_postgres_ms), plain],
  ["POST to running p50, ms", ({ running_ms }) => quantile(sorted(running_ms), 0.5), plain],
  ["POST to running p95, ms", ({ running_ms }) => quantile(sorted(running_ms), 0.95), plain]
]

/** The middle of a figure of the rounds. */
export const medianOf = ({ rounds }: Kept, of: (round: Round) => number) => median(rounds.map(of))

/** Every figure of each store, beside its ratio to the first store and to the other version, round by round. */
const sideBySide = ({ against, kept }: StoresReport) => {
  const [first] = kept
  const otherOf = ({ name }: Kept) => kept.find((each) => each.name === `${name}, ${against}`)
  return table(
    ["figure", ...kept.map(({ name }) => name)],
    [
      ...figures.flatMap(([name, of, text]) => [
        [name, ...kept.map((each) => text(medianOf(each, of)))],
        [
          `÷ ${first?.name}`,
          ...kept.map((each) =>
            first === undefined || each === first ? none : ratioText(ratioOf(each.rounds.map(of), first.rounds.map(of)))
          )
        ],
        ...(against === null
          ? []
          : [
              [
                `÷ ${against}`,
                ...kept.map((each) => {
                  const other = otherOf(each)
                  return other === undefined ? none : ratioText(ratioOf(each.rounds.map(of), other.rounds.map(of)))
                })
              ]
            ])
      ]),
      ["kept a run, kB", ...kept.map(({ kB_aRun }) => plain(kB_aRun))]
    ]
  )
}

/** Distribution of the CPU time. */
const shares = ({ kept }: StoresReport) =>
  table(
    ["CPU in", "of a run, ms", "of a read, µs"],
    kept
      .filter(({ rounds }) => rounds.some(({ turn_postgres_ms }) => turn_postgres_ms > 0))
      .flatMap((each) => [
        [
          `${each.name}: nodes`,
          plain(medianOf(each, (round) => round.turn_nodes_ms)),
          plain(1000 * medianOf(each, (round) => round.read_nodes_ms))
        ],
        [
          `${each.name}: Postgres`,
          plain(medianOf(each, (round) => round.turn_postgres_ms)),
          plain(1000 * medianOf(each, (round) => round.read_postgres_ms))
        ]
      ])
  )

/** The tables of a report. */
export const markdown = (report: StoresReport): string => {
  const { connections, creates, followed, rounds, window_s } = report.settings
  return paragraphs(
    headingLine(
      report,
      `${rounds} interleaved rounds: ${creates} creates, status reads for ${window_s} s, both over ${connections} connections, and ${followed} runs followed one after the other; our server bundled, in memory without its journal; Postgres 18 without fsync; nodes, Postgres and load share the cores`
    ),
    sideBySide(report),
    shares(report)
  )
}
