import * as Schema from "effect/Schema"
import { Acknowledgement } from "./Acknowledgement.ts"
import { Finding } from "./Finding.ts"
import { Machine } from "./Machine.ts"
import { NotRerun } from "./NotRerun.ts"
import * as Money from "@webagent/cli/Money"
import { NightJudgement, ReleaseProposal } from "./NightJudgement.ts"
import { Onset } from "./Onset.ts"
import { Outage } from "./Outage.ts"
import { Revisions } from "./Revision.ts"
import { ScenarioLimit } from "./ScenarioLimit.ts"
import { StoredPartial, StoredRunLimit, StoredSelection } from "./StoredSentences.ts"
import * as Skip from "./Skip.ts"
import { StoredArgument } from "./StoredArgument.ts"
import { Breach } from "./Breach.ts"
import { Verdict } from "./Verdict.ts"
import { Failure, isUnclean, type LeakedBrowser, Leftover, Trial } from "./Trial.ts"

/** Who watches over a scenario that is known to fail, why, and until when. */
const Quarantined = Schema.Struct({
  owner: Schema.String,
  reason: Schema.String,
  /** The last day, `2026-12-01`. */
  expires: Schema.String,
  expired: Schema.Boolean
})

/** Number of passed trials, and the resulting estimate for the next ones. */
export const PassRate = Schema.Struct({
  passed: Schema.Int,
  /** Passed, failed and claimed together: only these say something about the service. */
  scored: Schema.Int,
  /** `passed / scored`. */
  rate: Schema.Number,
  /** Within what the true rate lies, with a confidence of 95 %. */
  low: Schema.Number,
  high: Schema.Number
})
export type PassRate = typeof PassRate.Type

/** The pass rate of several scenarios together: each scenario weighs the same. */
export const SuiteFigures = Schema.Struct({
  /** Null for all suites together. */
  suite: Schema.NullOr(Schema.String),
  /** Scenarios with a scored trial. */
  scenarios: Schema.Int,
  passed: Schema.Int,
  scored: Schema.Int,
  /** The mean of the scenarios' rates. */
  rate: Schema.Number,
  /** 95 % confidence interval of `rate`, for other scenarios of the same kind; null of a single scenario. */
  interval: Schema.NullOr(Schema.Struct({ low: Schema.Number, high: Schema.Number })),
  /** The k of `passAtK` and `passHatK`, and the number of scenarios that have k trials. */
  k: Schema.Int,
  scenariosOfK: Schema.Int,
  /** Probability that at least one of `k` trials passes, and that all do. */
  passAtK: Schema.Number,
  passHatK: Schema.Number
})
export type SuiteFigures = typeof SuiteFigures.Type

/** More trials of a scenario that failed or looked slow, in the same night, and what a sequential test says of them. */
export const Confirmation = Schema.Struct({
  figure: Schema.Literals(["pass rate", "duration"]),
  outcome: Schema.Literals(["confirmed", "not confirmed", "undecided"]),
  /** Which limit kept the test from its end. */
  skip: Schema.optionalKey(Skip.Skip),
  trials: Schema.Array(Trial)
})
export type Confirmation = typeof Confirmation.Type

/** Result of a scenario; `failure` is that of its first trial that did not pass. */
export const ScenarioResult = Schema.Struct({
  suite: Schema.String,
  name: Schema.String,
  /** The shard that ran it, in a report that was put together. */
  shard: Schema.optionalKey(Schema.Int),
  /** A hash of how it is written; another one is another scenario to a history. */
  source: Schema.optionalKey(Schema.String),
  tags: Schema.Array(Schema.String),
  /** Who looks at its failures: a team, a person or a handle; absent if it declares none. */
  owner: Schema.optionalKey(Schema.String),
  needs: Schema.Array(Schema.String),
  verdict: Verdict,
  /** The failure that left it, or one of its trials, without a score; earlier versions also stored the sentence of `skip`. */
  reason: Schema.optionalKey(Schema.String),
  /** The reason why it, or one of its trials, was skipped. */
  skip: Schema.optionalKey(Skip.Skip),
  /** The reason why one of its trials was not run again after an infrastructure failure. */
  notRerun: Schema.optionalKey(NotRerun),
  failure: Schema.optionalKey(Failure),
  /** Milliseconds after the run's start. */
  started_ms: Schema.Number,
  duration_ms: Schema.Number,
  checks: Schema.Int,
  /** Cost of the runs of all its trials, including those of `confirm`, in USD, as an exact decimal. */
  cost_usd: Schema.String,
  /** The planned ones: verdict and pass rate are theirs alone. */
  trials: Schema.Array(Trial),
  /** Extra trials, if it got any. */
  confirm: Schema.optionalKey(Confirmation),
  /** Its own limits, `maxDuration` and `maxCost`, that its planned trials exceeded. */
  exceeded: Schema.optionalKey(Schema.Array(ScenarioLimit)),
  /** Pass rate, if it has several trials and at least one is scored. */
  passRate: Schema.optionalKey(PassRate),
  quarantine: Schema.optionalKey(Quarantined),
  /** Who is working on its problem, if someone is. */
  acknowledged: Schema.optionalKey(Acknowledgement),
  /** Since when its trials do not pass, and since when it breaks what must always hold; where nights before are known. */
  onset: Schema.optionalKey(Schema.Struct({ trials: Schema.optionalKey(Onset), invariants: Schema.optionalKey(Onset) }))
})
export type ScenarioResult = typeof ScenarioResult.Type

/** Limits of a run; what is missing has none. */
export const Limits = Schema.Struct({
  time_ms: Schema.optionalKey(Schema.Number),
  /** For all trials of one scenario together. */
  scenarioTime_ms: Schema.optionalKey(Schema.Number),
  /** An exact decimal. */
  cost_usd: Schema.optionalKey(Schema.String),
  /** Maximum cost of a trial if its scenario declares no budget, as an exact decimal. */
  trialBudget_usd: Schema.optionalKey(Schema.String),
  requests: Schema.optionalKey(Schema.Int),
  /** Time that the run waits for a service that does not respond. */
  outage_ms: Schema.optionalKey(Schema.Number),
  /** Maximum number of reruns after an infrastructure failure, of all trials together. */
  reruns: Schema.optionalKey(Schema.Int),
  /** Maximum number of extra trials, of all scenarios together. */
  confirm: Schema.optionalKey(Schema.Int),
  /** Maximum number of extra trials for each scenario that may cost money, if no cost limit applies. */
  paidConfirm: Schema.optionalKey(Schema.Int),
  /** After how many failed scenarios nothing more begins. */
  bail: Schema.optionalKey(Schema.Int)
})
export type Limits = typeof Limits.Type

/**
 * Trials that ran when their run was killed, and that run again. Their real cost is unknown: each is charged its part of
 * the scenario's declared budget.
 */
export const InterruptedTrials = Schema.Struct({
  trials: Schema.Int,
  /** Amount charged for all of them in USD, an exact decimal; null if one has no budget. */
  most_usd: Schema.NullOr(Schema.String)
})
export type InterruptedTrials = typeof InterruptedTrials.Type

/** When a run was taken up again after it was killed, how much of it had been done, and how long that had taken. */
const Resumptions = Schema.Array(
  Schema.Struct({
    at: Schema.String,
    kept: Schema.Int,
    after_ms: Schema.Number,
    /** The trials that ran when it was killed, where any may have cost. */
    cut: Schema.optionalKey(InterruptedTrials)
  })
)

/** Description of a run before it starts. */
export const RunHeader = Schema.Struct({
  tool: Schema.Struct({ name: Schema.String, version: Schema.String }),
  startedAt: Schema.String,
  seed: Schema.Int,
  concurrency: Schema.Int,
  /** Number of trials of each scenario; null if each scenario declares its own. */
  trials: Schema.NullOr(Schema.Int),
  limits: Limits,
  /** The filters of `--tag`, `--name` and others; absent if all scenarios are selected. */
  selection: Schema.optionalKey(StoredSelection),
  machine: Schema.optionalKey(Machine),
  /** The code of suites, harness and service. */
  revisions: Schema.optionalKey(Revisions),
  /** Which part of all scenarios this is, from 1; `plan` says of all, in their order, in which part each is. */
  shard: Schema.optionalKey(
    Schema.Struct({
      index: Schema.Int,
      of: Schema.Int,
      plan: Schema.optionalKey(
        Schema.Array(Schema.Struct({ suite: Schema.String, name: Schema.String, shard: Schema.Int }))
      ),
      /** Hash of all scenarios of the plan: shards with another hash are not parts of one run. */
      suitesHash: Schema.optionalKey(Schema.String)
    })
  ),
  target: Schema.Struct({
    name: Schema.String,
    address: Schema.String,
    simulated: Schema.Boolean,
    capabilities: Schema.Array(Schema.String)
  }),
  /** `argument` names a suite on the command line where its name does not: its file. */
  suites: Schema.Array(
    Schema.Struct({ name: Schema.String, scenarios: Schema.Int, argument: Schema.optionalKey(Schema.String) })
  ),
  /** The words behind `run` that it was called with: how it is taken up again when it was killed. */
  args: Schema.optionalKey(Schema.Array(StoredArgument)),
  /** Hash of the selected scenarios: a run is not resumed if they have changed. */
  suitesHash: Schema.optionalKey(Schema.String),
  resumed: Schema.optionalKey(Resumptions)
})
export type RunHeader = typeof RunHeader.Type

/** Number of scenarios per verdict, and of violations in all trials. */
export const Counts = Schema.Struct({
  passed: Schema.Int,
  flaky: Schema.Int,
  failed: Schema.Int,
  claimed: Schema.Int,
  infra: Schema.Int,
  unscored: Schema.Int,
  skipped: Schema.Int,
  trials: Schema.Int,
  reruns: Schema.Int,
  requests: Schema.Int,
  leakedBrowsers: Schema.Int,
  breaches: Schema.Int
})
export type Counts = typeof Counts.Type

/** A whole run, as `report.json` holds it: results in the order of the suites, whatever order they ended in. */
export const RunReport = Schema.Struct({
  format: Schema.Literal(3),
  header: RunHeader,
  duration_ms: Schema.Number,
  /** True if it was stopped before every scenario had run. */
  interrupted: Schema.Boolean,
  counts: Counts,
  /** Cost of all runs, in USD, as an exact decimal. */
  cost_usd: Schema.String,
  /** Figures of suites whose scenarios have several trials: first all suites together, then each. */
  figures: Schema.optionalKey(Schema.Array(SuiteFigures)),
  results: Schema.Array(ScenarioResult),
  /** The shards that it was put together from: `duration_ms` of the whole is then that of the longest. */
  shards: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        index: Schema.Int,
        of: Schema.Int,
        startedAt: Schema.String,
        duration_ms: Schema.Number,
        interrupted: Schema.Boolean,
        /** The words behind `run` that it was called with. */
        args: Schema.optionalKey(Schema.Array(StoredArgument)),
        resumed: Schema.optionalKey(Resumptions)
      })
    )
  ),
  /** The limits of the whole run that its shards exceeded together. */
  crossed: Schema.optionalKey(Schema.Array(StoredRunLimit)),
  /** When nothing answered at the target, in their order in time. */
  outages: Schema.optionalKey(Schema.Array(Outage)),
  /** Violations that the server's own journal or the ledger shows and that belong to no single trial. */
  breaches: Schema.Array(Breach),
  /** Resources that were still open after the last trial, and the result of stopping them. */
  leftovers: Schema.optionalKey(Schema.Array(Leftover)),
  /** Judgment by the earlier nights; absent without a history. */
  judgement: Schema.optionalKey(NightJudgement),
  /** Who is working on a regression of the whole run, if someone is. */
  acknowledged: Schema.optionalKey(Acknowledgement),
  /** Who is working on problems of the whole run without a figure, such as an outage, by the kind of finding. */
  acknowledgedKinds: Schema.optionalKey(Schema.Record(Schema.String, Acknowledgement)),
  /** Since when problems of the whole run without a figure have been so, by `ofRunKey`; where nights before are known. */
  onsets: Schema.optionalKey(Schema.Record(Schema.String, Onset)),
  /** The reason why it can't be part of the baseline of later runs; absent if it is complete. */
  partial: Schema.optionalKey(StoredPartial),
  /** Everything that a person should know about it, errors first: it passed if it has no error. */
  findings: Schema.optionalKey(Schema.Array(Finding)),
  /** Quarantined scenarios that have been clean for long enough to be let go. */
  proposals: Schema.optionalKey(Schema.Array(ReleaseProposal))
})
export type RunReport = typeof RunReport.Type

/** The result of a scenario that was not run. */
export const unrun = (
  scenario: Pick<ScenarioResult, "suite" | "name" | "source" | "tags" | "owner" | "needs">,
  started_ms: number,
  why: Skip.Skip
): ScenarioResult => ({
  ...scenario,
  verdict: "skipped",
  skip: why,
  started_ms,
  duration_ms: 0,
  checks: 0,
  cost_usd: "0",
  trials: []
})

/**
 * Verdict of a scenario from its trials. One trial that leaks a browser or violates an invariant fails its scenario.
 */
export const verdictOf = (trials: ReadonlyArray<Trial>): Verdict => {
  if (trials.some((trial) => trial.verdict === "passed" && isUnclean(trial))) return "failed"
  const count = (verdict: Trial["verdict"]) => trials.filter((trial) => trial.verdict === verdict).length
  const [passed, claimed, infra, unscored] = [count("passed"), count("claimed"), count("infra"), count("unscored")]
  if (claimed + count("failed") > 0) return passed > 0 ? "flaky" : claimed > 0 ? "claimed" : "failed"
  // one passed trial does not outweigh many without a score
  if (infra + unscored > passed) return infra >= unscored ? "infra" : "unscored"
  return passed > 0 ? "passed" : "skipped"
}

/** The planned trials of a scenario, then its extra trials: what must never be so counts in all of them. */
export const allTrialsOf = ({ confirm, trials }: ScenarioResult): ReadonlyArray<Trial> =>
  confirm === undefined ? trials : [...trials, ...confirm.trials]

/** A result with its extra trials: one that leaks a browser or breaks an invariant fails its scenario. */
export const withConfirmation = (result: ScenarioResult, confirm: Confirmation): ScenarioResult => ({
  ...result,
  verdict: confirm.trials.some((trial) => trial.verdict === "passed" && isUnclean(trial)) ? "failed" : result.verdict,
  cost_usd: Money.sum([result.cost_usd, ...confirm.trials.map((trial) => trial.cost_usd)]),
  confirm
})

/** The runs and sessions of a scenario with an unknown cost, where a limit of cost is set. */
export const costUnknownOf = (result: ScenarioResult): ReadonlyArray<string> =>
  allTrialsOf(result).flatMap(({ costUnknown = [] }) => costUnknown)

/** Every browser that the trials of a scenario left open. */
export const leakedBrowsersOf = (result: ScenarioResult): ReadonlyArray<LeakedBrowser> =>
  allTrialsOf(result).flatMap(({ leakedBrowsers }) => leakedBrowsers)

/** Everything that must not be, of all trials of a scenario. */
export const breachesOf = (result: ScenarioResult): ReadonlyArray<Breach> =>
  allTrialsOf(result).flatMap(({ breaches }) => breaches)

/**
 * True if a scenario failed only because a trial leaked a browser or violated an invariant, and all its checks passed.
 */
export const isUncleanOnly = (result: ScenarioResult): boolean =>
  result.verdict === "failed" &&
  result.failure === undefined &&
  allTrialsOf(result).some((trial) => trial.verdict === "passed" && isUnclean(trial)) &&
  !result.trials.some((trial) => trial.verdict === "failed")

/** True if a scenario failed only because it took too long or cost too much, and its trials passed. */
export const isOverLimit = ({ failure }: ScenarioResult): boolean => failure?.kind === "limit"

/** Who sees to the problems of a scenario: the owner of its quarantine, or the owner that it declares. */
export const ownerOf = ({ owner, quarantine }: Pick<ScenarioResult, "owner" | "quarantine">): string | undefined =>
  quarantine?.owner ?? owner

/** True if a scenario needs attention, even if it is quarantined. */
export const isBad = (result: ScenarioResult): boolean =>
  (result.verdict !== "passed" && result.verdict !== "skipped") || allTrialsOf(result).some(isUnclean)

/** The counts of some results. */
export const countsOf = (results: ReadonlyArray<ScenarioResult>): Counts => {
  const of = (verdict: Verdict) => results.filter((result) => result.verdict === verdict).length
  const trials = results.flatMap(allTrialsOf)
  const sum = (count: (trial: Trial) => number) => trials.reduce((total, trial) => total + count(trial), 0)
  return {
    passed: of("passed"),
    flaky: of("flaky"),
    failed: of("failed"),
    claimed: of("claimed"),
    infra: of("infra"),
    unscored: of("unscored"),
    skipped: of("skipped"),
    trials: trials.filter(({ verdict }) => verdict !== "skipped").length,
    reruns: sum(({ reruns }) => reruns.length),
    requests: sum(({ requests }) => requests),
    leakedBrowsers: sum(({ leakedBrowsers }) => leakedBrowsers.length),
    breaches: sum(({ breaches }) => breaches.length)
  }
}
