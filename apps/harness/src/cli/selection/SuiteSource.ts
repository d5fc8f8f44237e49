import { Spelling } from "@webagent/control"
import { Suite } from "@webagent/scenario"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { globSync, statSync } from "node:fs"
import { basename, normalize } from "node:path"
import * as ModuleFile from "../../config/ModuleFile.ts"
import { Project, suitesOf } from "../../config/Project.ts"
import { counted } from "@webagent/cli/Text"
import { type UserError, usage } from "@webagent/cli/UserError"
import { builtIn } from "../../suites/BuiltIn.ts"
import { program } from "../Program.ts"

/** A suite with the word that names it on the command line: a built-in name, or a file. */
export interface LoadedSuite {
  readonly suite: Suite.Suite
  readonly argument: string
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

const unknown = (name: string) => {
  if (isFolder(name)) {
    const pattern = `${name.replace(/\/$/u, "")}/${everySuiteFile}`
    return usage(`${name} is a folder. Name its files with a pattern: "${pattern}".`)
  }
  const meant = Spelling.meant(name, Object.keys(builtIn))
  return usage(`No suite named "${name}".${meant === undefined ? "" : ` Did you mean ${meant}?`} See: ${program} list`)
}

/** True if an argument is a file and not a built-in suite. */
export const isFile = (argument: string) => /\.[cm]?[jt]s$/u.test(argument) || argument.includes("/")

/** True if an argument is a file pattern. */
const isPattern = (argument: string) => /[*?[\]{}]/u.test(argument)

const neverSuites = (path: string) =>
  basename(path) === "node_modules" || (path !== "." && basename(path).startsWith("."))

/** The files that a pattern names, in their order, relative to the working directory. */
const filesOf = (pattern: string) => Effect.sync(() => globSync(pattern, { exclude: neverSuites }).toSorted())

const mostNamed = 3

const everySuiteFile = "**/*.suite.{ts,mts,js,mjs}"

const fromPath = (
  argument: string,
  path: string,
  edition?: ModuleFile.Edition
): Effect.Effect<LoadedSuite, UserError> =>
  Effect.flatMap(ModuleFile.load(argument, path, edition), (suite) =>
    Suite.isSuite(suite)
      ? Effect.succeed({ suite, argument })
      : Effect.fail(
          usage(`${argument} has no suite as its default export. End it with export default Suite.make("name", [...]).`)
        )
  )

const fromName = (name: string): Effect.Effect<LoadedSuite, UserError> => {
  const load = Object.hasOwn(builtIn, name) ? builtIn[name] : undefined
  return load === undefined
    ? Effect.fail(unknown(name))
    : Effect.map(Effect.promise(load), (module) => ({ suite: module.default, argument: name }))
}

/**
 * The suites to run if the user doesn't name any: the files of the project, or the built-in suites if there are none.
 */
const unnamed = Effect.gen(function* () {
  const files = yield* filesOf(everySuiteFile)
  if (files.length > 0) return files
  yield* Console.error(`No file *.suite.ts here: running the built-in suites. To write your own: ${program} init`)
  return Object.keys(builtIn)
})

const named = (argument: string) => {
  if (!isPattern(argument)) return Effect.succeed([argument])
  return Effect.filterOrFail(
    filesOf(argument),
    (files) => files.length > 0,
    () => usage(`No file matches ${argument} in ${process.cwd()}. Correct the pattern, or name the files.`)
  )
}

/** Which suites to load. */
export interface Wanted {
  /** Names, files and patterns of files. */
  readonly suites: ReadonlyArray<string>
  /** The built-in suites where none is named. */
  readonly builtIn: boolean
}

/** Says which suite files of the project no pattern of its configuration names: they would never run. */
const warnOfOthers = Effect.fnUntraced(function* (found: ReadonlySet<string>, patterns: ReadonlyArray<string>) {
  const others = (yield* filesOf(everySuiteFile)).filter((file) => !found.has(file))
  if (others.length === 0) return
  const names = `${others.slice(0, mostNamed).join(", ")}${others.length > mostNamed ? ", ..." : ""}`
  yield* Console.error(
    `warning: the configuration's suites (${patterns.join(", ")}) leave out ${counted(others.length, "suite file")}: ${names}`
  )
})

/** The suites that are wanted, each once, by what names it. */
export const argumentsOf = Effect.fnUntraced(function* (
  wanted: Wanted
): Effect.fn.Return<ReadonlyArray<string>, UserError> {
  if (wanted.suites.length === 0) return wanted.builtIn ? Object.keys(builtIn) : yield* unnamed
  const found = new Set((yield* Effect.forEach(wanted.suites, named)).flat().map(normalize))
  const configured = suitesOf(yield* Project)
  const isConfigured = configured.length > 0 && wanted.suites.join() === configured.join()
  if (isConfigured && configured.some(isPattern)) yield* warnOfOthers(found, configured)
  return [...found]
})

/** Loads the suites that are wanted. */
export const load = (
  wanted: Wanted,
  edition?: ModuleFile.Edition
): Effect.Effect<ReadonlyArray<LoadedSuite>, UserError> =>
  Effect.gen(function* () {
    const loaded = yield* Effect.forEach(yield* argumentsOf(wanted), (name) =>
      isFile(name) && !isFolder(name)
        ? Effect.flatMap(ModuleFile.pathOf(name), (path) => fromPath(name, path, edition))
        : fromName(name)
    )
    const seen = new Map<string, string>()
    for (const { argument, suite } of loaded) {
      const other = seen.get(suite.name)
      if (other !== undefined) {
        return yield* usage(`${other} and ${argument} both have a suite named "${suite.name}". Rename one.`)
      }
      seen.set(suite.name, argument)
    }
    return loaded
  })
