import * as AbComparison from "@webagent/load/AbComparison"
import * as AbReport from "@webagent/load/AbReport"
import * as ComparedMetric from "@webagent/load/ComparedMetric"
import * as FailedRequests from "@webagent/load/FailedRequests"
import * as AbHtml from "@webagent/load/html/AbHtml"
import type { K6Summary } from "@webagent/load/K6Summary"
import type { LoadTarget } from "@webagent/load/LoadPlan"
import * as LoadReport from "@webagent/load/LoadReport"
import * as LoadRun from "@webagent/load/LoadRun"
import * as Measurements from "@webagent/load/Measurements"
import * as AtomicFile from "@webagent/cli/AtomicFile"
import { counted } from "@webagent/cli/Text"
import { usageOf } from "@webagent/cli/UserError"
import * as Order from "@webagent/statistics/Order"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { join } from "node:path"
import * as JsonOutput from "../JsonOutput.ts"
import { ExitError } from "@webagent/cli/ExitCode"
import { endWith } from "../ExitCode.ts"
import { version } from "../Program.ts"
import * as ReportDirectory from "../reports/ReportDirectory.ts"
import * as LoadFlags from "./LoadFlags.ts"
import { defined } from "@webagent/cli/Defined"
import * as LoadOptions from "./LoadOptions.ts"
import { AbOutput } from "./LoadOutput.ts"

// of one run, unless told: there are many
const short = Duration.seconds(5)

const fileIn = (directory: string, test: string, ending: ".json" | ".html") => join(directory, `ab-${test}${ending}`)

const save = Effect.fnUntraced(
  function* (directory: string, report: AbReport.AbReport) {
    const file = (ending: ".json" | ".html") => fileIn(directory, report.test, ending)
    yield* AtomicFile.write(file(".json"), `${JSON.stringify(report, null, 2)}\n`)
    yield* AtomicFile.write(file(".html"), AbHtml.render(report))
    return file(".html")
  },
  Effect.mapError(usageOf("Cannot write the report"))
)

const lineOf = (pair: number, pairs: number, order: Order.Order, { a, b }: AbComparison.Pair) => {
  const measure = ComparedMetric.times.find(({ of }) => of(a) !== undefined && of(b) !== undefined)
  const [first, second] = [measure?.of(a), measure?.of(b)]
  const measured =
    measure === undefined || first === undefined || second === undefined
      ? ""
      : `   ${measure.name}   A ${measure.format(first)}   B ${measure.format(second)}`
  return `  pair ${pair}/${pairs}   ${order}${measured}\n`
}

/** The reason why a run can't be compared: latencies of a service that does no work are meaningless. */
const whyNot = (
  { failure, points, summary }: LoadRun.Outcome,
  { throughput }: Measurements.Measurements,
  { address }: LoadTarget
): string | undefined => {
  if (failure !== undefined) return `k6 failed: ${failure}`
  const failed = FailedRequests.text(FailedRequests.of(points))
  if (throughput === 0) return `no request to ${address} succeeded${failed === undefined ? "" : `: ${failed}`}`
  const undone = Object.entries(summary?.metrics ?? {}).filter(
    ([, { thresholds }]) => thresholds?.["count>0"]?.ok === false
  )
  return undone.length === 0
    ? undefined
    : `${address} completed no work: ${undone.map(([metric]) => `${metric} is 0`).join(", ")}`
}

/** Sends the same load to two services in turns and compares them; each verdict has its own exit code. */
export const comparePair = (options: LoadFlags.CompareOptions) =>
  Effect.gen(function* () {
    const { a: urlA, b: urlB, duration = short, pairs, seed, tolerance = LoadFlags.defaultTolerance } = options
    const { atMost, directory, k6, load, plan, script, settings, style, targets, ...output } =
      yield* LoadOptions.prepare({ ...options, duration }, [urlA, urlB], { times: pairs + 1 })
    const [a, b = a] = targets
    const { write } = output
    yield* write(
      [
        style.strong(`A ${LoadOptions.whereOf(a)} · B ${LoadOptions.whereOf(b)} · k6 ${k6.version}`),
        `${counted(pairs, "pair")} after a warm-up of each · ${load} · seed ${seed}`,
        ...([a, b].every(({ simulated }) => simulated)
          ? []
          : [`at most, this will ${atMost} at each, which may cost money`]),
        ""
      ].join("\n")
    )

    yield* ReportDirectory.clear(([".json", ".html"] as const).map((end) => fileIn(directory, plan.test.name, end)))
    // a service that was started for this ends, with all its work
    const kept = [urlA === "simulated" ? [] : [a], urlB === "simulated" ? [] : [b]].flat()
    const summaries = new Map<string, Array<K6Summary>>(kept.map(({ address }) => [address, []]))
    const reportLeftOpen = Effect.suspend(() => {
      const lines = [...summaries].flatMap(([address, all]) => LoadReport.leftovers(all, address) ?? [])
      return write(lines.map((line) => `left     ${line}\n`).join(""))
    })

    const once = Effect.fnUntraced(function* (label: string, target: LoadTarget) {
      const outcome = yield* LoadRun.run({
        k6,
        script,
        plan,
        settings,
        segments: 1,
        target,
        output: { ...output, label }
      })
      if (outcome.summary !== undefined) summaries.get(target.address)?.push(outcome.summary)
      if (outcome.interrupted) return yield* new ExitError({ exitCode: 130 })
      const measurements = Measurements.of(outcome.points)
      const why = whyNot(outcome, measurements, target)
      if (why === undefined) return measurements
      yield* Console.error([`The comparison has no result: ${why}.`, ...outcome.stderr].join("\n"))
      // a run without a result does not say that B is worse
      return yield* new ExitError({ exitCode: 5 })
    }, Effect.uninterruptible)

    const startedAt = DateTime.formatIso(yield* DateTime.now)
    const measured: Array<AbComparison.Pair & { readonly order: Order.Order }> = []
    const inTurns = Effect.gen(function* () {
      yield* once("warm-up A", a)
      yield* once("warm-up B", b)
      for (const order of Order.orders(pairs, seed)) {
        const label = (side: "A" | "B") => `pair ${measured.length + 1}/${pairs} ${side}`
        const runA = once(label("A"), a)
        const runB = once(label("B"), b)
        const pair =
          order === "AB" ? { order, a: yield* runA, b: yield* runB } : { order, b: yield* runB, a: yield* runA }
        measured.push(pair)
        yield* write(lineOf(measured.length, pairs, order, pair))
      }
    })
    yield* Effect.ensuring(inTurns, reportLeftOpen)
    const rows = AbComparison.of(measured, { tolerance })
    const { thresholds: _, ...shape } = settings
    const sideOf = ({ address, name, simulated }: LoadTarget) => ({ name, address, simulated })
    const report: AbReport.AbReport = {
      tool: { name: "webagent-harness", version, k6: k6.version },
      test: plan.test.name,
      a: sideOf(a),
      b: sideOf(b),
      startedAt,
      rate: plan.rate,
      duration_ms: plan.duration_ms,
      settings: defined({ ...shape, profile: options.profile }),
      seed,
      tolerance,
      pairs: measured,
      rows,
      verdict: AbComparison.conclusionOf(rows)
    }
    // printed, whether it can be written or not: a full disk does not lose the result
    yield* write(["", ...AbReport.table(rows, style), "", ""].join("\n"))
    const saved = yield* Effect.exit(save(directory, report))
    if (Exit.isSuccess(saved)) yield* write(`report   ${saved.value}\n`)
    yield* write(`${AbReport.headline(report, style)}\n`)
    if (options.json) {
      yield* JsonOutput.print(AbOutput, { ...report, page: Exit.isSuccess(saved) ? saved.value : null })
    }
    yield* saved
    yield* endWith(report.verdict)
  }).pipe(Effect.scoped)
