import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { join } from "node:path"
import * as K6 from "../load/K6.ts"
import * as K6Run from "../load/K6Run.ts"
import * as LoadProgress from "../load/LoadProgress.ts"
import * as LoadReport from "../load/LoadReport.ts"
import * as LoadScript from "../load/LoadScript.ts"
import { LoadSummary } from "../load/LoadSummary.ts"
import * as LoadTarget from "../load/LoadTarget.ts"
import { type LoadPlan, loadTests, worstCase } from "../load/LoadTest.ts"
import * as Threshold from "../load/Threshold.ts"
import { usage } from "../Mistake.ts"
import { counted } from "../reporters/Style.ts"
import { troubleOf } from "../Trouble.ts"
import { NotGreen } from "./NotGreen.ts"
import { program, version } from "./Program.ts"
import * as ReportDirectory from "./ReportDirectory.ts"
import { terminal } from "./Reporting.ts"
import { closest } from "./SuiteSource.ts"
import * as TargetSource from "./TargetSource.ts"

/** What the flags and arguments of `load` say. */
export interface LoadOptions {
  readonly test: string
  /** `simulated`, or an address. */
  readonly target: string
  /** Runs, and as many browsers, started per second; the test's own unless given. */
  readonly rate: number | undefined
  /** How long new ones are started; the test's own unless given. */
  readonly duration: Duration.Duration | undefined
  readonly reportDir: string | undefined
  readonly allowRemote: boolean
  readonly apiKeyEnv: string
}

const planOf = ({ duration, rate, test: name }: LoadOptions) => {
  const test = Object.hasOwn(loadTests, name) ? loadTests[name] : undefined
  if (test !== undefined)
    return Effect.succeed<LoadPlan>({ test, rate: rate ?? test.rate, duration: duration ?? test.duration })
  const names = Object.keys(loadTests)
  const meant = closest(name, names)
  const known = meant === undefined ? `There are: ${names.join(", ")}.` : `Did you mean ${meant}?`
  return Effect.fail(usage(`No load test named "${name}". ${known} See: ${program} load --help`))
}

/** Another machine is refused before anything is sent to it, one that may cost as soon as that is known. */
const remote = Effect.fnUntraced(function* ({ allowRemote, apiKeyEnv, target: url }: LoadOptions, plan: LoadPlan) {
  const refuse = (why: string) =>
    usage(`This would ${worstCase(plan)} at ${url}, ${why}. If you mean it and may: --allow-remote`)
  if (URL.canParse(url) && !LoadTarget.isThisMachine(url) && !allowRemote) {
    return yield* refuse("which is not this machine")
  }
  const found = yield* TargetSource.remote({ target: url, apiKeyEnv, allowPaid: false, v2SessionId: undefined })
  if (!found.simulated && !allowRemote) return yield* refuse("which is not simulated, and may cost")
  const { apiKey, info, simulated } = found
  const { address, apiKeyHeader, name } = info
  return { name, address, apiKey, apiKeyHeader, simulated } satisfies LoadTarget.LoadTarget
})

const namedK6 = Config.option(Config.NonEmptyString("WEBAGENT_K6")).pipe(
  Effect.map(Option.getOrUndefined),
  Effect.orElseSucceed(() => undefined)
)

const headline = ({ duration, rate }: LoadPlan, { address, name }: LoadTarget.LoadTarget, k6: K6.K6) => {
  const where = name === address ? address : `${name} on ${address.replace(/^http:\/\//u, "")}`
  const load = `open model · ${counted(rate, "run")} and ${counted(rate, "browser")} a second for ${Duration.format(duration)}`
  return `${where} · ${load} · k6 ${k6.version}`
}

interface Execution {
  readonly k6: K6.K6
  readonly script: string
  readonly output: Parameters<typeof LoadProgress.show>[1]
}

/** Runs k6 and reads what the script has summed up; k6 ends well also when that could not be written. */
const execute = Effect.fnUntraced(
  function* (
    { duration, rate }: LoadPlan,
    { address, apiKey, apiKeyHeader }: LoadTarget.LoadTarget,
    { k6, output, script }: Execution
  ) {
    const fs = yield* FileSystem.FileSystem
    const summary = join(yield* fs.makeTempDirectoryScoped({ prefix: "webagent-load-" }), "summary.json")
    const progress = yield* Effect.forkChild(LoadProgress.show(duration, output))
    const end = yield* K6Run.run({ k6, script, address, apiKey, apiKeyHeader, rate, duration, summary }).pipe(
      Effect.ensuring(Fiber.interrupt(progress))
    )
    const read = Effect.flatMap(
      fs.readFileString(summary),
      Schema.decodeUnknownEffect(Schema.fromJsonString(LoadSummary))
    )
    return { end, summary: Option.getOrUndefined(yield* Effect.option(read)) }
  },
  Effect.mapError((error) => usage(`k6 cannot start: ${troubleOf(error)}.`))
)

const save = Effect.fnUntraced(
  function* (directory: string, report: LoadReport.LoadReport) {
    const fs = yield* FileSystem.FileSystem
    const file = join(directory, `load-${report.test}.json`)
    yield* fs.writeFileString(file, `${JSON.stringify(report, null, 2)}\n`)
    return file
  },
  Effect.mapError((error) => usage(`The report cannot be written: ${troubleOf(error)}.`))
)

/** Runs a load test on the chosen target and reports; fails with NotGreen when something is wrong. */
export const loadTest = (options: LoadOptions) =>
  Effect.gen(function* () {
    const plan = yield* planOf(options)
    const given = options.target === "simulated" ? undefined : yield* remote(options, plan)
    const k6 = yield* K6.find(yield* namedK6, Console.error)
    const script = yield* LoadScript.resolve(plan.test.name, k6)
    const directory = yield* ReportDirectory.create(options.reportDir)
    const target = given ?? (yield* LoadTarget.simulated)
    const { style, ...output } = yield* terminal
    const say = (lines: ReadonlyArray<string>) => output.write(`${lines.join("\n")}\n`)
    yield* say([
      style.strong(headline(plan, target, k6)),
      ...(target.simulated ? [] : [`worst case: this will ${worstCase(plan)}, which may cost`])
    ])

    const startedAt = DateTime.formatIso(yield* DateTime.now)
    // from here on Ctrl-C stops k6, and what it has measured is still reported
    return yield* Effect.gen(function* () {
      const { end, summary } = yield* execute(plan, target, { k6, script, output })
      const why = K6Run.failure(end) ?? (summary === undefined ? "it wrote no summary" : undefined)
      if (summary === undefined || why !== undefined) {
        if (end.interrupted) return yield* new NotGreen({ exitCode: 130 })
        yield* Console.error([`The load test did not run: k6 failed, ${why}.`, ...end.said].join("\n"))
        return yield* new NotGreen({ exitCode: 1 })
      }
      const report: LoadReport.LoadReport = {
        tool: { name: "webagent-harness", version, k6: k6.version },
        test: plan.test.name,
        target: { name: target.name, address: target.address, simulated: target.simulated },
        startedAt,
        rate: plan.rate,
        duration_ms: Duration.toMillis(plan.duration),
        took_ms: summary.state.testRunDurationMs,
        verdict: end.interrupted ? "stopped" : end.exitCode === 0 ? "passed" : "failed",
        thresholds: Threshold.all(summary),
        metrics: summary.metrics
      }
      const file = yield* save(directory, report)
      // a service that was started for this is gone, and nothing of it goes on
      const left = given === undefined ? undefined : LoadReport.leftovers(report)
      yield* say([
        ...LoadReport.ending(report, style),
        ...(left === undefined ? [] : [`left     ${left}`]),
        `report   ${file}`
      ])
      if (report.verdict !== "passed") return yield* new NotGreen({ exitCode: end.interrupted ? 130 : 1 })
    }).pipe(Effect.uninterruptible)
  }).pipe(Effect.scoped)
