import * as Gate from "@webagent/report/Gate"
import * as Attention from "../reporters/Attention.ts"
import type { RunReport, ScenarioResult } from "@webagent/report/RunReport"
import { program, quoted } from "./Program.ts"
import type { RunOptions } from "./RunFlags.ts"

const targetFlags = (options: RunOptions): ReadonlyArray<string> =>
  options.target === "simulated"
    ? []
    : [
        `--target ${quoted(options.target)}`,
        ...(options.apiKeyEnv === "WEBAGENT_API_KEY" ? [] : [`--api-key-env ${quoted(options.apiKeyEnv)}`]),
        ...(options.control === undefined ? [] : [`--control ${quoted(options.control)}`]),
        ...(options.v2SessionId === undefined ? [] : [`--v2-session-id ${quoted(options.v2SessionId)}`]),
        ...(options.allowPaid ? ["--allow-paid"] : [])
      ]

/** Which trials: the first that did not pass, where there are several. */
const trialFlags = (options: RunOptions, { trials }: ScenarioResult): ReadonlyArray<string> => {
  if (trials.length > 1) {
    const bad = trials.find(({ verdict }) => verdict !== "passed" && verdict !== "skipped")
    if (bad !== undefined) return [`--trial ${bad.index + 1}`]
  }
  if (options.trial !== undefined) return [`--trial ${options.trial}`]
  return options.trials === undefined ? [] : [`--trials ${options.trials}`]
}

/** The command that runs one scenario again with the same random inputs. `argumentOf` names a suite's file or name. */
export const replay =
  (options: RunOptions, argumentOf: (suite: string) => string) =>
  (result: ScenarioResult): string =>
    [
      `${program} run`,
      quoted(argumentOf(result.suite)),
      `--name ${quoted(result.name)}`,
      ...targetFlags(options),
      ...trialFlags(options, result),
      `--seed ${options.seed}`
    ].join(" ")

/** What to do after a run, in one line; nothing when it was stopped. */
export const next =
  (options: RunOptions, replayOf: (result: ScenarioResult) => string) =>
  (report: RunReport): string | undefined => {
    if (report.interrupted) return undefined
    const worst = Attention.items(report).find(({ result }) => result !== undefined)?.result
    if (worst !== undefined) return replayOf(worst)
    if (!Gate.of(report).green) return undefined
    if (options.target === "simulated") {
      const own = report.header.suites.flatMap(({ argument }) => (argument === undefined ? [] : [quoted(argument)]))
      const suites = own.length === 0 ? "--suite v4-runs" : own.join(" ")
      return `${program} run --target https://your.service ${suites}   (needs WEBAGENT_API_KEY)`
    }
    const unpaid = report.results.some(({ needs, verdict }) => verdict === "skipped" && needs.includes("money"))
    return unpaid && !options.allowPaid
      ? `${program} run ${targetFlags(options).join(" ")} --allow-paid   (runs and browsers may cost)`
      : undefined
  }
