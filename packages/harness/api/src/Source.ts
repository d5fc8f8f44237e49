import type { Entry } from "@webagent/nights/Quarantine"
import type { ScenarioName } from "@webagent/report/Comparison"
import type { Trace } from "@webagent/report/Trace"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { LiveMessage, LiveRequest } from "./Live.ts"
import type { LoadComparison, LoadComparisonSummary, LoadDetail, LoadSummary } from "./Load.ts"
import type {
  AcceptNight,
  AcknowledgeNight,
  CompareOutput,
  NightFigure,
  NightFigures,
  NightDetail,
  NightsMap,
  QuarantineScenario,
  Trend
} from "./Nights.ts"
import type { Project } from "./Project.ts"
import type { Run, RunPage, RunSummary, StartRun } from "./Runs.ts"
import type { SuiteTree } from "./Suites.ts"

/** The reason why something can't be read or done, as one sentence. */
export interface SourceError {
  /** An error of the contract, such as `MissingError`, or `Unreachable` if the command no longer responds. */
  readonly _tag: string
  readonly detail: string
}

type NightInBrief = Pick<CompareOutput["before"], "id" | "startedAt" | "tool">

/** Two nights compared. */
export interface ComparedNights extends Omit<CompareOutput, "before" | "after"> {
  readonly before: NightInBrief
  readonly after: NightInBrief
  /** The reason why it knows less than the `compare` command, as a sentence. */
  readonly note?: string
}

type Read<A> = Effect.Effect<A, SourceError>

/** Changes that a page of a running command can make. */
export interface Actions {
  readonly start: (run: StartRun) => Read<RunSummary>
  readonly stop: (run: string) => Read<RunSummary>
  readonly accept: (night: string, accepted: AcceptNight) => Read<void>
  readonly acknowledge: (night: string, acknowledged: AcknowledgeNight) => Read<void>
  readonly quarantine: (entry: QuarantineScenario) => Read<Entry>
  readonly release: (entry: { readonly suite: string; readonly scenario: string }) => Read<void>
  /**
   * Follows changes, and the events of one run, over one WebSocket. It connects again after a cut with the position of
   * the last event, and fails only if the session is over.
   */
  readonly follow: (request: LiveRequest) => Stream.Stream<LiveMessage, SourceError>
}

/**
 * The data behind the screens: the HTTP API of a running command (`HttpSource`), or the data of an exported page (`Embedded`).
 * Screens know no other way to data, so that both show the same.
 */
export interface Source {
  readonly project: Read<Project>
  readonly suites: Read<SuiteTree>
  readonly runs: (page?: { readonly before?: string; readonly limit?: number }) => Read<RunPage>
  readonly run: (id: string) => Read<Run>
  /** `trace` is `Trial.trace`, such as `traces/12.json`. */
  readonly trace: (run: string, trace: string) => Read<Trace>
  /** A link to a file of a run's folder; undefined if a page that is a file lies elsewhere. */
  readonly linkOf: (run: string, file: string) => string | undefined
  /** A link to the report of a night that the page doesn't have; undefined if there is none. */
  readonly reportOf: (night: string) => string | undefined
  readonly nights: (last?: number) => Read<NightsMap>
  /** The figures of the cells of `nights`. */
  readonly figures: (figure: NightFigure, last?: number) => Read<NightFigures>
  readonly night: (id: string) => Read<NightDetail>
  /** `before` is the earlier night. */
  readonly compare: (night: string, before: string) => Read<ComparedNights>
  /** Null for whole nights. */
  readonly trend: (scenario: ScenarioName | null) => Read<Trend>
  readonly loads: Read<ReadonlyArray<LoadSummary>>
  readonly load: (run: string, test: string) => Read<LoadDetail>
  /** `before` is the run of the earlier test of the same name. */
  readonly compareLoads: (run: string, test: string, before: string) => Read<LoadComparison>
  /** Comparisons of two services under the same load. */
  readonly loadComparisons: Read<ReadonlyArray<LoadComparisonSummary>>
  readonly loadComparison: (run: string, test: string) => Read<LoadComparison>
  /** Null in an exported page. */
  readonly actions: Actions | null
}
