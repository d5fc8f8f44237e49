import { whereOf } from "@webagent/scenario"
import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { existsSync, statSync } from "node:fs"
import { registerHooks } from "node:module"
import { resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { type UserError, usage } from "@webagent/report/UserError"

/** What shows where a file is wrong: the lines that a syntax error comes with, else the place that threw. */
const shownOf = (error: Error): string => {
  const [head = ""] = error.stack?.split("\n\n") ?? []
  const isExcerpt = /^(?:file:)?\S+:\d+\n/u.test(head)
  const where = isExcerpt ? undefined : whereOf(error)
  // `--watch` loads a file again by another address
  const excerpt = head.trimEnd().replace(/^file:\/\/(\S+?)(?:\?edition=\d+)?(:\d+\n)/u, "$1$2")
  const lines = isExcerpt ? excerpt.split("\n") : where === undefined ? [] : [`at ${where}`]
  return lines.map((line) => `\n  ${line}`).join("")
}

const whyNot = (error: unknown) =>
  error instanceof Error ? `${error.message.split("\n")[0]}${shownOf(error)}` : String(error)

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

/** Why a file could not be loaded; a package that it imports is the commonest reason, and has a remedy. */
const whyNotLoaded = (argument: string, error: unknown) => {
  const [, missing] = /^Cannot find package '([^']+)'/u.exec(error instanceof Error ? error.message : "") ?? []
  return missing === undefined
    ? usage(`${argument} could not be loaded: ${whyNot(error)}`)
    : usage(
        `${argument} imports ${missing}, which is not installed beside the file. Install it there, or move the file.`
      )
}

/** Where a file is that an argument names. `npm --prefix X run` runs in X, and INIT_CWD is where npm was called. */
export const pathOf = Effect.fnUntraced(function* (argument: string): Effect.fn.Return<string, UserError> {
  const called = Option.getOrElse(yield* Effect.orDie(Config.option(Config.NonEmptyString("INIT_CWD"))), () => ".")
  const places = [...new Set([resolve(argument), resolve(called, argument)])]
  return places.find(existsSync) ?? (yield* usage(`No such file: ${places.join(", ")}.`))
})

/** How a file is now: another text is another stamp. */
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

/** What a file of an edition imports by a path is of that edition, too; packages are loaded once. */
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

/** The default export of a user's module; `argument` names it in what is wrong with it. */
export const load = (argument: string, path: string, edition?: Edition): Effect.Effect<unknown, UserError> => {
  if (!lends) lendOurModules()
  lends = true
  return Effect.tryPromise({
    try: (): Promise<{ readonly default?: unknown }> => import(urlOf(path, edition)),
    catch: (error) => whyNotLoaded(argument, error)
  }).pipe(
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () =>
        Effect.fail(
          usage(
            `${argument} did not load within ${Duration.format(patience)}. Check what it awaits outside of functions.`
          )
        )
    }),
    Effect.map((module) => module.default)
  )
}
