import { join } from "node:path"
import * as Findings from "@webagent/findings/Findings"
import { exampleOf } from "@webagent/findings/words/FindingText"
import * as IgnoreText from "@webagent/findings/words/IgnoreText"
import * as NextText from "@webagent/findings/words/NextText"
import * as RunText from "@webagent/findings/words/RunText"
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
  const chosen = named ?? url
  if (chosen === (target ?? "simulated")) return file
  const flags = [...file, `--target ${quoted(chosen)}`]
  if (chosen === "simulated" || named !== undefined) return flags
  return [
    ...flags,
    ...(apiKeyEnv === "WEBAGENT_API_KEY" ? [] : [`--api-key-env ${quoted(apiKeyEnv)}`]),
    ...(apiKeyHeader === undefined ? [] : [`--api-key-header ${quoted(apiKeyHeader)}`]),
    ...(control === undefined ? [] : [`--control ${quoted(control)}`]),
    ...(v2SessionId === undefined ? [] : [`--v2-session-id ${quoted(v2SessionId)}`]),
    ...(options.allowPaid ? ["--allow-paid"] : [])
  ]
}

/**
 * Which trials: the first that did not pass, or that leaked, where there are several. Of a flaky scenario all, because a
 * single one may pass.
 */
const trialFlags = (options: RunOptions, { trials, verdict }: ScenarioResult): ReadonlyArray<string> => {
  if (trials.length > 1) {
    if (verdict === "flaky") return [`--trials ${trials.length}`]
    const bad =
      trials.find(({ verdict }) => verdict !== "passed" && verdict !== "skipped") ??
      trials.find(({ leakedBrowsers }) => leakedBrowsers.length > 0)
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
      `${program} ${options.evaluation === undefined ? "run" : "eval"}`,
      quoted(argumentOf(result.suite)),
      `--name ${quoted(result.name)}`,
      ...(options.evaluation?.flags ?? targetFlags(options, config)),
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
      `${program} cleanup`,
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
  (finding: Finding, { header }: RunReport): string | undefined => {
    if (!options.record) return undefined
    const command = IgnoreText.commandOf(finding, header.startedAt, commandsOf(options))
    const each = finding.scenarios.length > 1 && finding.kind._tag !== "Regressed" ? " (and the others)" : ""
    return command === undefined ? IgnoreText.text(finding) : `${IgnoreText.of(finding).answer}: ${command}${each}`
  }

/**
 * Suggests the next step after a run: a sentence, and its commands in the next lines. Undefined if the run was stopped, or
 * if no command is known for its findings.
 */
export const next =
  (options: RunOptions, replayOf: (result: ScenarioResult) => string, config: Config = {}) =>
  (report: RunReport, directory?: string): string | undefined => {
    const stop = reap(options, config)(report, directory)
    if (stop !== undefined) return stop
    if (report.interrupted) return undefined
    const resultOf = Findings.resultsByName(report)
    const steps = [...Findings.errorsOf(report), ...Findings.warningsOf(report)].map((finding) => {
      const example = finding.kind._tag === "Incomplete" ? undefined : resultOf(exampleOf(finding))
      return NextText.of(finding, { program, replay: example && replayOf(example) })
    })
    const step = steps.find(({ commands }) => commands.length > 0)
    if (step !== undefined) return [step.text, ...step.commands].join("\n")
    const status = statusOf(Findings.of(report))
    if (report.judgement !== undefined) return RunText.isDone(report) ? `${NextText.nothing}.` : undefined
    if (status === "failed") return undefined
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
