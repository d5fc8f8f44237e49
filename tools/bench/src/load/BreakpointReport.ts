import type { Fingerprint } from "../Fingerprint.ts"
import { ratioText, table } from "../Report.ts"
import { median, type Ratio, ratioOf } from "../Statistics.ts"
import { type Climb, crossed, type Limits, type Step } from "./Ladder.ts"

/** The whole result of the bench `breakpoint`; climbs are in the order of the rounds. */
export interface BreakpointReport {
  readonly bench: "breakpoint"
  readonly date: string
  readonly fingerprint: Fingerprint
  readonly pinning: string
  readonly versions: Readonly<Record<"k6" | "fastify", string>>
  readonly limits: Limits
  /** How long each rate was held. */
  readonly step_s: number
  readonly climbs: Readonly<Record<"ours" | "fastify", ReadonlyArray<Climb>>>
}

type Climbs = BreakpointReport["climbs"]

/** The steps at one rate, of all rounds. */
const at = (climbs: ReadonlyArray<Climb>, rate: number): ReadonlyArray<Step> =>
  climbs.flatMap(({ steps }) => steps.filter((step) => step.rate === rate))

/** CPU for a request, ours to Fastify, over every rate and round in which both carried it. */
export const cpuRatio = ({ fastify, ours }: Climbs, limits: Limits): Ratio | undefined => {
  const pairs = ours.flatMap((climb, round) =>
    climb.steps.flatMap((step) => {
      const other = fastify[round]?.steps.find(({ rate }) => rate === step.rate)
      const isCarried = other !== undefined && [step, other].every((each) => crossed(each, limits) === undefined)
      return isCarried ? [[step.cpu_us, other.cpu_us] as const] : []
    })
  )
  if (pairs.length === 0) return undefined
  return ratioOf(
    pairs.map(([own]) => own),
    pairs.map(([, other]) => other)
  )
}

const time = (value_ms: number) => (value_ms < 10 ? value_ms.toFixed(1) : value_ms.toFixed(0))
const percent = (share: number) => `${(share * 100).toFixed(0)} %`

const cells = (steps: ReadonlyArray<Step>, limits: Limits): ReadonlyArray<string> => {
  if (steps.length === 0) return ["–", "–", "–", "–"]
  const of = (key: keyof Step) => median(steps.map((step) => step[key]))
  const broken = steps.filter((step) => crossed(step, limits) !== undefined).length
  const mark = broken === 0 ? "" : broken === steps.length ? " ✗" : ` ✗ ${broken} of ${steps.length}`
  return [
    `${time(of("p50_ms"))} / ${time(of("p95_ms"))} / ${time(of("p99_ms"))}${mark}`,
    percent(of("loop")),
    percent(of("k6")),
    of("cpu_us").toFixed(0)
  ]
}

const starts = (number: number) => Math.round(number).toLocaleString("en")

const ending = (climbs: ReadonlyArray<Climb>): string => {
  const words = climbs.map(({ broke }) =>
    broke === undefined ? "nothing, at the highest rate" : `${broke.by} (${broke.first})`
  )
  const counts = Map.groupBy(words, (word) => word)
  return [...counts]
    .map(([word, all]) => (climbs.length === 1 ? word : `${word}: ${all.length} of ${climbs.length}`))
    .join("; ")
}

/** The tables of the bench `breakpoint`. */
export const markdown = (report: BreakpointReport): string => {
  const { climbs, fingerprint: machine, limits, versions } = report
  const wanted = [
    ...new Set([...climbs.ours, ...climbs.fastify].flatMap(({ steps }) => steps.map(({ rate }) => rate)))
  ].toSorted((a, b) => a - b)
  const perStart = median(
    [...climbs.ours, ...climbs.fastify].flatMap(({ steps }) =>
      steps.slice(0, 3).map(({ perSecond, rate }) => perSecond / rate)
    )
  )
  const cpu = cpuRatio(climbs, limits)
  const carried = (name: keyof Climbs) => climbs[name].map((climb) => climb.carried)
  const ratio = ratioOf(carried("ours"), carried("fastify"))
  const summary = [
    [
      "highest rate carried, starts/s, by round",
      carried("ours").map(starts).join(", "),
      carried("fastify").map(starts).join(", "),
      ratioText(ratio)
    ],
    [
      "CPU µs a request where both carry it",
      ...(["ours", "fastify"] as const).map((name) =>
        median(
          climbs[name].flatMap(({ steps }) =>
            steps.filter((step) => crossed(step, limits) === undefined).map(({ cpu_us }) => cpu_us)
          )
        ).toFixed(0)
      ),
      cpu === undefined ? "–" : ratioText(cpu)
    ],
    ["what was crossed (what gave first)", ending(climbs.ours), ending(climbs.fastify), ""]
  ]
  return [
    `${report.date}: ${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, ${machine.platform}; load average ${machine.loadBefore} before and ${machine.loadAfter} after; ${report.pinning}; k6 ${versions.k6}; ${climbs.ours.length} rounds, each rate held for ${report.step_s} s, limits p95 ${limits.p95_ms} ms, ${limits.failed * 100} % of the requests failed, ${limits.dropped * 100} % of the starts dropped, nothing lost; about ${perStart.toFixed(1)} requests a start.`,
    table(["", "ours", `Fastify ${versions.fastify} by hand`, "ours ÷ Fastify"], summary),
    table(
      [
        "starts/s",
        "ours: p50 / p95 / p99, ms",
        "loop busy",
        "k6's core",
        "CPU µs",
        "Fastify: p50 / p95 / p99, ms",
        "loop busy",
        "k6's core",
        "CPU µs"
      ],
      wanted.map((rate) => [
        starts(rate),
        ...cells(at(climbs.ours, rate), limits),
        ...cells(at(climbs.fastify, rate), limits)
      ])
    )
  ].join("\n\n")
}
