import * as CommandLine from "@webagent/cli/CommandLine"
import * as SimulateCommand from "@webagent/simulation/SimulateCommand"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import { compare } from "./cli/compare/compare.ts"
import { doctor } from "./cli/doctor/doctor.ts"
import { drift } from "./cli/drift/drift.ts"
import { evaluation } from "./cli/eval/eval.ts"
import { flagGroups } from "./cli/flagGroups.ts"
import { history } from "./cli/history/history.ts"
import { init } from "./cli/init/init.ts"
import { list } from "./cli/list/list.ts"
import { load } from "./cli/load/load.ts"
import { merge } from "./cli/merge/merge.ts"
import { plan } from "./cli/plan/plan.ts"
import { profile } from "./cli/profile/profile.ts"
import { program, version } from "./cli/Program.ts"
import { quarantine } from "./cli/quarantine/quarantine.ts"
import { cleanup } from "./cli/cleanup/cleanup.ts"
import { record } from "./cli/record/record.ts"
import { run } from "./cli/run/run.ts"
import { showReport } from "./cli/show-report/showReport.ts"
import { ui } from "./cli/ui/ui.ts"
import { replay } from "./cli/replay/replay.ts"

const harness = Command.make("webagent-harness").pipe(
  Command.withDescription("Run scenario suites against a web-agent and hosted-browser service"),
  Command.withSubcommands([
    init,
    run,
    ui,
    plan,
    merge,
    history,
    quarantine,
    compare,
    evaluation,
    list,
    load,
    SimulateCommand.make("serve"),
    record,
    replay,
    drift,
    profile,
    cleanup,
    showReport,
    doctor
  ])
)

/** Flags that became commands, each with the new command. */
const replacements: Readonly<Record<string, string>> = {
  "--cassette": "replay FILE",
  "--ab": "load compare URL_A URL_B --test TEST",
  "--render": "load render TEST FOLDER --target URL"
}

/** Old names of flags and commands. */
const renamed = { "--confirm": "--extra-trials", reap: "cleanup" }

const shortForms: Readonly<Record<string, string>> = {
  "-g": "--name",
  "-j": "--concurrency",
  "-u": "--target",
  "-x": "--bail"
}

/**
 * Writes short flags in full, because the configuration looks at the flags that are typed. `--bail` without a number is 1:
 * effect/cli has that only for a number behind `=`.
 */
const written = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.map((word, index) => {
    const [, short = "", value = ""] = /^(-[gjux])=?(.*)$/su.exec(word) ?? []
    const flag = shortForms[short] ?? word
    if (flag !== word && value !== "") return `${flag}=${value}`
    return flag === "--bail" && !/^-?\d/u.test(words[index + 1] ?? "") ? "--bail=1" : flag
  })

/** The command line, with what a failure prints. */
export const commandLine = CommandLine.run(harness, {
  program,
  version,
  groups: flagGroups,
  renamed,
  replacements
}).pipe(Effect.updateService(Stdio.Stdio, (stdio) => ({ ...stdio, args: Effect.map(stdio.args, written) })))

/** Runs the command line of this process, and ends the process. */
export const main = () =>
  commandLine.pipe(
    Effect.provide(NodeServices.layer),
    NodeRuntime.runMain({ disableErrorReporting: true, teardown: CommandLine.teardown })
  )
