import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { usageOf } from "@webagent/cli/UserError"
import * as K6Log from "./K6Log.ts"
import * as K6Run from "./K6Run.ts"
import * as Progress from "./Progress.ts"
import * as LoadPlan from "./LoadPlan.ts"
import { K6Summary } from "./K6Summary.ts"
import * as SummaryMerge from "./SummaryMerge.ts"
import * as Points from "./Points.ts"

/** Options of a load test's run: the workload, the k6 and the target. */
interface LoadRunOptions extends Pick<K6Run.K6RunOptions, "k6" | "script" | "segments" | "dashboard" | "outputs"> {
  readonly plan: LoadPlan.LoadPlan
  readonly settings: LoadPlan.LoadSettings
  readonly target: LoadPlan.LoadTarget
  /** Destination of the progress. */
  readonly output: Progress.Output
}

/** The outcome of a load test's run. */
export interface Outcome {
  readonly points: Points.Points
  /** Undefined when k6 wrote none that can be read. */
  readonly summary: K6Summary | undefined
  /** Stopped by the user. */
  readonly interrupted: boolean
  /** The reason why the run has no result about its target, in a few words. */
  readonly failure: string | undefined
  /** The last lines that the failed k6 wrote to standard error. */
  readonly stderr: ReadonlyArray<string>
  /** Warnings and errors of k6, whether or not it failed. */
  readonly log: ReadonlyArray<K6Log.LogMessage>
}

const readSummary = (file: string) =>
  FileSystem.FileSystem.use((fs) => fs.readFileString(file)).pipe(
    Effect.flatMap(Schema.decodeUnknownEffect(Schema.fromJsonString(K6Summary))),
    Effect.option,
    Effect.map(Option.getOrUndefined)
  )

/**
 * Runs k6 and reads the summary of its script. A failed load test is an outcome, not an error.
 *
 * @param options - The workload, the k6 with its script, the target, and the number of processes.
 * @returns The measured points and the summary. `failure` is the reason if there is no result about the target.
 * @throws `UserError` if k6 can't be started.
 * @example
 * ```ts
 * import * as K6 from "@webagent/load/K6"
 * import * as LoadRun from "@webagent/load/LoadRun"
 * import * as LoadScript from "@webagent/load/LoadScript"
 * import type { LoadPlan, LoadSettings, LoadTarget } from "@webagent/load/LoadPlan"
 * import * as Measurements from "@webagent/load/Measurements"
 * import * as Console from "effect/Console"
 * import * as Effect from "effect/Effect"
 *
 * export const load = Effect.fn(function* (plan: LoadPlan, settings: LoadSettings, target: LoadTarget) {
 *   const k6 = yield* K6.find(undefined, Console.log)
 *   const script = yield* LoadScript.resolve(k6)
 *   const output = { live: false, write: Console.log }
 *   const { points } = yield* LoadRun.run({ k6, script, segments: 1, plan, settings, target, output })
 *   return Measurements.of(points)
 * }, Effect.scoped)
 * ```
 */
export const run = Effect.fnUntraced(
  function* ({ target, output, plan, segments, settings, ...rest }: LoadRunOptions) {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* fs.makeTempDirectoryScoped({ prefix: "webagent-load-" })
    yield* fs.writeFileString(K6Run.configFile(folder), "{}\n")
    const points = Points.make()
    const running = { begun_ms: points.begun_ms, measured: () => Progress.measurements(points) }
    const progress = yield* Effect.forkChild(Progress.show(plan.duration_ms, running, output))
    const ends = yield* K6Run.run({
      ...rest,
      segments,
      folder,
      variables: LoadPlan.variables(plan, settings, target),
      onLine: points.take
    }).pipe(Effect.ensuring(Fiber.interrupt(progress)))
    const read = yield* Effect.forEach(ends, (_, segment) => readSummary(K6Run.summaryFile(folder, segment)))
    const summaries = read.flatMap((summary) => summary ?? [])
    const [only] = summaries
    const failed =
      ends.find((end) => K6Run.failure(end) !== undefined) ?? ends.find((_, index) => read[index] === undefined)
    const which = failed === undefined || segments === 1 ? "" : `process ${ends.indexOf(failed) + 1} of ${segments}: `
    return {
      points,
      summary:
        segments === 1
          ? only
          : only &&
            SummaryMerge.merge(
              summaries,
              points,
              read.flatMap((summary, segment) => (summary !== undefined && ends[segment]?.aborted ? [summary] : []))
            ),
      interrupted: ends.some(({ interrupted }) => interrupted),
      failure: failed && `${which}${K6Run.failure(failed) ?? "it wrote no summary"}`,
      stderr: failed?.stderr ?? [],
      log: K6Log.together(ends.flatMap(({ log }) => log))
    } satisfies Outcome
  },
  Effect.mapError(usageOf("Cannot start k6"))
)
