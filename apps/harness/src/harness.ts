import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as CliConfig from "effect/cli/CliConfig"
import type * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Runtime from "effect/Runtime"
import * as Stdio from "effect/Stdio"
import { servesUntilStopped } from "./cli/ExitCode.ts"
import { compare } from "./cli/compare/compare.ts"
import { doctor } from "./cli/doctor/doctor.ts"
import { drift } from "./cli/drift/drift.ts"
import { history } from "./cli/history/history.ts"
import { init } from "./cli/init/init.ts"
import { list } from "./cli/list/list.ts"
import { load } from "./cli/load/load.ts"
import { merge } from "./cli/merge/merge.ts"
import { plan } from "./cli/plan/plan.ts"
import { profile } from "./cli/profile/profile.ts"
import { program, version } from "./cli/Program.ts"
import { reap } from "./cli/reap/reap.ts"
import { record } from "./cli/record/record.ts"
import { run } from "./cli/run/run.ts"
import { showReport } from "./cli/show-report/showReport.ts"
import { serve } from "./cli/serve/serve.ts"

const harness = Command.make("webagent-harness").pipe(
  Command.withDescription("Run scenario suites against a web-agent and hosted-browser service"),
  Command.withSubcommands([
    init,
    run,
    plan,
    merge,
    history,
    compare,
    list,
    load,
    serve,
    record,
    drift,
    profile,
    reap,
    showReport,
    doctor
  ])
)

const suggestion = (known: ReadonlyArray<string>) => (known.length === 0 ? "" : ` Did you mean ${known.join(" or ")}?`)

/** Flags that became commands, each with the new command. */
const replacements: Readonly<Record<string, string>> = {
  "--ab": "load compare URL_A URL_B --test TEST",
  "--render": "load render TEST FOLDER --target URL"
}

const replacementIn = (errors: ReadonlyArray<CliError.NonShowHelpErrors>): string | undefined => {
  const removed = errors.flatMap((error) => (error._tag === "UnrecognizedOption" ? error.option : []))
  const flag = removed.find((option) => Object.hasOwn(replacements, option))
  return flag && `${flag} is a command now: ${program} ${replacements[flag]}.`
}

const sentence = (error: CliError.NonShowHelpErrors): string => {
  if (error._tag === "UnrecognizedOption") return `No flag ${error.option}.${suggestion(error.suggestions)}`
  if (error._tag === "UnknownSubcommand") return `No command "${error.subcommand}".${suggestion(error.suggestions)}`
  return `${error.message.replace("Expected a string representing a finite", "Expected: a").replace(/\.$/u, "")}.`
}

/** Help goes to stdout as usual; a wrong call is one sentence on stderr that says where the help is. */
const presenter: CliOutput.Presenter = {
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? Console.error(
          `${replacementIn(event.errors) ?? event.errors.map(sentence).join(" ")} See: ${[program, ...event.commandPath.slice(1)].join(" ")} --help`
        )
      : CliOutput.defaultPresenter.present(event)
}

/** 2 for every wrong call, also for those that effect/cli finds itself; 0 for a service that was stopped. */
export const teardown: Runtime.Teardown = (exit, onExit) => {
  if (servesUntilStopped.now && Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) return onExit(0)
  const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
  const wrongCall = typeof error === "object" && error !== null && "_tag" in error && error._tag === "ShowHelp"
  return wrongCall && Runtime.getErrorExitCode(error) !== 0 ? onExit(2) : Runtime.defaultTeardown(exit, onExit)
}

/** `--bail` without a number is 1. What effect/cli has for that takes a number behind `=` only. */
const withBail = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.map((word, index) => (word === "--bail" && !/^-?\d/u.test(words[index + 1] ?? "") ? "--bail=1" : word))

/** The command line, with what a failure prints. */
export const commandLine = harness.pipe(
  Command.run({ version }),
  Effect.updateService(Stdio.Stdio, (stdio) => ({ ...stdio, args: Effect.map(stdio.args, withBail) })),
  Effect.tapErrorTag("UserError", (mistake) => Console.error(mistake.message)),
  Effect.tapDefect((defect) =>
    Console.error(`This is a bug of the harness: ${defect instanceof Error ? defect.stack : String(defect)}`)
  ),
  Effect.provideService(CliOutput.Presenter, presenter),
  // init asks nothing that it can see, and every other command has a help
  Effect.provide(CliConfig.layer({ builtIns: GlobalFlag.BuiltIns.filter((flag) => flag !== GlobalFlag.Wizard) }))
)

/** Runs the command line of this process, and ends the process. */
export const main = () =>
  commandLine.pipe(Effect.provide(NodeServices.layer), NodeRuntime.runMain({ disableErrorReporting: true, teardown }))
