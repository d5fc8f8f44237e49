import { description } from "@webagent/cli/Description"
import * as Command from "effect/cli/Command"
import { program } from "./Program.ts"

/** Help of a command. */
interface Help {
  /** The purpose in the command's own help; by default, that of the list of commands. */
  readonly does?: string
  readonly exits: Readonly<Record<number, string>>
  /** More sentences about the command. */
  readonly more?: ReadonlyArray<string>
  /** Words behind the program's name, such as `compare last-1 last`, with what they do. */
  readonly examples?: Readonly<Record<string, string>>
}

/** Describes a command in the list of commands and in its own help, with exit codes and examples. */
export const help =
  (short: string, { does = short, examples = {}, exits, more }: Help) =>
  <const Name extends string, Input, Context, E, R>(
    command: Command.Command<Name, Input, Context, E, R>
  ): Command.Command<Name, Input, Context, E, R> =>
    command.pipe(
      Command.withDescription(description(does, exits, more)),
      Command.withShortDescription(short),
      Command.withExamples(
        Object.entries(examples).map(([words, description]) => ({ command: `${program} ${words}`, description }))
      )
    )
