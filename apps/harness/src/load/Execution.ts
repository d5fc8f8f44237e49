import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { usage } from "@webagent/report/UserError"
import { describePlatformError } from "@webagent/report/PlatformErrorText"
import * as Complaints from "./Complaints.ts"
import * as K6Run from "./K6Run.ts"
import * as LoadProgress from "./LoadProgress.ts"
import * as LoadSettings from "./LoadSettings.ts"
import { LoadSummary } from "./LoadSummary.ts"
import type { LoadPlan } from "./LoadTest.ts"
import * as MergedSummary from "./MergedSummary.ts"
import * as Points from "./Points.ts"

/** A load, by whom and to whom. */
export interface ExecutionOptions extends Pick<
  K6Run.K6RunOptions,
  "k6" | "script" | "segments" | "dashboard" | "outputs"
> {
  readonly plan: LoadPlan
  readonly settings: LoadSettings.LoadSettings
  readonly addressee: LoadSettings.Addressee
  /** Where the time and what is measured are shown. */
  readonly output: Parameters<typeof LoadProgress.show>[1]
}

/** What came of it. */
export interface Outcome {
  readonly points: Points.Points
  /** Undefined when k6 wrote none that can be read. */
  readonly summary: LoadSummary | undefined
  /** Stopped by hand. */
  readonly interrupted: boolean
  /** Why it says nothing about its target, in a few words. */
  readonly failure: string | undefined
  /** The last lines that the k6 which failed wrote to its standard error. */
  readonly said: ReadonlyArray<string>
  /** What k6 complained of while it ran, whether or not it failed. */
  readonly complaints: ReadonlyArray<Complaints.Complaint>
}

const readSummary = (file: string) =>
  FileSystem.FileSystem.use((fs) => fs.readFileString(file)).pipe(
    Effect.flatMap(Schema.decodeUnknownEffect(Schema.fromJsonString(LoadSummary))),
    Effect.option,
    Effect.map(Option.getOrUndefined)
  )

/** Runs k6 and reads what the script has summed up; k6 ends well also when that could not be written. */
export const run = Effect.fnUntraced(
  function* ({ addressee, output, plan, segments, settings, ...rest }: ExecutionOptions) {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* fs.makeTempDirectoryScoped({ prefix: "webagent-load-" })
    yield* fs.writeFileString(K6Run.configFile(folder), "{}\n")
    const points = Points.make()
    const sofar = { begun_ms: points.begun_ms, measured: () => LoadProgress.facts(points) }
    const progress = yield* Effect.forkChild(LoadProgress.show(plan.duration, output, sofar))
    const ends = yield* K6Run.run({
      ...rest,
      segments,
      folder,
      variables: LoadSettings.variables(plan, settings, addressee),
      hear: points.take
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
            MergedSummary.merge(
              summaries,
              points,
              read.flatMap((summary, segment) => (summary !== undefined && ends[segment]?.aborted ? [summary] : []))
            ),
      interrupted: ends.some(({ interrupted }) => interrupted),
      failure: failed && `${which}${K6Run.failure(failed) ?? "it wrote no summary"}`,
      said: failed?.said ?? [],
      complaints: Complaints.together(ends.flatMap(({ complaints }) => complaints))
    } satisfies Outcome
  },
  Effect.mapError((error) => usage(`k6 cannot start: ${describePlatformError(error)}.`))
)
