import { quoted } from "@webagent/cli/Program"
import type { Comparison } from "@webagent/report/Comparison"
import type { Finding, Incomplete } from "@webagent/report/Finding"
import { scenarioTitle } from "@webagent/report/ScenarioTitle"
import { onsetOf } from "../Order.ts"
import { amount } from "./Amounts.ts"
import * as ChangeText from "./ChangeText.ts"
import { listed, shards as shardsText } from "./Names.ts"
import * as OutageText from "./OutageText.ts"
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

/** The next step after a complete run without errors and warnings. */
export const nothing = "Nothing to do"

/** The folders of the shards' reports, if no other ones are known. */
const usualFolders = "shards/*"

/** The reports that are there, and their folders: `the report of shard 2 from the CI to shards/2`. */
const otherReports = (folders: string, of: number, missing: ReadonlyArray<number> = []): string => {
  const others = Array.from({ length: of }, (_, index) => index + 1).filter((shard) => !missing.includes(shard))
  const places = others.map((shard) => folders.replace("*", String(shard)))
  return `the ${others.length === 1 ? "report" : "reports"} of ${shardsText(others)} from the CI to ${listed(places)}`
}

/** The next step about missing shards. */
const lostShardsText = ({ args, folders = usualFolders, of, shards }: LostShards, hasCommands: boolean): string => {
  const names = shards && shardsText(shards)
  const jobs = `Look at ${names === undefined ? "the jobs of the shards that sent no report" : `the job of ${names} first`}. Then`
  if (args !== undefined && names !== undefined && hasCommands)
    return `${jobs} download ${otherReports(folders, of, shards)} in a checkout, and run these commands there: they run ${names} and merge all reports.`
  const flags = shards?.map((shard) => `--shard ${shard}/${of}`).join(", then ") ?? "the same --shard"
  return `${jobs} run the shard's command again with ${flags} and the same --seed, and merge the shards.`
}

/** Runs each missing shard into a folder next to those of the others, then merges all. */
const shardsCommands = ({ args, folders = usualFolders, of, shards = [] }: LostShards, program: string) =>
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

/** True if a scenario of an outage has no result; one without a verdict passed, but was slow. */
const isInterrupted = ({ verdict }: Finding["scenarios"][number]): boolean => verdict !== undefined

/** The commands of a finding itself. */
const commandsOf = ({ kind, scenarios }: Finding, program: string): ReadonlyArray<string> => {
  if (kind._tag === "ServiceAway") {
    const { args } = kind
    if (args === undefined) return []
    const rest = !scenarios.some(isInterrupted) || args.includes(lastFailed) ? [] : [lastFailed]
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

/** The code that changed when a problem began, and who to ask; undefined if no change is known. */
const lookText = (finding: Finding): string | undefined => {
  const suspects = ChangeText.suspects(onsetOf(finding))
  if (suspects === undefined) return undefined
  const { service } = suspects
  if (service !== undefined)
    return `Ask the team that deployed service ${service.is} what changed since ${service.was}.`
  const owners = PeopleText.owners(finding)
  // a team has an article, and a person or a handle has none
  const people = owners === undefined ? undefined : `${/ team$/iu.test(owners) ? "the " : ""}${owners}`
  return `Look at ${suspects.text}${people === undefined ? "" : ` with ${people}`}.`
}

/** The next step about a regression: the code that changed when it began is where to look. */
const regressedText = (finding: Finding, comparison: Comparison, hasReplay: boolean): string => {
  const look = lookText(finding) ?? "Find the change that made it worse."
  const { before, contributors = [] } = comparison
  const [first] = finding.scenarios
  const measured = first === undefined ? contributors[0] : { ...first, before }
  if (!hasReplay || measured === undefined) return look
  const usual = measured.before
  const isOfTrial = usual?._tag === "Duration" || usual?._tag === "Cost"
  return `${look} To measure it again, replay ${scenarioTitle(measured)}${isOfTrial ? ` and compare it with its usual ${amount(usual)} per trial` : ""}.`
}

const openTrial = "Open the trial in the report, then replay it."

/** The next step about scenarios that failed: the code that changed, then the trial that shows the failure. */
const failedText = (finding: Finding, hasReplay: boolean, hasCommands: boolean): string => {
  const isFlaky = finding.kind._tag === "Flaky"
  const look = lookText(finding)
  const begin = look === undefined ? "" : `${look} `
  if (!hasReplay)
    return `${begin}Run the scenario ${isFlaky ? "several times" : "again"} to see whether it still fails.`
  if (!isFlaky)
    return look === undefined ? openTrial : `${begin}To see the failure, open the trial in the report or replay it.`
  const { notRun = 0, ran = 0 } = finding.scenarios[0]?.trials ?? {}
  const times = `${ran + notRun < 2 ? "several" : ran + notRun} times`
  const replay = hasCommands ? `replay the scenario. The command runs it ${times},` : `replay the scenario ${times},`
  return `${begin}Open a failed trial in the report, then ${replay} because a single trial may pass.`
}

/** The next step about a service that didn't respond. */
const awayText = ({ kind, scenarios }: Finding, hasReplay: boolean): string => {
  const isAway = kind._tag === "ServiceAway"
  const recovery = isAway ? OutageText.recovery(kind.outage) : undefined
  const what =
    isAway && !scenarios.some(isInterrupted)
      ? "night again"
      : `interrupted scenarios again in the folder where the night ran: ${lastFailed} reads its report there`
  const others =
    recovery !== undefined
      ? ". Ask the service operator about the outage"
      : hasReplay && !isAway
        ? ", or replay one scenario"
        : ""
  return `${recovery ?? "Check that the service is up first."} Run the ${what}${others}.`
}

/**
 * The next step about a finding. `hasReplay` is true if its trial is in the report and can be replayed, and `hasCommands` if
 * the commands follow.
 */
export const text = (finding: Finding, hasReplay: boolean, hasCommands = true): string => {
  const { kind, scenarios } = finding
  switch (kind._tag) {
    case "Failed":
    case "Flaky":
      return failedText(finding, hasReplay, hasCommands)
    case "Unusual":
      return hasReplay ? openTrial : "Run the scenario again to see whether it still fails."
    case "Regressed":
      return regressedText(finding, kind.comparison, hasReplay)
    case "Unreachable":
    case "ServiceAway":
      return awayText(finding, hasReplay)
    case "Incomplete":
      return kind.why._tag === "LostShards"
        ? lostShardsText(kind.why, hasCommands)
        : "See the run's log for the reason, then run the night again."
    case "Leak":
      return scenarios.every(({ browsers = [] }) => browsers.every(({ stopped }) => stopped))
        ? "Change the scenario so that it always stops its browser, for example in a finalizer."
        : "Stop the open resources, and release them in the scenario."
    case "AbandonedRun":
    case "StillOpen":
      return "Stop the open resources, and release them in the scenario."
    case "QuarantineExpired":
      return "Fix the scenario, or set a new date for its quarantine."
    case "CostUnknown":
      return "Limit the spending at the service, and run without --max-cost, --trial-budget and budgets."
    default:
      return scenarios.length === 0
        ? "See the run's log for details."
        : hasReplay
          ? openTrial
          : "Open the scenario to see its trials."
  }
}
