import { quoted } from "@webagent/cli/Program"
import type { Finding, Incomplete } from "@webagent/report/Finding"

type LostShards = Extract<typeof Incomplete.Type, { readonly _tag: "LostShards" }>

/** The next step about missing shards. */
const shardsText = ({ args, of, shards }: LostShards): string => {
  if (args !== undefined)
    return "Run the missing part with this command, then merge its folder with those of the other shards."
  const flags = shards?.map((shard) => `--shard ${shard}/${of}`).join(", then ") ?? "the same --shard"
  return `Run the shard's command again with ${flags} and the same --seed, then merge the shards.`
}

/** Returns the commands of the next step, one per missing shard, joined by `between`; undefined if they aren't known. */
export const commandOf = ({ kind }: Finding, program: string, between = "\n"): string | undefined => {
  if (kind._tag !== "Incomplete" || kind.why._tag !== "LostShards") return undefined
  const { args, of, shards } = kind.why
  return args === undefined
    ? undefined
    : shards
        ?.map((shard) =>
          [`${program} run`, ...args.map(quoted), `--shard ${shard}/${of} --report-dir shard-${shard}`].join(" ")
        )
        .join(between)
}

/** The next step about a finding, in one sentence. `hasTrial` is true if its trial can be opened where the sentence is shown. */
export const text = ({ kind, scenarios }: Finding, hasTrial: boolean): string => {
  switch (kind._tag) {
    case "Failed":
    case "Flaky":
    case "Unusual":
      return hasTrial
        ? `Open the trial, then replay it with the command below.${kind._tag === "Flaky" ? " A single replay may pass." : ""}`
        : "Run the scenario again to see whether it still fails."
    case "Regressed":
      return "Find the change that made it worse. If the new level is intended, accept it."
    case "Unreachable":
    case "ServiceAway":
      return "Check that the service is up, then repeat the run's command with --last-failed."
    case "Incomplete":
      return kind.why._tag === "LostShards"
        ? shardsText(kind.why)
        : "See the run's log for the reason, then run the night again."
    case "Leak":
      return scenarios.every(({ browsers = [] }) => browsers.every(({ stopped }) => stopped))
        ? "Stop the browser in the scenario, even if a check fails."
        : "Stop what is still open, and release it in the scenario."
    case "AbandonedRun":
    case "StillOpen":
      return "Stop what is still open, and release it in the scenario."
    case "QuarantineExpired":
      return "Fix the scenario, or set a new date for its quarantine."
    case "CostUnknown":
      return "Limit the spending at the service."
    default:
      return scenarios.length === 0 ? "See the run's log for details." : "Open the scenario to see its trials."
  }
}
