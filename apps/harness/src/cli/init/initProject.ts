import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { dirname } from "node:path"
import * as Folder from "@webagent/cli/Folder"
import { describePlatformError } from "@webagent/cli/PlatformErrorText"
import { usage } from "@webagent/cli/UserError"
import { program } from "../Program.ts"
import { terminal } from "@webagent/cli/Terminal"
import * as Starter from "./Starter.ts"
import * as Surroundings from "./Surroundings.ts"

/** Writes what a project needs to run suites, and says what it has left as it was. */
export const initProject = Effect.fnUntraced(
  function* ({ dryRun }: { readonly dryRun: boolean }) {
    const fs = yield* FileSystem.FileSystem
    const seen = yield* Surroundings.look(process.cwd())
    const lines: Array<string> = []
    const say = (label: string, text: string) => lines.push(`${label.padEnd(12)}${text}`)
    const write = Effect.fnUntraced(function* (path: string, text: string) {
      if (dryRun) return
      yield* Folder.make(dirname(path))
      yield* fs.writeFileString(path, text)
    })

    // before anything else: a package.json that is made decides nothing of what was seen
    for (const { path, text, what } of Starter.additions(seen)) {
      yield* write(path, text)
      say(dryRun ? "would add" : "added", `${path}: ${what}`)
    }
    for (const { path, taken = [path], text } of Starter.newFiles(seen)) {
      const there = yield* Effect.filter(taken, (name) => fs.exists(name))
      if (there[0] !== undefined) {
        say("left alone", `${there[0]} (exists)`)
        continue
      }
      yield* write(path, text)
      say(dryRun ? "would write" : "wrote", path)
    }
    if (seen.vitest) say("left alone", "your tests: vitest does not run *.suite files, and the harness only these")
    const missing = Starter.missingPackages(seen)
    if (missing.length > 0) say("install", `${seen.manager.add} ${missing.join(" ")}`)
    say("next", dryRun ? `${program} init` : `${program} run`)
    const { write: print } = yield* terminal
    yield* print(`${lines.join("\n")}\n`)
  },
  Effect.catchTag("PlatformError", (error) =>
    Effect.fail(usage(`The project cannot be set up: ${describePlatformError(error)}.`))
  )
)
