import { quoted } from "@webagent/cli/Program"
import type { Finding } from "@webagent/report/Finding"

/** Answer to whether a finding of a night may be ignored. */
export interface IgnoreText {
  readonly answer: string
  /** The decision that makes later nights pass, if there is one. */
  readonly remedy?: "accept" | "quarantine"
}

/** Returns whether a finding of a night may be ignored. */
export const of = ({ kind, scenarios, severity }: Finding): IgnoreText => {
  if (severity !== "error") return { answer: "yes, a warning fails no night; look at it if it comes again" }
  switch (kind._tag) {
    case "Regressed":
      return { answer: "only if it is intended", remedy: "accept" }
    case "ServiceAway":
    case "Unreachable":
      return {
        answer:
          "no, trials that did not reach the service say nothing about it; check the service, then run the night again"
      }
    case "Incomplete":
      return {
        answer: `no, what did not run was not checked, and this night is no baseline for later ones; ${kind.why._tag === "LostShards" ? "run the missing shard again, then merge" : "run the night again"}`
      }
    case "RunLimitExceeded":
      return { answer: "no; raise the limit if this much is intended" }
    case "CostUnknown":
      return { answer: "no, a limit of cost holds only if the service reports the cost" }
    default:
      return scenarios.length === 0
        ? { answer: "no, nights fail until it is fixed" }
        : { answer: "no, nights fail until it is fixed; if the problem is known", remedy: "quarantine" }
  }
}

/** Returns whether a finding may be ignored, in one sentence without a command. */
export const text = (finding: Finding): string => {
  const { answer, remedy } = of(finding)
  if (remedy === undefined) return answer
  return remedy === "accept"
    ? `${answer}; then accept the new level`
    : `${answer}, quarantine ${finding.scenarios.length > 1 ? "the scenarios" : "the scenario"}`
}

/** Parts of the commands: the program as its user calls it, and the flags of files that aren't in their standard places. */
export interface Commands {
  readonly program: string
  /** Such as ` --history nights.ndjson`, or empty. */
  readonly history: string
  /** Such as ` --quarantine shop.json`, or empty. */
  readonly quarantine: string
}

/** Returns the command of the remedy; undefined if there is none. Of several scenarios, it names the first. */
export const commandOf = (finding: Finding, { history, program, quarantine }: Commands): string | undefined => {
  const { remedy } = of(finding)
  const [scenario] = finding.scenarios
  if (remedy === "accept") return `${program} history accept last${history}`
  if (remedy === undefined || scenario === undefined) return undefined
  const name = quoted(`${scenario.suite} > ${scenario.name}`)
  const owner = scenario.owner === undefined ? " --owner NAME" : ""
  return `${program} quarantine add ${name}${owner} --reason TEXT --until DAY${quarantine}${history}`
}
