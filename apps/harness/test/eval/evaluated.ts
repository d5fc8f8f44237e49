import { ScriptedModel } from "@webagent/scripted-model"
import * as Effect from "effect/Effect"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { call } from "../cli/inProcess.ts"
import type * as RulesModel from "./RulesModel.ts"

/** A folder that is removed with the scope. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "eval-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** Reads the log for Inspect in the folder of a report. */
export const inspectLog = (directory: string) => {
  const name = readdirSync(directory).find((file) => /^\d{4}-\d{2}-\d{2}T[\d-]+\+00-00_webagent_\w+\.json$/u.test(file))
  return name === undefined ? undefined : JSON.parse(readFileSync(join(directory, name), "utf8"))
}

interface Trial {
  readonly verdict: string
  readonly failure?: { readonly actual?: string }
}

interface Result {
  readonly suite: string
  readonly name: string
  readonly trials: ReadonlyArray<Trial>
}

/** A model to evaluate, and the server that asks it. */
interface Evaluated {
  /** As `DIALECT:NAME`. */
  readonly model: string
  readonly url?: string | undefined
  /** More flags of the server, as `name=value`. */
  readonly serverFlags?: ReadonlyArray<string>
}

/** Evaluates a model with a server, an agent and a Chromium of their own. */
export const evaluate = Effect.fnUntraced(function* (
  words: ReadonlyArray<string>,
  { model, serverFlags = [], url }: Evaluated
) {
  const directory = join(yield* folder, "report")
  const ended = yield* Effect.promise(() =>
    call([
      "eval",
      ...words,
      `--model=${model}`,
      ...(url === undefined ? [] : [`--model-url=${url}`]),
      "--model-price=input=1,output=1",
      ...["min-isolation=none", ...serverFlags].map((flag) => `--server-flag=${flag}`),
      `--report-dir=${directory}`,
      "--reporter=console,json"
    ])
  )
  const read = (file: string) => {
    const path = join(directory, file)
    return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined
  }
  const [report, inspect] = [read("report.json"), existsSync(directory) ? inspectLog(directory) : undefined]
  const results: ReadonlyArray<Result> = report?.results ?? []
  const failed = results.flatMap(({ name, trials }) =>
    trials.flatMap(({ failure, verdict }) => (verdict === "passed" ? [] : [`${name}: ${verdict} ${failure?.actual}`]))
  )
  return { ...ended, directory, report, inspect, results, failed, said: `${ended.stdout}${ended.stderr}` }
})

/** Evaluates rules in place of a model. */
export const evaluated = (model: RulesModel.RulesModel, ...words: ReadonlyArray<string>) =>
  ScriptedModel.use((scripted) => {
    scripted.script = model.script
    return evaluate(words, { model: "openai-compatible:rules", url: scripted.baseUrl["openai-compatible"] })
  })
