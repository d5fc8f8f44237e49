import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import { version } from "./Program.ts"
import type { Project } from "../config/Project.ts"
import type * as Settings from "../config/Settings.ts"

/** Returns the words behind a command such as `run` or `load compare`, without the words before it. */
export const wordsOf = (command: string) =>
  Effect.gen(function* () {
    const { args } = yield* Stdio.Stdio
    const all = yield* args
    return command.split(" ").reduce((words, name) => words.slice(words.indexOf(name) + 1), all)
  })

/**
 * Makes a command whose missing flags come from the environment and the configuration.
 *
 * @param command The path of the command: `run`, `load compare`.
 * @param askedOf Returns what selects the configuration: the file of `--config`, and the arguments.
 * @param body Runs the command. It receives the complete words, and the project.
 */
export const configured = <const Flags extends Command.Command.Config, E, R>(
  command: Settings.CommandName,
  flags: Flags,
  askedOf: (parsed: Command.Command.Config.Infer<Flags>) => {
    readonly config: string | undefined
    readonly named?: ReadonlyArray<string>
  },
  body: (
    parsed: Command.Command.Config.Infer<Flags>,
    words: ReadonlyArray<string>,
    project: Project
  ) => Effect.Effect<void, E, R>
) => {
  const name = command.slice(command.lastIndexOf(" ") + 1)
  return Command.make(name, flags, (parsed) =>
    Effect.gen(function* () {
      const [{ Project: Current, load }, { settle }] = yield* Effect.promise(() =>
        Promise.all([import("../config/Project.ts"), import("../config/Settings.ts")])
      )
      const { config, named = [] } = askedOf(parsed)
      const project = yield* load(config)
      const typed = yield* wordsOf(command)
      const words = yield* settle(command, typed, { named, project })
      const go = (parsed: Command.Command.Config.Infer<Flags>) =>
        Effect.provideService(body(parsed, words, project), Current, project)
      if (words.every((word, index) => word === typed[index])) return yield* go(parsed)
      yield* Command.runWith(Command.make(name, flags, go), { version })(words)
    })
  )
}
