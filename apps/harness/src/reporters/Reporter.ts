import * as Findings from "@webagent/findings/Findings"
import * as RunWords from "@webagent/findings/words/RunWords"
import type { Night } from "@webagent/nights/Night"
import type { Finding } from "@webagent/report/Finding"
import type { Outage } from "@webagent/report/Outage"
import type { RunEvent } from "@webagent/report/RunEvent"
import type { RunHeader, RunReport, ScenarioResult } from "@webagent/report/RunReport"
import type { Trial } from "@webagent/report/Trial"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import type * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"

/** Services that the effect of a handler can use. */
export type ReporterServices = FileSystem.FileSystem | Stdio.Stdio

/** Result of a handler: the reporter gets the next event when its promise or effect is done. */
export type Handled = void | PromiseLike<void> | Effect.Effect<void, unknown, ReporterServices>

/** Name of a scenario, with the name of its suite. */
export interface ScenarioName {
  readonly suite: string
  readonly scenario: string
}

/** A finished run. */
export interface RunEnded {
  /** The report, as `report.json` stores it. */
  readonly report: RunReport
  /** Everything that a person should know about the run: errors first, then warnings, then notes. */
  readonly findings: ReadonlyArray<Finding>
  /** Sentences for the run and its findings. */
  readonly words: RunWords.RunWords
}

/**
 * Receives the events of a run in order of time. Every handler is optional. A reporter that is slow or fails affects
 * neither the run nor other reporters.
 */
export interface Reporter {
  /** Name of the reporter in error messages. */
  readonly name: string
  /** Called before the first scenario. */
  readonly onRunStarted?: (header: RunHeader) => Handled
  readonly onScenarioStarted?: (scenario: ScenarioName) => Handled
  readonly onTrialStarted?: (trial: ScenarioName & { readonly index: number }) => Handled
  readonly onTrialEnded?: (trial: ScenarioName & { readonly trial: Trial }) => Handled
  /** Called with the result of a scenario after its last planned trial. */
  readonly onScenarioEnded?: (result: ScenarioResult) => Handled
  /** Called when the service stopped responding. */
  readonly onOutageStarted?: (outage: Outage) => Handled
  /** Called when the service responds again. */
  readonly onOutageEnded?: (outage: Outage) => Handled
  /** Called once per second while the run is running. */
  readonly onTick?: () => Handled
  /** Called once, with the whole report. */
  readonly onRunEnded?: (run: RunEnded) => Handled
}

/** Facts about a run that its events don't contain. */
export interface ReporterContext<Options = unknown> {
  /** Options of the reporter in the configuration, decoded by its schema. */
  readonly options: Options
  /** The folder of the run's reports. */
  readonly directory: string
  /** The names of the files that built-in reporters write into this folder. */
  readonly files: ReadonlyArray<string>
  /** The path of the run's page; undefined if none is written. */
  readonly page: string | undefined
  /** Returns the command that runs a scenario again as it ran. */
  readonly replay: (result: ScenarioResult) => string
  /**
   * Says whether a finding may be ignored, and which command makes later nights pass; undefined if the run isn't recorded.
   */
  readonly ignoring: (finding: Finding, report: RunReport) => string | undefined
  /** Parts of commands to show: the program, and flags of files that aren't in their standard places. */
  readonly commands: { readonly program: string; readonly history: string; readonly quarantine: string }
  /** Returns the command that stops leftover runs and browsers; undefined if there are none. */
  readonly reap: (report: RunReport) => string | undefined
  /** Earlier runs in the history, oldest first. */
  readonly nights: ReadonlyArray<Night>
  /** The path of the history; undefined if there is none. */
  readonly history: string | undefined
}

/** A reporter with options: the default export of a reporter module. */
export interface ReporterDefinition<Options = unknown> {
  readonly name: string
  /** Schema of the options in `webagent.config.ts`; without a schema, the reporter takes no options. */
  readonly options?: Schema.Codec<Options, unknown>
  /** Creates the reporter of one run. */
  readonly make: (context: ReporterContext<Options>) => Omit<Reporter, "name">
}

/**
 * Defines a reporter with options. Export it by default from a module, and pass the module's path to `--reporter`.
 *
 * @param definition The name, the schema of the options, and the function that creates the reporter of a run.
 * @returns The definition, unchanged.
 * @example
 * ```ts
 * import { defineReporter } from "webagent-harness"
 *
 * export default defineReporter({
 *   name: "failures",
 *   make: ({ replay }) => ({
 *     onScenarioEnded: (result) => {
 *       if (result.verdict === "failed") console.log(`${result.name}: ${replay(result)}`)
 *     }
 *   })
 * })
 * ```
 */
export const defineReporter = <Options = undefined>(
  definition: ReporterDefinition<Options>
): ReporterDefinition<Options> => definition

/** Names of all handlers. */
export const handlers = [
  "onRunStarted",
  "onScenarioStarted",
  "onTrialStarted",
  "onTrialEnded",
  "onScenarioEnded",
  "onOutageStarted",
  "onOutageEnded",
  "onTick",
  "onRunEnded"
] as const satisfies ReadonlyArray<keyof Reporter>

const handle = (reporter: Reporter, event: RunEvent): Handled => {
  switch (event._tag) {
    case "RunStarted":
      return reporter.onRunStarted?.(event.header)
    case "OutageStarted":
      return reporter.onOutageStarted?.(event.outage)
    case "OutageFinished":
      return reporter.onOutageEnded?.(event.outage)
    case "ScenarioStarted":
      return reporter.onScenarioStarted?.(event)
    case "TrialStarted":
      return reporter.onTrialStarted?.(event)
    case "StepsSeen":
      return undefined
    case "TrialFinished":
      return reporter.onTrialEnded?.(event)
    case "ScenarioFinished":
      return reporter.onScenarioEnded?.(event.result)
    case "RunFinished":
      return reporter.onRunEnded?.({
        report: event.report,
        findings: Findings.of(event.report),
        words: RunWords.of(event.report)
      })
  }
}

/** Calls a handler and waits for its result. An exception is the failure. */
const settled = (call: () => Handled): Effect.Effect<void, unknown, ReporterServices> =>
  Effect.flatMap(Effect.try({ try: call, catch: (error) => error }), (result) =>
    Effect.isEffect(result)
      ? result
      : Predicate.isPromiseLike(result)
        ? Effect.tryPromise({ try: () => result, catch: (error) => error })
        : Effect.void
  )

/** Passes events to a reporter, one at a time, until the stream ends or a handler fails. */
export const consume =
  (reporter: Reporter) =>
  (events: Stream.Stream<RunEvent>): Effect.Effect<void, unknown, ReporterServices> => {
    const { onTick } = reporter
    const all = Stream.runForEach(events, (event) => settled(() => handle(reporter, event)))
    if (onTick === undefined) return all
    return Effect.raceFirst(all, settled(() => reporter.onTick?.()).pipe(Effect.delay("1 second"), Effect.forever))
  }

/** The command that runs one scenario again as it ran. */
export type Replay = ReporterContext["replay"]
