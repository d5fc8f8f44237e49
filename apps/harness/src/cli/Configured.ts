import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import { version } from "./Program.ts"
import type * as Settings from "../config/Settings.ts"

/** The words that a command was called with, whatever the program was told before them. */
export const wordsOf = (name: string) =>
  Effect.gen(function* () {
    const { args } = yield* Stdio.Stdio
    const all = yield* args
    return all.slice(all.indexOf(name) + 1)
  })

/**
 * A command whose flags the environment and the configuration set where they are not typed. `body` is given the words that
 * say all of it. `askedOf` is what the configuration depends on: the file of `--config`, and the arguments that are no flags.
 */
export const configured = <const Flags extends Command.Command.Config, E, R>(
  name: Settings.CommandName,
  flags: Flags,
  askedOf: (parsed: Command.Command.Config.Infer<Flags>) => {
    readonly config: string | undefined
    readonly named?: ReadonlyArray<string>
  },
  body: (parsed: Command.Command.Config.Infer<Flags>, words: ReadonlyArray<string>) => Effect.Effect<void, E, R>
) =>
  Command.make(name, flags, (parsed) =>
    Effect.gen(function* () {
      const [{ Project, load }, { settle }] = yield* Effect.promise(() =>
        Promise.all([import("../config/Project.ts"), import("../config/Settings.ts")])
      )
      const { config, named = [] } = askedOf(parsed)
      const project = yield* load(config)
      const typed = yield* wordsOf(name)
      const words = yield* settle(name, typed, { named, project })
      const go = (parsed: Command.Command.Config.Infer<Flags>) =>
        Effect.provideService(body(parsed, words), Project, project)
      if (words.every((word, index) => word === typed[index])) return yield* go(parsed)
      yield* Command.runWith(Command.make(name, flags, go), { version })(words)
    })
  )
