import { median } from "@webagent/statistics/Robust"
import { grouped, type Heading, headingLine, paragraphs, ratioText, table } from "../measure/Report.ts"
import { ratioOf } from "../measure/Statistics.ts"

/** Who makes the load: k6 without our extension, the same once more to show what alike looks like, ours, ours with every point written out as `load` has it, autocannon. */
export type Generator = "stock" | "again" | "ours" | "csv" | "autocannon"

/** One window. */
export interface GeneratorSample {
  readonly requests: number
  readonly perSecond: number
  /** Of the load, for a request, with its start. */
  readonly cpu_us: number
  readonly peak_MB: number
}

/** One run of our load test. */
export interface DecodingRun {
  readonly starts: number
  readonly decoded: number
  readonly violations: number
  readonly users: number
  readonly cpu_s: number
  readonly peak_MB: number
}

/** Our load test with a share of its starts decoded. */
export interface Decoding {
  readonly share: number
  readonly runs: ReadonlyArray<DecodingRun>
}

/** The whole result of the bench `load`; samples and runs are in the order of the rounds. */
export interface K6Report extends Heading {
  readonly pinning: string
  readonly versions: Readonly<Record<"k6" | "stock" | "autocannon", string>>
  readonly users: number
  readonly window_s: number
  readonly generators: Readonly<Record<Generator, ReadonlyArray<GeneratorSample>>>
  readonly decoding: ReadonlyArray<Decoding>
}

const precise = (figure: number) => figure.toFixed(3)

const generatorRows = ({ generators, versions }: K6Report) => {
  const titles: Readonly<Record<Generator, string>> = {
    stock: `stock k6 ${versions.stock}`,
    again: "the same, once more",
    ours: `**our k6** ${versions.k6}`,
    csv: "**our k6**, every point as CSV",
    autocannon: `autocannon ${versions.autocannon}`
  }
  const { stock } = generators
  return (Object.keys(titles) as ReadonlyArray<Generator>).map((name) => {
    const samples = generators[name]
    const of = (key: keyof GeneratorSample) => samples.map((sample) => sample[key])
    const beside = (key: keyof GeneratorSample) =>
      name === "stock"
        ? "1"
        : ratioText(
            ratioOf(
              of(key),
              stock.map((sample) => sample[key])
            ),
            precise
          )
    return [
      titles[name],
      grouped(median(of("perSecond"))),
      beside("perSecond"),
      median(of("cpu_us")).toFixed(0),
      beside("cpu_us"),
      grouped(median(of("peak_MB")))
    ]
  })
}

/** CPU milliseconds for a start in each round. */
const perStart = ({ runs }: Decoding) => runs.map(({ cpu_s, starts }) => (cpu_s * 1000) / starts)

const decodingRows = (decoding: ReadonlyArray<Decoding>) => {
  const [none] = decoding
  return decoding.map((each) => {
    const { runs, share } = each
    const of = (key: keyof DecodingRun) => median(runs.map((run) => run[key]))
    return [
      String(share),
      grouped(of("starts")),
      grouped(of("decoded")),
      median(perStart(each)).toFixed(2),
      none === undefined || each === none ? "1" : ratioText(ratioOf(perStart(each), perStart(none))),
      grouped(of("peak_MB")),
      grouped(of("users"))
    ]
  })
}

/** Milliseconds of CPU for one decoded answer, schemas loaded included: what all decode costs beside what none does. */
export const perAnswer_ms = (decoding: ReadonlyArray<Decoding>): number | undefined => {
  const [none, all] = [0, 1].map((share) => decoding.find((each) => each.share === share))
  if (none === undefined || all === undefined) return undefined
  return median(
    all.runs.flatMap((run, round) => {
      const beside = none.runs[round]
      return beside === undefined || run.decoded === 0
        ? []
        : [((run.cpu_s / run.starts - beside.cpu_s / beside.starts) * run.starts * 1000) / run.decoded]
    })
  )
}

/** The tables of the bench `load`. */
export const markdown = (report: K6Report): string => {
  const { decoding, generators } = report
  const per = perAnswer_ms(decoding)
  const violations = decoding.flatMap(({ runs }) => runs).reduce((sum, run) => sum + run.violations, 0)
  return paragraphs(
    headingLine(
      report,
      `${report.pinning}; ${generators.ours.length} rounds of ${report.window_s} s windows, ${report.users} users`
    ),
    table(["load by", "requests/s", "÷ stock", "CPU µs a request", "÷ stock", "at most, MB"], generatorRows(report)),
    `**Decoding**: our load test with its usual mix against our server, ${decoding[0]?.runs.length ?? 0} rounds`,
    table(
      ["share decoded", "starts", "answers decoded", "CPU ms a start", "÷ none", "at most, MB", "users"],
      decodingRows(decoding)
    ),
    per === undefined
      ? ""
      : `An answer that is decoded costs ${per.toFixed(2)} ms of CPU, the schemas that each user loads included; ${violations} contract violations.`
  )
}
