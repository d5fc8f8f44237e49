import { quoted } from "@webagent/cli/Program"
import { counted } from "@webagent/cli/Text"
import type { Finding } from "@webagent/report/Finding"

/** Answer to whether a finding of a night may be ignored. A remedy's sentence has no period, because a command may follow. */
export interface IgnoreText {
  readonly answer: string
  /** The decision that makes later nights pass, if there is one. */
  readonly remedy?: "accept" | "quarantine"
}

/** Returns whether a finding of a night may be ignored. */
export const of = ({ kind, scenarios, severity }: Finding): IgnoreText => {
  if (severity !== "error") return { answer: "Yes. A warning fails no night. Look at it if it appears again." }
  switch (kind._tag) {
    case "Regressed":
      return {
        answer:
          "No, unless it's intended. If it is, this command accepts the new level and all other regressions of this night",
        remedy: "accept"
      }
    case "ServiceAway":
    case "Unreachable":
      return { answer: "No. The interrupted trials tested nothing, so a regression may be hidden." }
    case "Incomplete":
      return {
        answer: `No. ${scenarios.length === 0 ? "What didn't run" : counted(scenarios.length, "scenario")} ${scenarios.length < 2 ? "wasn't" : "weren't"} tested, and later nights won't be compared with this one.`
      }
    case "RunLimitExceeded":
      return { answer: "No. Raise the limit if this much is intended." }
    case "CostUnknown":
      return { answer: "No. A cost limit holds only if the service reports the cost." }
    case "Flaky":
    case "Leak":
      return {
        answer: "No. The night fails whenever it happens. If the problem is known, quarantine it",
        remedy: "quarantine"
      }
    default:
      return scenarios.length === 0
        ? { answer: "No. Every night fails until it's fixed." }
        : {
            answer: "No. Every night fails until it's fixed. If the problem is known, quarantine it",
            remedy: "quarantine"
          }
  }
}

/** Returns whether a finding may be ignored, in one sentence without a command. */
export const text = (finding: Finding): string => {
  const { answer, remedy } = of(finding)
  return remedy === undefined ? answer : `${answer}.`
}

/** Parts of the commands: the program as its user calls it, and the flags of files that aren't in their standard places. */
export interface Commands {
  readonly program: string
  /** Such as ` --history nights.ndjson`, or empty. */
  readonly history: string
  /** Such as ` --quarantine shop.json`, or empty. */
  readonly quarantine: string
}

/** Returns the command of the remedy for a night; undefined if there is none. Of several scenarios, it names the first. */
export const commandOf = (finding: Finding, startedAt: string, { history, program, quarantine }: Commands) => {
  const { remedy } = of(finding)
  const [scenario] = finding.scenarios
  if (remedy === "accept") return `${program} history accept ${startedAt.slice(0, 19)} --note "..."${history}`
  if (remedy === undefined || scenario === undefined) return undefined
  const name = quoted(`${scenario.suite} > ${scenario.name}`)
  const owner = scenario.owner === undefined ? ' --owner "..."' : ""
  const until = new Date(Date.parse(startedAt) + 14 * 86_400_000).toISOString().slice(0, 10)
  return `${program} quarantine add ${name}${owner} --reason "..." --until ${until}${quarantine}${history}`
}
