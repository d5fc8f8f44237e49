import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import * as Comparison from "../../load/Comparison.ts"
import * as ComparisonPage from "../../load/ComparisonPage.ts"
import * as ComparisonReport from "../../load/ComparisonReport.ts"
import * as Execution from "../../load/Execution.ts"
import * as Figures from "../../load/Figures.ts"
import * as LoadScript from "../../load/LoadScript.ts"
import * as LoadReport from "../../load/LoadReport.ts"
import type { LoadSummary } from "../../load/LoadSummary.ts"
import type { LoadTarget } from "../../load/LoadTarget.ts"
import * as Measure from "../../load/Measure.ts"
import * as Refusals from "../../load/Refusals.ts"
import { usage } from "@webagent/report/UserError"
import { counted } from "@webagent/report/Text"
import * as Order from "@webagent/statistics/Order"
import { describePlatformError } from "@webagent/report/PlatformErrorText"
import * as LoadOptions from "./LoadOptions.ts"
import { NotGreen } from "../NotGreen.ts"
import { version } from "../Program.ts"
import * as ReportDirectory from "../ReportDirectory.ts"
import { terminal } from "../Terminal.ts"
import * as AtomicFile from "@webagent/report/AtomicFile"

/** What the flags and arguments of `load --ab` say. */
export interface LoadPairsOptions extends LoadOptions.LoadOptions {
  /** `simulated`, or an address: the one to compare with, and the one to judge. */
  readonly a: string
  readonly b: string
  readonly pairs: number
  readonly tolerance: number
  readonly seed: number
}

// one run of a pair, unless told: there are many
const short = Duration.seconds(5)

const silent = { live: false, write: () => Effect.void }

const fileIn = (directory: string, test: string, ending: ".json" | ".html") => join(directory, `ab-${test}${ending}`)

const save = Effect.fnUntraced(
  function* (directory: string, report: ComparisonReport.ComparisonReport) {
    const file = (ending: ".json" | ".html") => fileIn(directory, report.test, ending)
    yield* AtomicFile.write(file(".json"), `${JSON.stringify(report, null, 2)}\n`)
    yield* AtomicFile.write(file(".html"), ComparisonPage.render(report))
    return file(".html")
  },
  Effect.mapError((error) => usage(`The report cannot be written: ${describePlatformError(error)}.`))
)

const lineOf = (pair: number, pairs: number, order: Order.Order, { a, b }: Comparison.Pair) => {
  const measure = Measure.times.find(({ of }) => of(a) !== undefined && of(b) !== undefined)
  const [first, second] = [measure?.of(a), measure?.of(b)]
  const measured =
    measure === undefined || first === undefined || second === undefined
      ? ""
      : `   ${measure.name}   A ${measure.format(first)}   B ${measure.format(second)}`
  return `  pair ${pair}/${pairs}   ${order}${measured}\n`
}

/** Why a run has nothing to compare; times of a service that does no work are no times. */
const whyNot = (
  { failure, points, summary }: Execution.Outcome,
  { throughput }: Figures.Figures,
  { address }: LoadTarget
): string | undefined => {
  if (failure !== undefined) return `k6 failed, ${failure}`
  const refused = Refusals.text(Refusals.of(points))
  if (throughput === 0) return `${address} gave no good answer${refused === undefined ? "" : `: ${refused}`}`
  const undone = Object.entries(summary?.metrics ?? {}).filter(
    ([, { thresholds }]) => thresholds?.["count>0"]?.ok === false
  )
  return undone.length === 0
    ? undefined
    : `${address} did no work, ${undone.map(([metric]) => `${metric} is 0`).join(", ")}`
}

/** Sends the same load to two services in turns and says whether the second is worse; fails with NotGreen when it is. */
export const loadPairs = (options: LoadPairsOptions) =>
  Effect.gen(function* () {
    const { pairs, seed, tolerance } = options
    const plan = yield* LoadOptions.planOf({ ...options, duration: options.duration ?? short })
    const settings = yield* LoadOptions.settingsOf(options)
    yield* LoadOptions.ensureItFits(plan, settings)
    const asked = LoadOptions.most(plan, settings, { times: pairs + 1 })
    const k6 = yield* LoadOptions.findK6
    const script = yield* LoadScript.resolve(plan.test.name, k6)
    const a = yield* LoadOptions.open(options.a, options, asked)
    const b = yield* LoadOptions.open(options.b, options, asked)
    const directory = yield* ReportDirectory.create(options.reportDir)
    const { style, write } = yield* terminal
    const load = LoadOptions.loadOf(plan, settings.vus)
    yield* write(
      [
        style.strong(`A ${LoadOptions.whereOf(a)} · B ${LoadOptions.whereOf(b)} · k6 ${k6.version}`),
        `${counted(pairs, "pair")} after a first of each that does not count · ${load} · seed ${seed}`,
        ...([a, b].every(({ simulated }) => simulated)
          ? []
          : [`worst case: this will ${asked} at each, which may cost`]),
        ""
      ].join("\n")
    )

    yield* ReportDirectory.clear(([".json", ".html"] as const).map((end) => fileIn(directory, plan.test.name, end)))
    // of a service that was started for this nothing goes on
    const kept = [options.a === "simulated" ? [] : [a], options.b === "simulated" ? [] : [b]].flat()
    const summaries = new Map<string, Array<LoadSummary>>(kept.map(({ address }) => [address, []]))
    const sayWhatIsLeft = Effect.suspend(() => {
      const lines = [...summaries].flatMap(([address, all]) => LoadReport.leftovers(all, address) ?? [])
      return write(lines.map((line) => `left     ${line}\n`).join(""))
    })

    const once = Effect.fnUntraced(function* (target: LoadTarget) {
      const outcome = yield* Execution.run({
        k6,
        script,
        plan,
        settings,
        segments: 1,
        addressee: target,
        output: silent
      })
      if (outcome.summary !== undefined) summaries.get(target.address)?.push(outcome.summary)
      if (outcome.interrupted) return yield* new NotGreen({ exitCode: 130 })
      const figures = Figures.of(outcome.points)
      const why = whyNot(outcome, figures, target)
      if (why === undefined) return figures
      yield* Console.error([`The comparison did not run: ${why}.`, ...outcome.said].join("\n"))
      return yield* new NotGreen({ exitCode: 1 })
    }, Effect.uninterruptible)

    const startedAt = DateTime.formatIso(yield* DateTime.now)
    const measured: Array<Comparison.Pair & { readonly order: Order.Order }> = []
    const inTurns = Effect.gen(function* () {
      yield* once(a)
      yield* once(b)
      for (const order of Order.orders(pairs, seed)) {
        const [first, second] = order === "AB" ? [a, b] : [b, a]
        const [one, other] = [yield* once(first), yield* once(second)]
        const pair = order === "AB" ? { order, a: one, b: other } : { order, a: other, b: one }
        measured.push(pair)
        yield* write(lineOf(measured.length, pairs, order, pair))
      }
    })
    yield* Effect.ensuring(inTurns, sayWhatIsLeft)
    const rows = Comparison.of(measured, { tolerance })
    const { thresholds: _, ...shape } = settings
    const sideOf = ({ address, name, simulated }: LoadTarget) => ({ name, address, simulated })
    const report: ComparisonReport.ComparisonReport = {
      tool: { name: "webagent-harness", version, k6: k6.version },
      test: plan.test.name,
      a: sideOf(a),
      b: sideOf(b),
      startedAt,
      rate: plan.rate,
      duration_ms: Duration.toMillis(plan.duration),
      settings: LoadOptions.given({ ...shape, profile: options.profile }),
      seed,
      tolerance,
      pairs: measured,
      rows,
      verdict: rows.some(({ verdict }) => verdict === "worse") ? "regressed" : "no evidence"
    }
    // said before it is written: an hour of runs is not lost to a disk that is full
    yield* write(
      ["", ...ComparisonReport.table(rows, style), "", ComparisonReport.verdict(report, style), ""].join("\n")
    )
    yield* write(`report   ${yield* save(directory, report)}\n`)
    if (report.verdict === "regressed") return yield* new NotGreen({ exitCode: 1 })
  }).pipe(Effect.scoped)
