import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { join } from "node:path"
import * as Baseline from "../../load/Baseline.ts"
import * as Fingerprint from "../../load/Fingerprint.ts"
import * as History from "../../load/History.ts"
import * as Complaints from "../../load/Complaints.ts"
import * as Execution from "../../load/Execution.ts"
import * as Figures from "../../load/Figures.ts"
import * as LoadJUnit from "../../load/LoadJUnit.ts"
import * as LoadPage from "../../load/LoadPage.ts"
import * as LoadReport from "../../load/LoadReport.ts"
import * as LoadScript from "../../load/LoadScript.ts"
import type { Output } from "../../load/operator/Outputs.ts"
import * as Refusals from "../../load/Refusals.ts"
import * as Threshold from "../../load/Threshold.ts"
import * as TimeSeries from "../../load/TimeSeries.ts"
import { usage } from "@webagent/report/UserError"
import { counted } from "@webagent/report/Text"
import { describePlatformError } from "@webagent/report/PlatformErrorText"
import * as LoadOptions from "./LoadOptions.ts"
import { NotGreen } from "../NotGreen.ts"
import { version } from "../Program.ts"
import * as ReportDirectory from "../ReportDirectory.ts"
import { terminal } from "../Terminal.ts"
import * as AtomicFile from "@webagent/report/AtomicFile"

/** What the flags and arguments of `load` say for one load test. */
export interface LoadTestOptions extends LoadOptions.LoadOptions {
  /** `simulated`, or an address. */
  readonly target: string
  readonly segments: number
  /** A history file to judge by. */
  readonly baseline: string | undefined
  /** Whether this run is to be added to it. */
  readonly record: boolean
  readonly tolerance: number
  /** Where else k6 sends what it measures. */
  readonly outputs: ReadonlyArray<Output>
}

const k6Page = "-k6.html"

/** What a report is made of: a file of an earlier one beside it would be taken for a part of it. */
const endings = [".json", ".series.json", ".junit.xml", ".html", k6Page]

/** Writes the report: for programs, for CI systems, over time, and as a page. */
const save = Effect.fnUntraced(
  function* (
    directory: string,
    report: LoadReport.LoadReport,
    series: TimeSeries.TimeSeries,
    { dashboard, judgement }: { readonly dashboard: string; readonly judgement: Baseline.Judgement | undefined }
  ) {
    const fs = yield* FileSystem.FileSystem
    const file = (ending: string) => join(directory, `load-${report.test}${ending}`)
    // k6 leaves its page out where a test was too short for it
    const link = (yield* fs.exists(dashboard)) ? `load-${report.test}${k6Page}` : undefined
    yield* AtomicFile.write(file(".json"), `${JSON.stringify(report, null, 2)}\n`)
    yield* AtomicFile.write(file(".series.json"), `${JSON.stringify(series)}\n`)
    yield* AtomicFile.write(file(".junit.xml"), LoadJUnit.render(report, judgement))
    yield* AtomicFile.write(file(".html"), LoadPage.render(report, series, link))
    return file(".html")
  },
  Effect.mapError((error) => usage(`The report cannot be written: ${describePlatformError(error)}.`))
)

/** Says to CI systems why there is no report. */
const saveFailure = Effect.fnUntraced(
  function* (directory: string, header: LoadJUnit.Header, why: string, said: ReadonlyArray<string>) {
    const file = join(directory, `load-${header.test}.junit.xml`)
    yield* AtomicFile.write(file, LoadJUnit.failed(header, why, said))
  },
  Effect.mapError((error) => usage(`The report cannot be written: ${describePlatformError(error)}.`))
)

/** Judges a run by a history file; with what it is recorded as, when that is asked for. */
const judge = Effect.fnUntraced(function* (
  { baseline, profile, record, target: asked, tolerance }: LoadTestOptions,
  history: ReadonlyArray<History.Entry>,
  report: LoadReport.LoadReport
) {
  // a run that was cut short is no baseline, and none judges it
  if (baseline === undefined || report.verdict === "stopped") return undefined
  const { figures, startedAt, target, test, verdict } = report
  // one that was started for this is the same every time, at another port; any other is told from others by its address
  const where = asked === "simulated" ? asked : new URL(target.address).origin
  const fs = yield* FileSystem.FileSystem
  const behaviour = yield* profile === undefined
    ? Effect.succeed(undefined)
    : Effect.orElseSucceed(fs.readFileString(profile), () => profile)
  const { duration_ms, rate, settings } = report
  const fingerprint = Fingerprint.here(report.tool.k6)
  const subject = {
    test,
    fingerprint,
    settings: History.settingsHash({ ...settings, rate, duration_ms, where, profile: behaviour }),
    figures
  }
  const judgement = Baseline.judge(history, subject, tolerance)
  const entry: History.Entry = { version: 1, startedAt, verdict, ...subject }
  return { judgement, recorded: record ? History.append(baseline, entry) : Effect.void }
})

/** Runs a load test on the chosen target and reports; fails with NotGreen when something is wrong. */
export const loadTest = (options: LoadTestOptions) =>
  Effect.gen(function* () {
    const { outputs, profile, segments } = options
    const plan = yield* LoadOptions.planOf(options)
    const settings = yield* LoadOptions.settingsOf(options)
    yield* LoadOptions.ensureItFits(plan, settings)
    yield* LoadOptions.ensureTheyFit(segments)
    const history = options.baseline === undefined ? [] : yield* History.read(options.baseline)
    if (options.baseline !== undefined && options.record) yield* History.ensureWritable(options.baseline)
    const asked = LoadOptions.most(plan, settings, { segments })
    const isOurs = options.target === "simulated"
    const remote = isOurs ? undefined : yield* LoadOptions.open(options.target, options, asked)
    const k6 = yield* LoadOptions.findK6
    const script = yield* LoadScript.resolve(plan.test.name, k6)
    const directory = yield* ReportDirectory.create(options.reportDir)
    const target = remote ?? (yield* LoadOptions.open("simulated", options, asked))
    const { style, ...output } = yield* terminal
    const say = (lines: ReadonlyArray<string>) => output.write(`${lines.join("\n")}\n`)
    const headline = `${LoadOptions.whereOf(target)} · ${LoadOptions.loadOf(plan, settings.vus)} · k6 ${k6.version}`
    yield* say([
      style.strong(headline),
      ...(target.simulated ? [] : [`worst case: this will ${asked}, which may cost`])
    ])

    const dashboard = join(directory, `load-${plan.test.name}${k6Page}`)
    yield* ReportDirectory.clear(endings.map((ending) => join(directory, `load-${plan.test.name}${ending}`)))
    const startedAt = DateTime.formatIso(yield* DateTime.now)
    // from here on Ctrl-C stops k6, and what it has measured is still reported
    return yield* Effect.gen(function* () {
      const { complaints, failure, interrupted, points, said, summary } = yield* Execution.run({
        k6,
        script,
        plan,
        settings,
        segments,
        addressee: target,
        output,
        outputs,
        // each process would write a page of its part
        dashboard: segments === 1 ? dashboard : undefined
      })
      if (summary === undefined || failure !== undefined) {
        const why = interrupted
          ? "stopped by hand, before there was anything to report"
          : `k6 failed, ${failure ?? "it wrote no summary"}`
        const took_ms = (yield* Clock.currentTimeMillis) - Date.parse(startedAt)
        yield* saveFailure(directory, { startedAt, target, test: plan.test.name, took_ms }, why, said)
        if (interrupted) return yield* new NotGreen({ exitCode: 130 })
        yield* Console.error([`The load test did not run: ${why}.`, ...said].join("\n"))
        return yield* new NotGreen({ exitCode: 1 })
      }
      const thresholds = Threshold.all(summary)
      const held = thresholds.every(({ ok }) => ok)
      const report: LoadReport.LoadReport = {
        tool: { name: "webagent-harness", version, k6: k6.version },
        test: plan.test.name,
        target: { name: target.name, address: target.address, simulated: target.simulated },
        startedAt,
        rate: plan.rate,
        duration_ms: Duration.toMillis(plan.duration),
        settings: { ...LoadOptions.given({ ...settings, profile }), segments },
        took_ms: summary.state.testRunDurationMs,
        verdict: interrupted ? "stopped" : held ? "passed" : "failed",
        thresholds,
        figures: Figures.of(points),
        refusals: Refusals.of(points),
        metrics: summary.metrics
      }
      const judged = yield* judge(options, history, report)
      const judgement = judged?.judgement
      // a service that was started for this is gone, and nothing of it goes on
      const left = isOurs ? undefined : LoadReport.leftovers([report], target.address)
      // said before it is written: a load that took an hour is not lost to a disk that is full
      yield* say([
        ...LoadReport.ending(report, style),
        ...(judgement === undefined ? [] : Baseline.lines(judgement)),
        ...(interrupted ? [] : Complaints.lines(complaints)),
        ...(left === undefined ? [] : [`left     ${left}`]),
        ...(points.lost() === 0
          ? []
          : [`not in   times and rates: the last ${counted(points.lost(), "point")}, too many`])
      ])
      const file = yield* save(directory, report, TimeSeries.of(points), { dashboard, judgement })
      yield* say([`report   ${file}`])
      if (judged !== undefined) yield* judged.recorded
      const isWorse = judgement?.rows.some(({ verdict }) => verdict === "worse") ?? false
      if (report.verdict !== "passed" || isWorse) return yield* new NotGreen({ exitCode: interrupted ? 130 : 1 })
    }).pipe(Effect.uninterruptible)
  }).pipe(Effect.scoped)
