import type * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import { program } from "./program.ts"

/**
 * Something that the person at the keyboard can put right: one sentence on stderr, no stack, exit 2.
 * The tag is not UserError, because an error of effect/cli has that one.
 */
export class UserError extends Data.TaggedError("webagent/UserError")<{ readonly sentence: string }> {
  override readonly [Runtime.errorExitCode] = 2
  // `report` has said it
  override readonly [Runtime.errorReported] = false
  override get message() {
    return this.sentence
  }
}

/** Says the sentence and goes on failing, for the exit code. */
export const report = (mistake: UserError): Effect.Effect<never, UserError> =>
  Effect.andThen(mistake.sentence === "" ? Effect.void : Console.error(mistake.sentence), Effect.fail(mistake))

const suggestion = (known: ReadonlyArray<string>) => (known.length === 0 ? "" : ` Did you mean ${known.join(" or ")}?`)

const sentence = (error: CliError.NonShowHelpErrors): string => {
  if (error._tag === "UnrecognizedOption") return `No flag ${error.option}.${suggestion(error.suggestions)}`
  if (error._tag === "UnknownSubcommand") return `No command "${error.subcommand}".${suggestion(error.suggestions)}`
  const message = error.message.replace("Expected a string representing a finite", "Expected: a")
  return message.replace(/\s+/gu, " ").replace(/\.?$/u, ".")
}

/** A value behind an unknown flag is taken for a command: the flag is the mistake. */
const mistakes = (errors: ReadonlyArray<CliError.NonShowHelpErrors>) => {
  const flag = errors.findIndex(({ _tag }) => _tag === "UnrecognizedOption")
  return errors.filter(({ _tag }, index) => _tag !== "UnknownSubcommand" || flag === -1 || index < flag)
}

/** Wrong flags are one line, not the whole help before it. */
export const layerPresenter: Layer.Layer<never> = CliOutput.layerPresenter({
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? Console.error(
          `${mistakes(event.errors).map(sentence).join(" ")} See: ${[program, ...event.commandPath.slice(1)].join(" ")} --help`
        )
      : CliOutput.defaultPresenter.present(event)
})
