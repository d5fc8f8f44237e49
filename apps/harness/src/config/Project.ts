import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { existsSync } from "node:fs"
import { dirname, isAbsolute, join, relative, resolve } from "node:path"
import { type UserError, usage } from "@webagent/cli/UserError"
import * as Config from "./Config.ts"
import * as ModuleFile from "./ModuleFile.ts"

/** The configuration of the project in which a command runs. */
export interface Project {
  /** Its file as it is named in messages; undefined where there is none. */
  readonly file: string | undefined
  readonly config: Config.Config
}

/** The project that the command runs in. */
export const Project: Context.Reference<Project> = Context.Reference("webagent-harness/Project", {
  defaultValue: (): Project => ({ file: undefined, config: {} })
})

/** The names of a configuration file, the first that is there is taken. */
export const fileNames = ["ts", "mts", "js", "mjs", "json"].map((ending) => `webagent.config.${ending}`)

/** Loads the configuration that is named, else the one in the working directory. */
export const load = (named: string | undefined): Effect.Effect<Project, UserError> =>
  Effect.gen(function* () {
    const file = named ?? fileNames.find((name) => existsSync(name))
    if (file === undefined) return { file, config: {} }
    const exported = yield* ModuleFile.load(file, yield* ModuleFile.pathOf(file))
    if (exported === undefined) {
      return yield* usage(`${file} has no default export. End it with export default defineConfig({ ... }).`)
    }
    const config = Config.decode(exported)
    if (Result.isFailure(config)) {
      return yield* usage(config.failure.map((mistake) => `${file}: ${mistake}`).join("\n"))
    }
    return { file, config: config.success }
  })

/** A path of a configuration, which is relative to its file, as it is from the working directory. */
export const fromHere = ({ file }: Project, path: string): string => {
  const folder = file === undefined ? "." : dirname(file)
  return isAbsolute(path) || folder === "." ? path : relative(process.cwd(), resolve(join(folder, path)))
}

/** The suites of a configuration, as they are named from the working directory. */
export const suitesOf = (project: Project): ReadonlyArray<string> =>
  [project.config.suites ?? []].flat().map((suite) => (/[./*]/u.test(suite) ? fromHere(project, suite) : suite))
