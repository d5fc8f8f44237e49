import { whereOf } from "@webagent/scenario"
import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, statSync } from "node:fs"
import { registerHooks } from "node:module"
import { basename, relative, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { type UserError, usage } from "@webagent/cli/UserError"
import * as Rejections from "../observe/Rejections.ts"

/** `--watch` loads a file again by another address. */
const pathIn = (location: string): string => {
  const path = location.replace(/\?edition=\d+$/u, "")
  return relative(process.cwd(), path.startsWith("file:") ? fileURLToPath(path) : path)
}

/** Returns the place of a text in a file, as `path:line`; only the path if the file doesn't contain it. */
const placeIn = (path: string, text: string): string => {
  const lines = readFileSync(path, "utf8").split("\n")
  const index = lines.findIndex((line) => line.includes(text))
  return index === -1 ? pathIn(path) : `${pathIn(path)}:${index + 1}`
}

const isJson = /\.json(?:\?|$)/u

/**
 * Finds the line of a file that caused an error: in the first line of a syntax error, or in the stack of any other
 * error.
 */
const placeOf = (error: Error, path: string): string | undefined => {
  const [, file, line] = /^((?:file:)?\S+):(\d+)\n/u.exec(error.stack ?? "") ?? []
  if (file !== undefined) return `${pathIn(file)}:${line}`
  const where = whereOf(error)
  if (where !== undefined || !(error instanceof SyntaxError) || isJson.test(path)) return where
  // node says no place of a syntax error in JavaScript, and looks for it when it is asked
  const { stderr } = spawnSync(process.execPath, ["--check", path], { encoding: "utf8" })
  const [, at] = /^\S+:(\d+)\n/u.exec(stderr) ?? []
  return at === undefined ? undefined : `${pathIn(path)}:${at}`
}

const ours = /^(?:effect|@webagent\/[^/]+|webagent-harness)(?:\/|$)/u

/**
 * A suite file imports `@webagent/scenario` and `effect`, a configuration `webagent-harness`. Where it lies they need not
 * be installed: what is not found there comes from this program.
 */
const lendOurModules = () =>
  registerHooks({
    resolve: (specifier, context, next) => {
      try {
        return next(specifier, context)
      } catch (error) {
        if (!ours.test(specifier)) throw error
        return next(specifier, { ...context, parentURL: import.meta.url })
      }
    }
  })

let lends = false

const missing = /^Cannot find (?<kind>package|module) '(?<name>[^']+)' imported from (?<importer>\S+)/u

/** The reason why a file could not be loaded, in one line; failing imports are the most common one. */
const whyNotLoaded = (argument: string, path: string, error: unknown) => {
  if (!(error instanceof Error)) return usage(`${argument} could not be loaded: ${String(error)}`)
  const message = (error.message.split("\n")[0] ?? "").replace(`${path}: `, "")
  const { importer = "", kind, name = "" } = missing.exec(message)?.groups ?? {}
  if (kind === "package") {
    return usage(
      `${argument} imports ${name}, which is not installed beside the file. Install it there, or move the file.`
    )
  }
  if (kind === "module") {
    return usage(`${placeIn(importer, basename(name))}: there is no file ${pathIn(name)} to import.`)
  }
  const place = placeOf(error, path)
  const where = place?.startsWith(`${pathIn(path)}:`) === true ? place : `${argument} could not be loaded`
  const from = place === undefined || where === place ? "" : `${place}: `
  return usage(`${where}: ${from}${message}`)
}

/**
 * Resolves an argument to the path of a file. `npm --prefix X run` runs in X, and INIT_CWD is the directory where npm
 * was called.
 */
export const pathOf = Effect.fnUntraced(function* (argument: string): Effect.fn.Return<string, UserError> {
  const called = Option.getOrElse(yield* Effect.orDie(Config.option(Config.NonEmptyString("INIT_CWD"))), () => ".")
  const places = [...new Set([resolve(argument), resolve(called, argument)])]
  return places.find(existsSync) ?? (yield* usage(`No file ${places.join(" or ")}. Correct the path.`))
})

/** Stamp of a file's current content: a changed file has a different stamp. */
export const stampOf = (path: string): string => {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat === undefined ? "gone" : `${stat.mtimeMs} ${stat.size}`
}

/** Loads files anew, and notes which ones they are made of, with how each was before it was read. */
export interface Edition {
  /** Another number loads the same file again. */
  readonly number: number
  readonly files: Map<string, string>
}

const editions = new Map<number, Edition>()
const editionOf = (url: string | undefined) => editions.get(Number(/\?edition=(\d+)$/u.exec(url ?? "")?.[1]))

/** Loads the files that a file of an edition imports by path in the same edition. Packages are loaded only once. */
const followEditions = () =>
  registerHooks({
    resolve: (specifier, context, next) => {
      const edition = /^\.{0,2}\//u.test(specifier) ? editionOf(context.parentURL) : undefined
      const resolved = next(specifier, context)
      if (edition === undefined || !resolved.url.startsWith("file:")) return resolved
      edition.files.set(fileURLToPath(resolved.url), stampOf(fileURLToPath(resolved.url)))
      return { ...resolved, url: `${resolved.url}?edition=${edition.number}` }
    }
  })

const urlOf = (path: string, edition: Edition | undefined): string => {
  const { href } = pathToFileURL(path)
  if (edition === undefined) return href
  if (editions.size === 0) followEditions()
  editions.set(edition.number, edition)
  edition.files.set(path, stampOf(path))
  return `${href}?edition=${edition.number}`
}

// compiling many files on a slow machine takes a few seconds
const patience = Duration.seconds(30)

/**
 * Imports a module and awaits its default export. If the module leaves a rejected promise, or one of its timers throws,
 * the import fails and the process continues.
 */
const imported = async (url: string): Promise<unknown> => {
  const { promise: failed, reject } = Promise.withResolvers<never>()
  process.on("uncaughtException", reject)
  try {
    const loaded: Promise<{ readonly default?: unknown }> = Rejections.listenTo(reject, () =>
      isJson.test(url) ? import(url, { with: { type: "json" } }) : import(url)
    )
    return await Promise.race([failed, loaded.then((module) => module.default)])
  } finally {
    process.off("uncaughtException", reject)
  }
}

/** Explains an exit code that the code of a file sets when it ends the process while it loads. */
const explainExit = (argument: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const listener = (code: number) => {
        const error = new Error()
        // the frames of the code that called it
        Error.captureStackTrace(error, process.exit)
        const place = whereOf(error) ?? argument
        process.stderr.write(
          `${place}: process.exit(${code}) ended the run while ${argument} loaded. Remove the call.\n`
        )
        process.exitCode = 2
      }
      process.once("exit", listener)
      return listener
    }),
    (listener) => Effect.sync(() => process.off("exit", listener))
  )

/** The default export of a user's module; `argument` names it in what is wrong with it. */
export const load = (argument: string, path: string, edition?: Edition): Effect.Effect<unknown, UserError> => {
  if (!lends) lendOurModules()
  lends = true
  return Effect.tryPromise({
    try: () => imported(urlOf(path, edition)),
    catch: (error) => whyNotLoaded(argument, path, error)
  }).pipe(
    (loading) => Effect.scoped(Effect.andThen(explainExit(argument), loading)),
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () =>
        Effect.fail(usage(`${argument} did not load within ${Duration.format(patience)}. Check its top-level await.`))
    })
  )
}
