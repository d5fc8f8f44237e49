import type { ScenarioName } from "@webagent/report/Comparison"
import { scenarioTitle } from "@webagent/report/ScenarioTitle"
import { type Finding, isOfRun } from "@webagent/report/Finding"
import { defined } from "@webagent/cli/Defined"
import { counted, cut } from "@webagent/cli/Text"
import { onsetOf } from "../Order.ts"
import { age, ages } from "./Ages.ts"
import * as ChangeText from "./ChangeText.ts"
import * as ContributionText from "./ContributionText.ts"
import * as EvidenceText from "./EvidenceText.ts"
import * as KindText from "./KindText.ts"
import { listed } from "./Names.ts"
import * as OutageText from "./OutageText.ts"
import * as PeopleText from "./PeopleText.ts"
import * as Statistics from "./Statistics.ts"

/** One scenario of a finding, in words. */
export interface ScenarioText extends ScenarioName, Pick<EvidenceText.Evidence, "evidence" | "cause" | "rate"> {
  readonly title: string
  readonly age?: string
}

/** A finding in words. */
export interface FindingText extends Omit<EvidenceText.Evidence, "rate"> {
  /** The problem, in two or three words. */
  readonly what: string
  /** The scenario's suite and name, the number of scenarios, or what else it is about. */
  readonly place: string
  /** Since when it has been so; with several scenarios, how many have each age. */
  readonly age?: string
  /** Who sees to it; the operator of the service if it was away, and that of the CI if a shard is missing. */
  readonly owner?: string
  /** Whose scenarios an outage interrupted: they don't own it. */
  readonly affected?: string
  /** Who is working on it. */
  readonly acknowledged?: string
  /** When it was first seen, and which code changed then. */
  readonly change?: ChangeText.ChangeText
  /** Says that the evidence is certain, or how often chance alone causes it. */
  readonly certainty?: string
  /** Says that no cause was recorded, and where to look for it. */
  readonly unexplained?: string
  /** The time and the money that an outage cost. */
  readonly cost?: string
  readonly contribution?: ContributionText.Contribution
  /** That several scenarios share it: `one of 4 scenarios with this cause`, `affected by the outage`. */
  readonly shared?: string
  readonly scenarios: ReadonlyArray<ScenarioText>
}

const placeOf = ({ kind, scenarios: [first, ...others] }: Finding): string => {
  if (kind._tag === "Incomplete" || kind._tag === "ServiceAway") return "the whole run"
  if (others.length > 0) return counted(1 + others.length, "scenario")
  if (first !== undefined) return scenarioTitle(first)
  if (kind._tag === "Regressed" || kind._tag === "Unusual") return "the whole night"
  return kind._tag === "BrokenInvariant" ? (kind.breach?.resource ?? "the whole run") : "the whole run"
}

/** The reason why scenarios are in one finding. */
const sharedOf = ({ kind, scenarios }: Finding): string | undefined => {
  if (kind._tag === "Incomplete" || scenarios.length === 0) return undefined
  if (kind._tag === "ServiceAway") return "affected by the outage"
  return scenarios.length === 1
    ? undefined
    : `one of ${scenarios.length} scenarios ${"comparison" in kind ? "like this" : "with this cause"}`
}

const isLostShard = ({ kind }: Pick<Finding, "kind">): boolean =>
  kind._tag === "Incomplete" && kind.why._tag === "LostShards"

/** The reason why the evidence is no coincidence. */
const certaintyOf = ({ kind, scenarios: [first] }: Finding): string | undefined => {
  switch (kind._tag) {
    case "Regressed":
      return Statistics.sureness(kind.comparison)
    case "Failed":
    case "Flaky":
      return first?.comparison && Statistics.sureness(first.comparison)
    case "Leak":
      return "certain: open browsers are counted after each trial, not estimated"
    case "Incomplete": {
      const { why } = kind
      return why._tag === "LostShards"
        ? `certain: only ${why.of - why.missing} of ${counted(why.of, "shard")} sent a report`
        : undefined
    }
    case "ServiceAway": {
      const failed = kind.toll === undefined ? 0 : OutageText.failedRequests(kind.toll)
      return failed === 0 ? undefined : `certain: ${counted(failed, "request")} failed`
    }
    default:
      return undefined
  }
}

/** True if changed code can be the cause. */
const isOfCode = ({ _tag }: Finding["kind"]): boolean => _tag === "Failed" || _tag === "Flaky" || _tag === "Regressed"

/** Names the place to look for a cause that no check and no request shows. */
const unexplainedOf = (finding: Finding): string | undefined => {
  const {
    kind,
    scenarios: [first]
  } = finding
  if (kind._tag === "Leak") {
    const { leakedIn: [trial] = [] } = first ?? {}
    const where = trial === undefined ? "the trial" : `trial ${trial}`
    return `not recorded. In ${where}, find where the scenario finishes without stopping its browser`
  }
  if (kind._tag === "Incomplete" && kind.why._tag === "LostShards")
    return `unknown: only the CI ${kind.why.missing === 1 ? "job's log of the missing shard" : "job logs for the missing shards"} can show it`
  if (kind._tag === "ServiceAway") return "unknown: only the service's log can show it"
  // a check says what differs, and a service's own error says why
  const suspects = isOfCode(kind) ? ChangeText.suspects(onsetOf(finding)) : undefined
  if (suspects !== undefined) return `probably ${suspects.text}: no other recorded version changed`
  const isFlake = kind._tag === "Flaky" && kind.cause?.facts._tag === "Check"
  return isFlake
    ? "unknown: the check shows the difference but not the reason. Compare a failed trial's requests with those of a passed one"
    : undefined
}

/** A finding in words. */
export const describe = (finding: Finding): FindingText => {
  const { kind, scenarios } = finding
  const [first] = scenarios
  const isWhole = kind._tag === "Incomplete" || isOfRun(finding)
  const isSeveral = scenarios.length > 1 && !isWhole
  const { rate: _, ...evidence } = isSeveral
    ? EvidenceText.ofSeveral(finding)
    : first === undefined || isWhole
      ? kind._tag === "Regressed" || kind._tag === "Unusual"
        ? { evidence: Statistics.evidence(kind.comparison) }
        : { evidence: EvidenceText.ofRun(finding) }
      : EvidenceText.ofScenario(finding, first)
  const onset = isWhole ? finding.onset : onsetOf(finding)
  const isAffecting = kind._tag === "Unreachable" || kind._tag === "ServiceAway"
  const isLost = isLostShard(finding)
  // its first night is this one
  const isFirst = kind._tag === "ServiceAway" && onset?.nights === 1
  const its = isSeveral ? ages(scenarios.map(({ onset }) => onset)) : onset && age(onset, isLost)
  const course =
    kind._tag === "ServiceAway" && !kind.isWholeRun
      ? OutageText.course(kind.outage, isFirst ? onset.since : undefined)
      : undefined
  const since = [its, course].filter((part) => part !== undefined).join(", ")
  const contribution = "comparison" in kind ? ContributionText.of(kind.comparison) : undefined
  return {
    ...evidence,
    what: KindText.text(finding),
    place: placeOf(finding),
    ...defined({
      age: since === "" ? undefined : since,
      contribution,
      certainty: certaintyOf(finding),
      unexplained: unexplainedOf(finding),
      cost:
        kind._tag === "ServiceAway" && !kind.isWholeRun
          ? OutageText.cost(kind.outage, kind.toll ?? { trials: 0 })
          : undefined,
      owner: PeopleText.ownerText(finding),
      affected: isAffecting ? PeopleText.owners(finding) : undefined,
      acknowledged: PeopleText.acknowledged(finding),
      change: ChangeText.text(
        onset,
        isFirst
          ? OutageText.began(kind.outage, onset.since)
          : isLost && onset?.nights === 1
            ? `with this run, ${ChangeText.minute(onset.since)} UTC`
            : undefined
      ),
      shared: sharedOf(finding)
    }),
    scenarios: scenarios.map((scenario): ScenarioText => {
      const { name, onset, suite } = scenario
      const { cause, evidence, rate } = EvidenceText.ofScenario(finding, scenario)
      const title = scenarioTitle(scenario)
      return { suite, name, title, evidence, ...defined({ cause, rate, age: onset && age(onset) }) }
    })
  }
}

const longestCause = 140

/** A finding in one line, with its cause, the names of its scenarios and who sees to it. */
export const brief = (finding: Finding): string => {
  const text = describe(finding)
  const { cause, evidence, place, scenarios } = text
  const head = `${place}: ${KindText.text(finding)}${text.age === undefined ? "" : ` (${text.age})`}: ${cut(cause ?? evidence, longestCause)}`
  const named = text.shared === undefined ? head : `${head} · ${listed(scenarios.map(({ title }) => title))}`
  const owned = text.owner === undefined ? named : `${named} · owner ${text.owner}`
  return text.affected === undefined ? owned : `${owned} · affected: ${text.affected}`
}

/**
 * The scenario to look at: the finding's first, or the one that added most to a whole run; undefined of an outage or a
 * missing shard, because a replay of one scenario shows nothing of it.
 */
export const exampleOf = (finding: Finding): ScenarioName | undefined => {
  const { kind, scenarios } = finding
  if (kind._tag === "ServiceAway" || isLostShard(finding)) return undefined
  return scenarios[0] ?? ("comparison" in kind ? kind.comparison.contributors?.[0] : undefined)
}
