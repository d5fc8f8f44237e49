import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import type * as SharedFlags from "./Flags.ts"
import { version } from "./Program.ts"
import type { Project } from "../config/Project.ts"
import type * as Settings from "../config/Settings.ts"

/** Returns the words behind a command such as `run` or `load compare`, without the words before it. */
export const wordsOf = Effect.fnUntraced(function* (command: string) {
  const { args } = yield* Stdio.Stdio
  const all = yield* args
  return command.split(" ").reduce((words, name) => words.slice(words.indexOf(name) + 1), all)
})

/**
 * Makes a command whose missing flags come from the environment and the configuration.
 *
 * @param command The path of the command: `run`, `load compare`.
 * @param flags Its flags, with `--config`.
 * @param body Runs the command. It receives the complete words, and the project.
 * @param namedIn Returns the arguments that select settings: suites, or a load test.
 */
export const configured = <const Flags extends Command.Command.Config & Pick<typeof SharedFlags, "config">, E, R>(
  command: Settings.CommandName,
  flags: Flags,
  body: (
    parsed: Command.Command.Config.Infer<Flags>,
    words: ReadonlyArray<string>,
    project: Project
  ) => Effect.Effect<void, E, R>,
  namedIn: (parsed: Command.Command.Config.Infer<Flags>) => ReadonlyArray<string> = () => []
) => {
  const name = command.slice(command.lastIndexOf(" ") + 1)
  return Command.make(name, flags, (parsed) =>
    Effect.gen(function* () {
      const [{ Project: Current, load }, { settle }] = yield* Effect.promise(() =>
        Promise.all([import("../config/Project.ts"), import("../config/Settings.ts")])
      )
      const { config } = parsed as Command.Command.Config.Infer<Pick<typeof SharedFlags, "config">>
      const project = yield* load(config)
      const typed = yield* wordsOf(command)
      const words = yield* settle(command, typed, { named: namedIn(parsed), project })
      const go = (parsed: Command.Command.Config.Infer<Flags>) =>
        Effect.provideService(body(parsed, words, project), Current, project)
      if (words.every((word, index) => word === typed[index])) return yield* go(parsed)
      yield* Command.runWith(Command.make(name, flags, go), { version })(words)
    })
  )
}
