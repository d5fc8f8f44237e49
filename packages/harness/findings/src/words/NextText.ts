import { quoted } from "@webagent/cli/Program"
import type { Finding, Incomplete } from "@webagent/report/Finding"
import { onsetOf } from "../Order.ts"
import * as ChangeText from "./ChangeText.ts"
import * as PeopleText from "./PeopleText.ts"

type LostShards = Extract<typeof Incomplete.Type, { readonly _tag: "LostShards" }>

/** The next step about a finding: the same on the console, on the page and in the summary. */
export interface NextText {
  /** One or two sentences without a command. */
  readonly text: string
  /** The commands in their order; empty if none is known. */
  readonly commands: ReadonlyArray<string>
  /** The word in front of the commands. */
  readonly label: "replay" | "run"
}

/** The program as its user calls it, and the command that replays a scenario of the finding, if there is one. */
interface Commands {
  readonly program: string
  readonly replay?: string | undefined
}

/** The next step about missing shards. */
const shardsText = ({ args, of, shards }: LostShards): string => {
  const jobs =
    shards === undefined
      ? "Look at the jobs of the shards that sent no report."
      : `Look at the job of ${shards.length === 1 ? "shard" : "shards"} ${shards.join(", ")} first.`
  if (args !== undefined)
    return `${jobs} Then run the missing part, and merge its report with those of the other shards.`
  const flags = shards?.map((shard) => `--shard ${shard}/${of}`).join(", then ") ?? "the same --shard"
  return `${jobs} Then run the shard's command again with ${flags} and the same --seed, and merge the shards.`
}

/** Runs each missing shard into a folder next to those of the others, then merges all. */
const shardsCommands = ({ args, folders = "shards/*", of, shards = [] }: LostShards, program: string) =>
  args === undefined || shards.length === 0
    ? []
    : [
        ...shards.map((shard) =>
          [
            `${program} run`,
            ...args.map(quoted),
            `--shard ${shard}/${of}`,
            `--report-dir ${quoted(folders.replace("*", String(shard)))}`
          ].join(" ")
        ),
        // a shell expands no quoted pattern
        `${program} merge ${folders}${args.includes("--record") ? " --record" : ""}`
      ]

const lastFailed = "--last-failed"

/** The commands of a finding itself. */
const commandsOf = ({ kind, scenarios }: Finding, program: string): ReadonlyArray<string> => {
  if (kind._tag === "ServiceAway") {
    const { args } = kind
    if (args === undefined) return []
    const rest = scenarios.length === 0 || args.includes(lastFailed) ? [] : [lastFailed]
    return [[`${program} run`, ...args.map(quoted), ...rest].join(" ")]
  }
  return kind._tag === "Incomplete" && kind.why._tag === "LostShards" ? shardsCommands(kind.why, program) : []
}

/** Returns the next step about a finding and its commands. */
export const of = (finding: Finding, { program, replay }: Commands): NextText => {
  const own = commandsOf(finding, program)
  const isReplay = own.length === 0 && replay !== undefined
  return {
    text: text(finding, replay !== undefined),
    commands: isReplay ? [replay] : own,
    label: isReplay ? "replay" : "run"
  }
}

/** The next step about a regression: the code that changed when it began is where to look. */
const regressedText = (finding: Finding, hasReplay: boolean): string => {
  const suspects = ChangeText.suspects(onsetOf(finding))
  const owners = PeopleText.owners(finding)
  // a team has an article, and a person or a handle has none
  const people = owners === undefined ? "" : ` with ${/ team$/iu.test(owners) ? "the " : ""}${owners}`
  const look = suspects === undefined ? "Find the change that made it worse" : `Look at ${suspects}${people}`
  return `${look}.${hasReplay ? " To measure it again, replay a scenario." : ""}`
}

const openTrial = "Open the trial in the report, then replay it."

/** The next step about a finding. `hasReplay` is true if its trial is in the report and can be replayed. */
export const text = (finding: Finding, hasReplay: boolean): string => {
  const { kind, scenarios } = finding
  switch (kind._tag) {
    case "Failed":
    case "Unusual":
      return hasReplay ? openTrial : "Run the scenario again to see whether it still fails."
    case "Flaky":
      return hasReplay
        ? "Open the trial in the report, then replay it several times, because a single trial may pass."
        : "Run the scenario several times to see whether it still fails."
    case "Regressed":
      return regressedText(finding, hasReplay)
    case "Unreachable":
    case "ServiceAway":
      return kind._tag === "ServiceAway" && scenarios.length === 0
        ? "Check that the service is up, then run the night again."
        : `Check that the service is up, then repeat the run's command with ${lastFailed}${hasReplay && kind._tag === "Unreachable" ? ", or replay one scenario" : ""}.`
    case "Incomplete":
      return kind.why._tag === "LostShards"
        ? shardsText(kind.why)
        : "See the run's log for the reason, then run the night again."
    case "Leak":
      return scenarios.every(({ browsers = [] }) => browsers.every(({ stopped }) => stopped))
        ? "Stop the browser in the scenario, even if a check fails."
        : "Stop the open resources, and release them in the scenario."
    case "AbandonedRun":
    case "StillOpen":
      return "Stop the open resources, and release them in the scenario."
    case "QuarantineExpired":
      return "Fix the scenario, or set a new date for its quarantine."
    case "CostUnknown":
      return "Limit the spending at the service."
    default:
      return scenarios.length === 0
        ? "See the run's log for details."
        : hasReplay
          ? openTrial
          : "Open the scenario to see its trials."
  }
}
