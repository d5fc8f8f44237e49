import * as Schema from "effect/Schema"
import { Acknowledgement } from "./Acknowledgement.ts"
import { Breach } from "./Breach.ts"
import { Comparison, ScenarioName } from "./Comparison.ts"
import { ExceededRunLimit } from "./ExceededRunLimit.ts"
import { CountedCause, FailureCause } from "./FailureCause.ts"
import { Onset } from "./Onset.ts"
import { Outage } from "./Outage.ts"
import { Partial } from "./Partial.ts"
import { ScenarioLimit } from "./ScenarioLimit.ts"
import { Skip } from "./Skip.ts"
import { LeakedBrowser } from "./Trial.ts"
import { Verdict } from "./Verdict.ts"

/** `error` fails the run, `warning` is worth a look, `note` is for the record. */
export const Severity = Schema.Literals(["error", "warning", "note"])
export type Severity = typeof Severity.Type

/** Result of a run: failed if it has an error, a warning if it has one, otherwise passed. */
export const RunStatus = Schema.Literals(["failed", "warning", "passed"])
export type RunStatus = typeof RunStatus.Type

/** Number of planned trials of a scenario. */
export const TrialCount = Schema.Struct({ passed: Schema.Int, ran: Schema.Int, notRun: Schema.Int })
export type TrialCount = typeof TrialCount.Type

/** Requests that an outage interrupted, and the trials that it ended. */
export const OutageToll = Schema.Struct({
  from: Schema.String,
  /** Null if the run ended before the service was back. */
  until: Schema.NullOr(Schema.String),
  why: Schema.optionalKey(Schema.String),
  trials: Schema.Int,
  /** Cost of these trials; absent in reports of older versions. */
  cost_usd: Schema.optionalKey(Schema.String),
  reruns: Schema.Int,
  /** Interrupted requests, the most frequent first. */
  operations: Schema.Array(CountedCause),
  scenarios: Schema.Int
})
export type OutageToll = typeof OutageToll.Type

/** Reason why a run has too few results for a verdict. */
export const Incomplete = Schema.Union([
  /** Scenarios exceeded the time limit per scenario before a trial finished. */
  Schema.TaggedStruct("ScenarioTimeLimit", {}),
  Schema.TaggedStruct("LostShards", {
    missing: Schema.Int,
    of: Schema.Int,
    /** The numbers of the missing ones; absent in histories of older versions. */
    shards: Schema.optionalKey(Schema.Array(Schema.Int)),
    /** The words behind `run` that all shards have in common, with the seed, if they are stored. */
    args: Schema.optionalKey(Schema.Array(Schema.String)),
    /** The folders of the shards' reports, with `*` for a shard's number: `shards/*`. Absent if they aren't known. */
    folders: Schema.optionalKey(Schema.String)
  }),
  Schema.TaggedStruct("NothingRan", {}),
  Schema.TaggedStruct("TooManyUnreachable", { trials: Schema.Int, of: Schema.Int }),
  Schema.TaggedStruct("Stopped", {}),
  /** A run of a history that had failed and is partial. */
  Schema.TaggedStruct("Partial", { partial: Partial })
])

/** Kinds of findings. The kind decides severity, order and words. */
export const FindingKind = Schema.Union([
  /** No trial passed; `claimedSuccess`: the agent reported success for one. */
  Schema.TaggedStruct("Failed", {
    claimedSuccess: Schema.Boolean,
    cause: Schema.NullOr(FailureCause),
    /** Number of trials with this cause. */
    trials: Schema.Int
  }),
  /** Some trials passed; `isUsual`: earlier runs have failed trials of it too. */
  Schema.TaggedStruct("Flaky", { cause: Schema.NullOr(FailureCause), trials: Schema.Int, isUsual: Schema.Boolean }),
  /** Trials ended without a score because the service was unreachable. */
  Schema.TaggedStruct("Unreachable", {
    cause: Schema.NullOr(FailureCause),
    outage: Schema.NullOr(OutageToll),
    trials: Schema.Int
  }),
  /** Trials without a score because an oracle could not check. */
  Schema.TaggedStruct("Unscored", { cause: Schema.NullOr(FailureCause), trials: Schema.Int }),
  /** Some trials have no score, and others have. */
  Schema.TaggedStruct("PartlyScored", {}),
  /** A trial did not stop its browsers. */
  Schema.TaggedStruct("Leak", {}),
  /** A passed trial did not stop its run or session. */
  Schema.TaggedStruct("AbandonedRun", {}),
  /** `breach` if it belongs to no scenario. */
  Schema.TaggedStruct("BrokenInvariant", {
    invariant: Schema.String,
    /** Number of broken invariants outside of scenarios, if only that is stored. */
    count: Schema.optionalKey(Schema.Int),
    breach: Schema.optionalKey(Breach)
  }),
  /** A scenario's own `maxDuration` or `maxCost`. */
  Schema.TaggedStruct("LimitExceeded", { limit: ScenarioLimit }),
  Schema.TaggedStruct("RunLimitExceeded", { limit: ExceededRunLimit }),
  /** Runs that reported no cost although a cost limit was set. */
  Schema.TaggedStruct("CostUnknown", { runs: Schema.Array(Schema.String) }),
  Schema.TaggedStruct("Regressed", { comparison: Comparison }),
  Schema.TaggedStruct("Unusual", { comparison: Comparison, cause: Schema.NullOr(FailureCause) }),
  /** It did not pass, and its quarantine excuses that. */
  Schema.TaggedStruct("Quarantined", {}),
  Schema.TaggedStruct("QuarantineExpired", { expires: Schema.String }),
  Schema.TaggedStruct("Incomplete", { why: Incomplete }),
  /** Scenarios that a limit kept from running, or from running all their trials. */
  Schema.TaggedStruct("NotRun", { skip: Schema.NullOr(Skip), partly: Schema.Int }),
  /** The service was unreachable; `isWholeRun`: no trial could start. */
  Schema.TaggedStruct("ServiceAway", {
    outage: Outage,
    isWholeRun: Schema.Boolean,
    /** The trials that it interrupted; absent if there are none, and in histories of older versions. */
    toll: Schema.optionalKey(OutageToll),
    /** The words behind `run` that repeat the run, if they are stored. */
    args: Schema.optionalKey(Schema.Array(Schema.String))
  }),
  /** Resources that may still be running and cost money. */
  Schema.TaggedStruct("StillOpen", { resource: Schema.String, count: Schema.Int })
])
export type FindingKind = typeof FindingKind.Type

/** A scenario that a finding is about, with its own facts. */
export const AffectedScenario = Schema.Struct({
  ...ScenarioName.fields,
  /** Its verdict, if that is the finding. */
  verdict: Schema.optionalKey(Verdict),
  /** The cause of its failure. */
  cause: Schema.optionalKey(FailureCause),
  trials: Schema.optionalKey(TrialCount),
  /** Since when it has been so. */
  onset: Schema.optionalKey(Onset),
  /** Its figure compared with earlier runs, if that regressed or is unusual. */
  comparison: Schema.optionalKey(Comparison),
  /** Browsers that it leaked. */
  browsers: Schema.optionalKey(Schema.Array(LeakedBrowser)),
  /** The trials that leaked them, from 1. */
  leakedIn: Schema.optionalKey(Schema.Array(Schema.Int)),
  /** Broken invariants of its trials. */
  breaches: Schema.optionalKey(Schema.Array(Breach)),
  /** True if the quarantine of a failing scenario has expired. */
  isQuarantineExpired: Schema.optionalKey(Schema.Boolean),
  /** Who sees to it: a team, a person or a handle. */
  owner: Schema.optionalKey(Schema.String),
  /** Who is working on it, if someone is. */
  acknowledged: Schema.optionalKey(Acknowledgement)
})
export type AffectedScenario = typeof AffectedScenario.Type

/** One thing that a person should know about a run. */
export const Finding = Schema.Struct({
  kind: FindingKind,
  severity: Severity,
  /** Several if one cause, or one outage, explains them all; empty for the whole run, unless an outage affected some. */
  scenarios: Schema.Array(AffectedScenario),
  /** Since when it has been so, if it is about the whole run. */
  onset: Schema.optionalKey(Onset),
  /** Who is working on it, if it is about the whole run and someone is. */
  acknowledged: Schema.optionalKey(Acknowledgement)
})
export type Finding = typeof Finding.Type

/**
 * True if a finding is about the whole run. An outage and a missing shard are, although they name the scenarios that they
 * affected.
 */
export const isOfRun = ({ kind, scenarios }: Pick<Finding, "kind" | "scenarios">): boolean =>
  scenarios.length === 0 ||
  kind._tag === "ServiceAway" ||
  (kind._tag === "Incomplete" && kind.why._tag === "LostShards")

/** Identifies a problem of the whole run without a figure from night to night. */
export const ofRunKey = ({ kind }: Pick<Finding, "kind">): string => {
  const part =
    "invariant" in kind
      ? kind.invariant
      : "why" in kind
        ? kind.why._tag
        : kind._tag === "RunLimitExceeded"
          ? kind.limit._tag
          : undefined
  return part === undefined ? kind._tag : `${kind._tag} ${part}`
}

/** Result of a run: failed if it has an error, a warning if it has one, otherwise passed. */
export const statusOf = (findings: ReadonlyArray<Finding>): RunStatus =>
  findings.some(({ severity }) => severity === "error")
    ? "failed"
    : findings.some(({ severity }) => severity === "warning")
      ? "warning"
      : "passed"

/** The findings of one severity. */
export const ofSeverity = (findings: ReadonlyArray<Finding>, severity: Severity): ReadonlyArray<Finding> =>
  findings.filter((finding) => finding.severity === severity)
