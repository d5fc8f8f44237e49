import * as Schema from "effect/Schema"
import { Breach } from "./Breach.ts"
import { NotRerun } from "./NotRerun.ts"
import { Skip } from "./Skip.ts"

/** One HTTP request of a scenario; `status` is null when no answer came. */
export const SentRequest = Schema.Struct({
  method: Schema.String,
  path: Schema.String,
  status: Schema.NullOr(Schema.Int),
  duration_ms: Schema.Number
})
export type SentRequest = typeof SentRequest.Type

/**
 * The reason why a trial did not pass: a check, an unhandled error or defect, its timeout, or its scenario's budget or
 * limits.
 */
export const Failure = Schema.Struct({
  kind: Schema.Literals(["check", "error", "defect", "timeout", "budget", "limit"]),
  message: Schema.String,
  expected: Schema.optionalKey(Schema.String),
  actual: Schema.optionalKey(Schema.String),
  /** Only what differs, with what is around it: lines that begin with `- ` are expected, `+ ` came, `  ` are both. */
  diff: Schema.optionalKey(Schema.Array(Schema.String)),
  /** `path:line`, the path relative to where the harness ran. */
  where: Schema.optionalKey(Schema.String),
  /** The line of the suite at `where`. */
  source: Schema.optionalKey(Schema.String),
  /** The last request before it failed. */
  request: Schema.optionalKey(SentRequest),
  /** The service's own error message: `error` of a failed run, or `detail` of the latest response. */
  service: Schema.optionalKey(Schema.String)
})
export type Failure = typeof Failure.Type

/**
 * Verdict of a trial. `failed`: a check failed, an error was not handled, or its time was up. `claimed`: a check failed
 * although the agent reported success. `infra`: the service was unreachable (429, 5xx, no connection, no such host),
 * even on a rerun. `unscored`: an oracle could not check. `skipped`: it was not run, or not completed.
 */
export const TrialVerdict = Schema.Literals(["passed", "failed", "claimed", "infra", "unscored", "skipped"])
export type TrialVerdict = typeof TrialVerdict.Type

/** A browser that a trial created and did not stop; `stopped` says whether the harness could. */
export const LeakedBrowser = Schema.Struct({ id: Schema.String, stopped: Schema.Boolean })
export type LeakedBrowser = typeof LeakedBrowser.Type

/** Something that was made and not seen to its end, and what the harness could do about it when all was over. */
export const Leftover = Schema.Struct({
  /** Kind of resource: `browser`, `run`, `session`. */
  kind: Schema.String,
  /** Null where the client never learnt it. */
  id: Schema.NullOr(Schema.String),
  /** The trial that made it; null where that is not known. */
  trial: Schema.NullOr(Schema.Struct({ suite: Schema.String, scenario: Schema.String, index: Schema.Int })),
  /** `open`: it may continue and cost money. `unknown`: it may not exist. */
  state: Schema.Literals(["stopped", "over", "open", "unknown"]),
  /** The reason why no client saw its end, if that isn't the scenario's doing. */
  reason: Schema.optionalKey(Schema.String),
  /** The response of the service, or the error of the client. */
  why: Schema.optionalKey(Schema.String),
  /** Its whole sentence, in the reports of older versions. */
  sentence: Schema.optionalKey(Schema.String)
})
export type Leftover = typeof Leftover.Type

/** True if it may still be running and cost money. */
export const isOpen = ({ state }: Leftover): boolean => state === "open" || state === "unknown"

/** A try of a trial that only the infrastructure ended, after which it was run again. */
export const Rerun = Schema.Struct({
  /** Milliseconds after the run's start. */
  started_ms: Schema.Number,
  duration_ms: Schema.Number,
  failure: Failure
})
export type Rerun = typeof Rerun.Type

/** Output of a trial with `console` or the logger, in order; consecutive text of one stream is merged. */
export const Printed = Schema.Struct({ stream: Schema.Literals(["stdout", "stderr"]), text: Schema.String })
export type Printed = typeof Printed.Type

/** Opinions of three judges on one trial: true for success, null without an opinion. */
export const Opinions = Schema.Struct({
  /** Result of the scenario's own lookup: its checks by oracles. */
  oracle: Schema.NullOr(Schema.Boolean),
  /** The agent's own opinion (`isSuccess`). */
  agent: Schema.NullOr(Schema.Boolean),
  /** The opinion of the service's judge (`judgeVerdict`). */
  judge: Schema.NullOr(Schema.Boolean)
})
export type Opinions = typeof Opinions.Type

/** Steps of a run's agent, and the address of its live view or recording, if the service provides them. */
export const AgentSteps = Schema.Struct({
  runId: Schema.String,
  liveUrl: Schema.NullOr(Schema.String),
  recordingUrl: Schema.NullOr(Schema.String),
  /** Number of steps that the agent started; `steps` has the last 50. */
  count: Schema.Int,
  steps: Schema.Array(
    Schema.Struct({
      number: Schema.Int,
      beganAt: Schema.String,
      address: Schema.NullOr(Schema.String),
      summary: Schema.String,
      /** "succeeded" or "failed"; null while it is carried out, missing where the service does not say. */
      outcome: Schema.optionalKey(Schema.NullOr(Schema.String)),
      failure: Schema.optionalKey(Schema.NullOr(Schema.String)),
      durationMs: Schema.optionalKey(Schema.NullOr(Schema.Number))
    })
  )
})
export type AgentSteps = typeof AgentSteps.Type

/** One repetition of a scenario. `seed` is what its random inputs came from; `index` counts from 0. */
export const Trial = Schema.Struct({
  index: Schema.Int,
  seed: Schema.Int,
  verdict: TrialVerdict,
  /** The failure that ended it without a score; in files of earlier versions, also the sentence of `skip`. */
  reason: Schema.optionalKey(Schema.String),
  /** The reason why it was skipped. */
  skip: Schema.optionalKey(Skip),
  /** The reason why it was not run again after an infrastructure failure. */
  notRerun: Schema.optionalKey(NotRerun),
  /** Milliseconds after the run's start, of the try that counts. */
  started_ms: Schema.Number,
  duration_ms: Schema.Number,
  /** True if the service was unreachable while it ran, so that its duration is not meaningful. */
  overlapsOutage: Schema.optionalKey(Schema.Boolean),
  checks: Schema.Int,
  /** HTTP requests that it sent. */
  requests: Schema.Int,
  /** Cost of its runs, in USD, as an exact decimal. */
  cost_usd: Schema.String,
  /** Ids of its runs and sessions with an unknown cost, where a limit of cost is set. */
  costUnknown: Schema.optionalKey(Schema.Array(Schema.String)),
  failure: Schema.optionalKey(Failure),
  /** Oldest first: the first failure is never lost. */
  reruns: Schema.Array(Rerun),
  opinions: Schema.optionalKey(Opinions),
  leakedBrowsers: Schema.Array(LeakedBrowser),
  breaches: Schema.Array(Breach),
  /** Its output, if there is any: at most 16,384 characters, followed by the number of omitted ones. */
  output: Schema.optionalKey(Schema.Array(Printed)),
  /** The file of its trace, relative to the report. */
  trace: Schema.optionalKey(Schema.String),
  /** The agent's steps in the last runs of a failed trial; in an evaluation, of a passed one as well. */
  agentSteps: Schema.optionalKey(Schema.Array(AgentSteps))
})
export type Trial = typeof Trial.Type

/** True if a trial is evidence about the service: infrastructure failures, missing evidence and skips are not. */
export const isScored = ({ verdict }: Trial): boolean =>
  verdict === "passed" || verdict === "failed" || verdict === "claimed"

/** True if the duration of a trial is meaningful: it passed, and the service was available all the time. */
export const isTimed = ({ overlapsOutage, verdict }: Trial): boolean => verdict === "passed" && overlapsOutage !== true

/**
 * True if a trial violated a rule that must always hold, regardless of its checks: it leaked a browser or violated an
 * invariant.
 */
export const isUnclean = ({ breaches, leakedBrowsers }: Trial): boolean => breaches.length + leakedBrowsers.length > 0

/**
 * Verdict as reports show it: a trial whose checks passed but that leaked a browser or violated an invariant has
 * failed.
 */
export const shownVerdict = (trial: Trial): TrialVerdict =>
  trial.verdict === "passed" && isUnclean(trial) ? "failed" : trial.verdict
