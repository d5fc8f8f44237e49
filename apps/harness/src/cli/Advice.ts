import { join } from "node:path"
import * as Findings from "@webagent/findings/Findings"
import { exampleOf } from "@webagent/findings/words/FindingText"
import * as IgnoreText from "@webagent/findings/words/IgnoreText"
import * as NextText from "@webagent/findings/words/NextText"
import * as NightFile from "@webagent/nights/NightFile"
import * as Quarantine from "@webagent/nights/Quarantine"
import { type Finding, statusOf } from "@webagent/report/Finding"
import type { RunReport, ScenarioResult } from "@webagent/report/RunReport"
import { isOpen } from "@webagent/report/Trial"
import type { Config } from "../config/Config.ts"
import { program, quoted } from "./Program.ts"
import type { RunOptions } from "./RunFlags.ts"

/** The flags that lead to the same target, where the configuration alone does not. */
const targetFlags = (options: RunOptions, { targets = {}, target }: Config): ReadonlyArray<string> => {
  const file = options.config === undefined ? [] : [`--config ${quoted(options.config)}`]
  const { apiKeyEnv, apiKeyHeader, control, target: url, v2SessionId } = options
  const named = Object.keys(targets).find((name) => targets[name]?.url === url)
  const asked = named ?? url
  if (asked === (target ?? "simulated")) return file
  const flags = [...file, `--target ${quoted(asked)}`]
  if (asked === "simulated" || named !== undefined) return flags
  return [
    ...flags,
    ...(apiKeyEnv === "WEBAGENT_API_KEY" ? [] : [`--api-key-env ${quoted(apiKeyEnv)}`]),
    ...(apiKeyHeader === undefined ? [] : [`--api-key-header ${quoted(apiKeyHeader)}`]),
    ...(control === undefined ? [] : [`--control ${quoted(control)}`]),
    ...(v2SessionId === undefined ? [] : [`--v2-session-id ${quoted(v2SessionId)}`]),
    ...(options.allowPaid ? ["--allow-paid"] : [])
  ]
}

/** Which trials: the first that did not pass, where there are several. */
const trialFlags = (options: RunOptions, { trials }: ScenarioResult): ReadonlyArray<string> => {
  if (trials.length > 1) {
    const bad = trials.find(({ verdict }) => verdict !== "passed" && verdict !== "skipped")
    if (bad !== undefined) return [`--trial ${bad.index + 1}`]
  }
  if (options.trial !== undefined) return [`--trial ${options.trial}`]
  if (options.trials === undefined) return []
  return [`--trials ${options.keepsDeclaredTrials ? Math.max(1, trials.length) : options.trials}`]
}

/** The command that runs one scenario again with the same random inputs. `argumentOf` names a suite's file or name. */
export const replay =
  (options: RunOptions, argumentOf: (suite: string) => string, config: Config = {}) =>
  (result: ScenarioResult): string =>
    [
      `${program} run`,
      quoted(argumentOf(result.suite)),
      `--name ${quoted(result.name)}`,
      ...targetFlags(options, config),
      ...trialFlags(options, result),
      `--seed ${options.seed}`
    ].join(" ")

/**
 * The command that stops what a run left open, where there is a ledger of it: with a service that is still there.
 * `directory` is the folder of the report.
 */
export const reap =
  (options: RunOptions, config: Config = {}) =>
  (report: RunReport, directory: string | undefined): string | undefined => {
    if (!report.leftovers?.some(isOpen) || directory === undefined || options.target === "simulated") return undefined
    const { apiKeyEnv, config: file, target } = options
    const named = Object.keys(config.targets ?? {}).find((name) => config.targets?.[name]?.url === target)
    return [
      `${program} reap`,
      `--ledger ${quoted(join(directory, "ledger"))}`,
      `--target ${quoted(named ?? target)}`,
      ...(file === undefined ? [] : [`--config ${quoted(file)}`]),
      ...(named !== undefined || apiKeyEnv === "WEBAGENT_API_KEY" ? [] : [`--api-key-env ${quoted(apiKeyEnv)}`])
    ].join(" ")
  }

/** The parts of commands about the history and the quarantine of a run. */
export const commandsOf = ({
  history = NightFile.standard,
  quarantine = Quarantine.standard
}: Pick<RunOptions, "history" | "quarantine">): IgnoreText.Commands => {
  const flag = (name: string, value: string, standard: string) =>
    value === standard ? "" : ` --${name} ${quoted(value)}`
  return {
    program,
    history: flag("history", history, NightFile.standard),
    quarantine: flag("quarantine", quarantine, Quarantine.standard)
  }
}

/**
 * Says whether a finding of a night may be ignored, and which command makes later nights pass; undefined without a history.
 */
export const ignoring =
  (options: RunOptions) =>
  (finding: Finding): string | undefined => {
    if (!options.record) return undefined
    const { answer } = IgnoreText.of(finding)
    const command = IgnoreText.commandOf(finding, commandsOf(options))
    const each = finding.scenarios.length > 1 && finding.kind._tag !== "Regressed" ? " (and the others)" : ""
    return command === undefined ? answer : `${answer}: ${command}${each}`
  }

/**
 * Suggests the next step after a run, in one line; undefined if the run was stopped, or if it passed and was compared
 * with earlier nights.
 */
export const next =
  (options: RunOptions, replayOf: (result: ScenarioResult) => string, config: Config = {}) =>
  (report: RunReport, directory?: string): string | undefined => {
    const stop = reap(options, config)(report, directory)
    if (stop !== undefined) return stop
    if (report.interrupted) return undefined
    const resultOf = Findings.resultsByName(report)
    const worst = [...Findings.errorsOf(report), ...Findings.warningsOf(report)]
      .filter(({ kind }) => kind._tag !== "Incomplete")
      .map((finding) => resultOf(exampleOf(finding)))
      .find((result) => result !== undefined)
    if (worst !== undefined) return replayOf(worst)
    const [command] = Findings.errorsOf(report).flatMap((finding) => NextText.commandOf(finding, program, " && ") ?? [])
    if (command !== undefined) return command
    if (statusOf(Findings.of(report)) === "failed" || report.judgement !== undefined) return undefined
    if (options.target === "simulated") {
      const { suites } = report.header
      // the same suites again; of all that are built in, one
      const all = suites.some(({ argument }) => argument !== undefined) ? [] : ["v4-runs"]
      const ran = options.suites.length === 0 ? all : suites.map(({ argument, name }) => quoted(argument ?? name))
      const [target = "https://your.service", { apiKeyEnv = "WEBAGENT_API_KEY" } = {}] =
        Object.entries(config.targets ?? {})[0] ?? []
      return `${[`${program} run --target ${target}`, ...ran].join(" ")}   (needs ${apiKeyEnv})`
    }
    const unpaid = report.results.some(({ needs, verdict }) => verdict === "skipped" && needs.includes("money"))
    return unpaid && !options.allowPaid
      ? `${[`${program} run`, ...targetFlags(options, config)].join(" ")} --allow-paid   (runs and browsers may cost)`
      : undefined
  }
