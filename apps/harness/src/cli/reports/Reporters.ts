import { fieldIssues, line, Spelling } from "@webagent/control"
import { usage, usageOf } from "@webagent/cli/UserError"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Folder from "@webagent/cli/Folder"
import { dirname } from "node:path"
import * as Config from "../../config/Config.ts"
import * as ModuleFile from "../../config/ModuleFile.ts"
import { fromHere, Project } from "../../config/Project.ts"
import { html } from "../../page/HtmlReporter.ts"
import type * as FileReporter from "../../reporters/FileReporter.ts"
import { github } from "../../reporters/GitHubReporter.ts"
import { json } from "../../reporters/JsonReporter.ts"
import { junit } from "../../reporters/JUnitReporter.ts"
import { markdown } from "../../reporters/MarkdownReporter.ts"
import { handlers, type Reporter, type ReporterContext, type ReporterDefinition } from "../../reporters/Reporter.ts"

/** A reporter that a run uses. */
export interface Chosen {
  /** Its name, or the path of its module, as typed. */
  readonly argument: string
  readonly options: unknown
  readonly definition: ReporterDefinition
}

const fileReporters = [html, json, junit, markdown] as ReadonlyArray<ReporterDefinition & { readonly fileName: string }>
const builtIn = [github, ...fileReporters] as ReadonlyArray<ReporterDefinition>

/** The options that the configuration has for a reporter. */
const optionsIn = (project: Project, argument: string): unknown => {
  const isNamed = (name: string) => (Config.isReporterPath(name) ? fromHere(project, name) : name) === argument
  const reporter = project.config.reporters?.find((one) => typeof one !== "string" && isNamed(one[0]))
  return reporter?.[1]
}

/** Reporters that the harness runs itself; they take no options. */
const withoutOptions: ReadonlyArray<string> = ["console", "ndjson"]

const advice = "Export one by default: export default defineReporter({ name, make }) from webagent-harness."

/** Checks the names of handlers, because a misspelled one would never be called. */
const unknownHandler = (reporter: object): string | undefined =>
  Object.keys(reporter).find((key) => key.startsWith("on") && !(handlers as ReadonlyArray<string>).includes(key))

const checkHandlers = Effect.fnUntraced(function* (argument: string, reporter: object) {
  const unknown = unknownHandler(reporter)
  if (unknown === undefined) return
  const meant = Spelling.meant(unknown, handlers)
  return yield* usage(
    `Reporter ${argument} has a handler ${unknown}, which is never called. ${meant === undefined ? `Use some of ${handlers.join(", ")}.` : `Did you mean ${meant}?`}`
  )
})

/** Reads the default export of a module: a definition, or a reporter without options. */
const definitionOf = Effect.fnUntraced(function* (argument: string, exported: unknown) {
  if (!Predicate.isObject(exported) || !("name" in exported) || typeof exported.name !== "string") {
    return yield* usage(`${argument} has no reporter. ${advice}`)
  }
  if ("make" in exported) return exported as unknown as ReporterDefinition
  yield* checkHandlers(argument, exported)
  if (!handlers.some((name) => name in exported)) return yield* usage(`${argument} has no reporter. ${advice}`)
  const reporter = exported as unknown as Reporter
  return { name: reporter.name, make: () => reporter } satisfies ReporterDefinition as ReporterDefinition
})

const load = Effect.fnUntraced(function* (argument: string) {
  const builtInReporter = builtIn.find(({ name }) => name === argument)
  if (builtInReporter !== undefined) return builtInReporter
  const path = yield* ModuleFile.pathOf(argument)
  return yield* definitionOf(argument, yield* ModuleFile.load(argument, path))
})

/** Decodes the options that the configuration has for a reporter. */
const decode = Effect.fnUntraced(function* ({ argument, definition, options }: Chosen, file = "webagent.config.ts") {
  const at = `${file}: the options of reporter ${argument}`
  if (definition.options === undefined) {
    return options === undefined ? undefined : yield* usage(`${at} are not used: it has no schema for options.`)
  }
  const decoded = Schema.decodeUnknownResult(definition.options, { errors: "all", onExcessProperty: "error" })(options)
  if (Result.isSuccess(decoded)) return decoded.success
  return yield* usage(
    fieldIssues(decoded.failure.issue, options)
      .map((issue) => `${at}: ${Config.ended(line(issue))}`)
      .join("\n")
  )
})

/**
 * Loads the named reporters with their options, before anything runs. A path without a module, a module without a
 * reporter, and options that its schema refuses are each a UserError.
 */
export const choose = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
  const project = yield* Project
  const own = names.filter((name) => withoutOptions.includes(name))
  for (const name of own) {
    if (optionsIn(project, name) === undefined) continue
    return yield* usage(
      `${project.file ?? "webagent.config.ts"}: reporter ${name} takes no options. Use "${name}" alone.`
    )
  }
  const others = names.filter((name) => !own.includes(name))
  return yield* Effect.forEach(others, (argument) =>
    Effect.gen(function* () {
      const definition = yield* load(argument)
      const options = yield* decode({ argument, definition, options: optionsIn(project, argument) }, project.file)
      const { file } = Object(options) as NonNullable<FileReporter.Options> | { readonly file?: undefined }
      if (!fileReporters.some((one) => one === definition) || file === undefined)
        return { argument, definition, options }
      const path = fromHere(project, file)
      yield* Effect.mapError(Folder.make(dirname(path)), usageOf("The report cannot be written"))
      return { argument, definition, options: { file: path } }
    })
  )
})

/** The names of the files that reporters write into the folder of the reports. */
export const filesOf = (chosen: ReadonlyArray<Chosen>): ReadonlyArray<string> =>
  chosen.flatMap(({ definition }) => fileReporters.find((one) => one === definition)?.fileName ?? [])

/** Creates the reporter of a run. One that cannot be created is a UserError, before anything runs. */
export const make = Effect.fnUntraced(function* (
  { argument, definition, options }: Chosen,
  context: Omit<ReporterContext, "options">
) {
  const reporter = yield* Effect.try({
    try: () => definition.make({ ...context, options }),
    catch: (error) =>
      usage(`Reporter ${argument} cannot start: ${error instanceof Error ? error.message : String(error)}.`)
  })
  yield* checkHandlers(argument, reporter)
  return { ...reporter, name: definition.name } satisfies Reporter
})
