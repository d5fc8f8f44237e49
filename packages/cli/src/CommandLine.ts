import * as Cause from "effect/Cause"
import * as CliConfig from "effect/cli/CliConfig"
import type * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Runtime from "effect/Runtime"
import * as Stdio from "effect/Stdio"
import { servesUntilStopped } from "./ExitCode.ts"
import * as HelpText from "./HelpText.ts"
import { usage, type UserError } from "./UserError.ts"

/** Flags by command. */
type Flags = Readonly<Record<string, ReadonlyArray<string>>>

const suggestion = (similar: ReadonlyArray<string>) =>
  similar.length === 0 ? "" : ` Did you mean ${similar.join(" or ")}?`

const sentence = (error: CliError.NonShowHelpErrors, flags: Flags): string => {
  if (error._tag === "UnrecognizedOption") {
    const commands = Object.keys(flags).filter((command) => flags[command]?.includes(error.option))
    return `No flag ${error.option}.${suggestion(commands.length === 0 ? error.suggestions : [`the command ${commands.join(" or ")}`])}`
  }
  if (error._tag === "UnknownSubcommand") return `No command "${error.subcommand}".${suggestion(error.suggestions)}`
  const message = error.message.replace("Expected a string representing a finite", "Expected: a")
  return message.replace(/\s+/gu, " ").replace(/\.?$/u, ".")
}

/** Leaves out commands after an unknown flag, because the flag's value looks like a command. */
const mistakes = (errors: ReadonlyArray<CliError.NonShowHelpErrors>) => {
  const flag = errors.findIndex(({ _tag }) => _tag === "UnrecognizedOption")
  return errors.filter(({ _tag }, index) => _tag !== "UnknownSubcommand" || flag === -1 || index < flag)
}

interface ProgramOptions<E, R> {
  /** The command that users type, such as `npx webagent-server`. */
  readonly program: string
  readonly version: string
  /** Checks the arguments before they are parsed. */
  readonly check?: (args: ReadonlyArray<string>) => Effect.Effect<void, UserError>
  /** Flags that became commands, each with the new command. */
  readonly replacements?: Readonly<Record<string, string>>
  /** Flags and commands that have another name now, each with its new name. */
  readonly renamed?: Readonly<Record<string, string>>
  /** Flags by command, so that a flag of another command is suggested with that command. */
  readonly flags?: Flags
  /** Groups of flags in long help. */
  readonly groups?: HelpText.FlagGroups
  /** Provides values for flags that aren't given, such as those of a configuration file. */
  readonly settings?: Layer.Layer<never, E, R>
}

type Corrections = Pick<ProgramOptions<unknown, unknown>, "program" | "flags" | "renamed" | "replacements">

const renameOf = (word: string, renamed: Readonly<Record<string, string>>) => `${word} is called ${renamed[word]} now.`

const replacementIn = (
  { errors, helpDoc }: CliOutput.Presenter.InvalidInvocation,
  { program, renamed = {}, replacements = {} }: Corrections
): string | undefined => {
  // another command may have the flag of the new name
  const isHere = (word: string) =>
    !word.startsWith("--") || helpDoc.flags.some(({ name }) => `--${name}` === renamed[word])
  const unknown = errors.flatMap((error) =>
    error._tag === "UnrecognizedOption" ? error.option : error._tag === "UnknownSubcommand" ? error.subcommand : []
  )
  const name = unknown.find(
    (word) => (Object.hasOwn(renamed, word) && isHere(word)) || Object.hasOwn(replacements, word)
  )
  if (name === undefined) return undefined
  return Object.hasOwn(renamed, name)
    ? renameOf(name, renamed)
    : `${name} is a command now: ${program} ${replacements[name]}.`
}

/** Prints help on standard output, and a wrong call as one line on standard error that names the command's help. */
const presenterOf = (options: Corrections): CliOutput.Presenter => ({
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? Console.error(
          `${
            replacementIn(event, options) ??
            mistakes(event.errors)
              .map((error) => sentence(error, options.flags ?? {}))
              .join(" ")
          } See: ${[options.program, ...event.commandPath.slice(1)].join(" ")} --help`
        )
      : CliOutput.defaultPresenter.present(event)
})

const isReported = (error: unknown): boolean =>
  typeof error === "object" &&
  error !== null &&
  (("_tag" in error && error._tag === "ShowHelp") || !Runtime.getErrorReported(error))

const reportBug = (error: unknown) =>
  Console.error(`This is a bug: ${error instanceof Error ? error.stack : String(error)}`)

const reportError = (error: unknown) =>
  Predicate.isTagged(error, "UserError") && error instanceof Error
    ? Console.error(error.message)
    : isReported(error)
      ? Effect.void
      : reportBug(error)

/** Refuses the old name of a command even if its help is asked for, because `--help` shows that of the program then. */
const checkName = ([word = ""]: ReadonlyArray<string>, { program, renamed = {} }: Corrections) =>
  Object.hasOwn(renamed, word) && !word.startsWith("-")
    ? Effect.fail(usage(`${renameOf(word, renamed)} See: ${program} ${renamed[word]} --help`))
    : Effect.void

/** Runs a command with the arguments of the process, and prints user errors as one sentence on standard error. */
export const run = <Name extends string, Input, ContextInput, E, R, SettingsError = never, SettingsServices = never>(
  command: Command.Command<Name, Input, ContextInput, E, R>,
  options: ProgramOptions<SettingsError, SettingsServices>
) =>
  Stdio.Stdio.use(({ args }) =>
    Effect.tap(args, (words) => checkName(words, options)).pipe(Effect.flatMap(options.check ?? (() => Effect.void)))
  ).pipe(
    Effect.andThen(Effect.provide(Command.run(command, { version: options.version }), options.settings ?? Layer.empty)),
    Effect.tapError(reportError),
    Effect.tapDefect(reportBug),
    Effect.provideService(CliOutput.Presenter, presenterOf(options)),
    Effect.updateService(CliOutput.Formatter, (base) => HelpText.formatter(base, options.groups ?? {})),
    // every command has a help, which says more than the wizard
    Effect.provide(CliConfig.layer({ builtIns: GlobalFlag.BuiltIns.filter((flag) => flag !== GlobalFlag.Wizard) }))
  )

/** Exits with 2 after a wrong call, and with 0 or the code of a finished run if a service was stopped with Ctrl-C. */
export const teardown: Runtime.Teardown = (exit, onExit) => {
  if (servesUntilStopped.now && Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) {
    return onExit(servesUntilStopped.exitCode)
  }
  const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
  const isWrongCall = typeof error === "object" && error !== null && "_tag" in error && error._tag === "ShowHelp"
  return isWrongCall && Runtime.getErrorExitCode(error) !== 0 ? onExit(2) : Runtime.defaultTeardown(exit, onExit)
}
