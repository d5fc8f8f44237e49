import * as Baseline from "@webagent/load/Baseline"
import * as BaselineFile from "@webagent/load/BaselineFile"
import * as Breakpoint from "@webagent/load/Breakpoint"
import * as FailedRequests from "@webagent/load/FailedRequests"
import * as LoadHtml from "@webagent/load/html/LoadHtml"
import * as JUnit from "@webagent/load/JUnit"
import * as K6Log from "@webagent/load/K6Log"
import * as LoadReport from "@webagent/load/LoadReport"
import * as LoadRun from "@webagent/load/LoadRun"
import * as Measurements from "@webagent/load/Measurements"
import * as Threshold from "@webagent/load/Threshold"
import * as TimeSeries from "@webagent/load/TimeSeries"
import * as AtomicFile from "@webagent/cli/AtomicFile"
import { number } from "@webagent/cli/Text"
import { usage, usageOf } from "@webagent/cli/UserError"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import { join } from "node:path"
import * as JsonOutput from "../JsonOutput.ts"
import { ExitError } from "@webagent/cli/ExitCode"
import { version } from "../Program.ts"
import * as ReportDirectory from "../reports/ReportDirectory.ts"
import * as LoadFlags from "./LoadFlags.ts"
import { defined } from "@webagent/cli/Defined"
import * as LoadOptions from "./LoadOptions.ts"
import { LoadOutput } from "./LoadOutput.ts"

const k6Page = "-k6.html"

/** The files of a report. Those of an earlier one are removed, so that they are not taken for a part of it. */
const endings = [".json", ".series.json", ".junit.xml", ".html", k6Page]

/** Writes the report: for programs, for CI systems, over time, and as a page. */
const save = Effect.fnUntraced(
  function* (
    directory: string,
    report: LoadReport.LoadReport,
    series: TimeSeries.TimeSeries,
    {
      dashboard,
      judgement
    }: { readonly dashboard: string; readonly judgement: Baseline.BaselineComparison | undefined }
  ) {
    const fs = yield* FileSystem.FileSystem
    const file = (ending: string) => join(directory, `load-${report.test}${ending}`)
    // k6 leaves its page out where a test was too short for it
    const link = (yield* fs.exists(dashboard)) ? `load-${report.test}${k6Page}` : undefined
    yield* AtomicFile.write(file(".json"), `${JSON.stringify(report, null, 2)}\n`)
    yield* AtomicFile.write(file(".series.json"), `${JSON.stringify(series)}\n`)
    yield* AtomicFile.write(file(".junit.xml"), JUnit.render(report, judgement))
    yield* AtomicFile.write(file(".html"), LoadHtml.render(report, series, link))
    return file(".html")
  },
  Effect.mapError(usageOf("Cannot write the report"))
)

/** Writes for CI systems why there is no report. */
const saveFailure = Effect.fnUntraced(
  function* (directory: string, header: JUnit.Header, why: string, stderr: ReadonlyArray<string>) {
    const file = join(directory, `load-${header.test}.junit.xml`)
    yield* AtomicFile.write(file, JUnit.failed(header, why, stderr))
  },
  Effect.mapError(usageOf("Cannot write the report"))
)

/** Compares a run with the earlier ones in a file, and prepares the entry that records it. */
const judge = Effect.fnUntraced(function* (
  { baseline, profile, record, target: service, tolerance = LoadFlags.defaultTolerance }: LoadFlags.LoadOptions,
  history: ReadonlyArray<BaselineFile.Entry>,
  report: LoadReport.LoadReport
) {
  // a stopped run is no baseline and has none
  if (baseline === undefined || report.verdict === "stopped") return undefined
  const { measurements, startedAt, target, test, verdict } = report
  // a service that is started for this has another port each time; any other is known by its address
  const where = service === "simulated" ? service : new URL(target.address).origin
  const fs = yield* FileSystem.FileSystem
  const behaviour = yield* profile === undefined
    ? Effect.succeed(undefined)
    : Effect.orElseSucceed(fs.readFileString(profile), () => profile)
  const { duration_ms, rate, settings } = report
  const subject = {
    test,
    machine: BaselineFile.thisMachine(report.tool.k6),
    settings: BaselineFile.settingsHash({ ...settings, rate, duration_ms, where, profile: behaviour }),
    measurements
  }
  const judgement = Baseline.compare(history, subject, tolerance)
  const entry: BaselineFile.Entry = { version: 2, startedAt, verdict, ...subject }
  return { judgement, recorded: record ? BaselineFile.append(baseline, entry) : Effect.void }
})

/** Runs a load test on the chosen target and reports; fails with ExitError when something is wrong. */
export const runLoadTest = (options: LoadFlags.LoadOptions) =>
  Effect.gen(function* () {
    const { baseline, outputs, profile, record, segments, tolerance } = options
    if (baseline === undefined && (record || tolerance !== undefined)) {
      return yield* usage(`${record ? "--record" : "--tolerance"} needs --baseline FILE, the earlier runs.`)
    }
    const history = baseline === undefined ? [] : yield* BaselineFile.read(baseline)
    if (baseline !== undefined && record) yield* BaselineFile.ensureWritable(baseline)
    const { atMost, directory, k6, load, plan, script, settings, style, targets, ...output } =
      yield* LoadOptions.prepare(options, [options.target], { segments })
    const [target] = targets
    const isOurs = options.target === "simulated"
    const say = (lines: ReadonlyArray<string>) => output.write(`${lines.join("\n")}\n`)
    yield* say([
      style.strong(`${LoadOptions.whereOf(target)} · ${load} · k6 ${k6.version}`),
      ...(target.simulated ? [] : [`at most, this will ${atMost}, which may cost money`])
    ])

    const dashboard = join(directory, `load-${plan.test.name}${k6Page}`)
    yield* ReportDirectory.clear(endings.map((ending) => join(directory, `load-${plan.test.name}${ending}`)))
    const startedAt = DateTime.formatIso(yield* DateTime.now)
    // from here on Ctrl-C stops k6, and its measurements are still reported
    return yield* Effect.gen(function* () {
      const { failure, interrupted, log, points, stderr, summary } = yield* LoadRun.run({
        k6,
        script,
        plan,
        settings,
        segments,
        target,
        output,
        outputs,
        // each process would write a dashboard of its share
        dashboard: segments === 1 ? dashboard : undefined
      })
      if (summary === undefined || failure !== undefined) {
        const why = interrupted
          ? "stopped before anything was measured"
          : `k6 failed: ${failure ?? "it wrote no summary"}`
        const took_ms = (yield* Clock.currentTimeMillis) - Date.parse(startedAt)
        yield* saveFailure(directory, { startedAt, target, test: plan.test.name, took_ms }, why, stderr)
        if (interrupted) return yield* new ExitError({ exitCode: 130 })
        yield* Console.error([`The load test has no result: ${why}.`, ...stderr].join("\n"))
        return yield* new ExitError({ exitCode: 1 })
      }
      // Ctrl-C cuts work off, which says nothing about the service
      const thresholds = Threshold.all(summary).filter(({ name }) => !interrupted || !LoadReport.ofCutWork.has(name))
      const held = thresholds.every(({ ok }) => ok)
      const report: LoadReport.LoadReport = {
        tool: { name: "webagent-harness", version, k6: k6.version },
        test: plan.test.name,
        target: { name: target.name, address: target.address, simulated: target.simulated },
        startedAt,
        rate: plan.rate,
        duration_ms: plan.duration_ms,
        settings: { ...defined({ ...settings, profile }), segments },
        took_ms: summary.state.testRunDurationMs,
        verdict: interrupted ? "stopped" : held ? "passed" : "failed",
        thresholds,
        measurements: Measurements.of(points),
        ...(plan.test.name === "breakpoint" && settings.vus === undefined && !interrupted
          ? { breakpoint: Breakpoint.of(points, plan, summary.metrics) }
          : {}),
        failed_requests: FailedRequests.of(points),
        metrics: summary.metrics
      }
      const judged = yield* judge(options, history, report)
      const judgement = judged?.judgement
      // a service that was started for this has ended, with all its work
      const left = isOurs ? undefined : LoadReport.leftovers([report], target.address)
      // printed, whether it can be written or not: a full disk does not lose the result
      yield* say([
        ...LoadReport.ending(report, style),
        ...(judgement === undefined ? [] : Baseline.lines(judgement)),
        ...(interrupted ? [] : K6Log.lines(log)),
        ...(left === undefined ? [] : [`left     ${left}`]),
        ...(points.lost() === 0
          ? []
          : [`memory   full: latencies and rates are without the last ${number(points.lost())} points`])
      ])
      const saved = yield* Effect.exit(save(directory, report, TimeSeries.of(points), { dashboard, judgement }))
      const worse = judgement?.rows.flatMap(({ name, verdict }) => (verdict === "worse" ? [name] : [])) ?? []
      yield* say([
        ...(Exit.isSuccess(saved) ? [`report   ${saved.value}`] : []),
        LoadReport.lastLine(report, worse, style)
      ])
      if (options.json) {
        yield* JsonOutput.print(LoadOutput, { ...report, worse, page: Exit.isSuccess(saved) ? saved.value : null })
      }
      yield* saved
      if (judged !== undefined) yield* judged.recorded
      if (report.verdict !== "passed" || worse.length > 0)
        return yield* new ExitError({ exitCode: interrupted ? 130 : 1 })
    }).pipe(Effect.uninterruptible)
  }).pipe(Effect.scoped)
