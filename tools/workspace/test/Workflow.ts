import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parse } from "yaml"

/** The root of the repository. */
export const root = fileURLToPath(new URL("../../../", import.meta.url))

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly env?: Record<string, string>
}

interface Job {
  readonly needs?: string | ReadonlyArray<string>
  readonly strategy?: { readonly matrix: Readonly<Record<string, ReadonlyArray<string | number>>> }
  readonly "timeout-minutes"?: number
  readonly steps?: ReadonlyArray<Step>
}

/** A workflow as far as a local run of it goes. */
export interface Workflow {
  readonly permissions?: Record<string, string>
  readonly env?: Record<string, string>
  readonly jobs: Record<string, Job>
}

/** Reads `.github/workflows/<name>.yml`. */
export const read = (name: string): Workflow => parse(readFileSync(`${root}.github/workflows/${name}.yml`, "utf8"))

/** A command of a workflow, with its environment. */
export interface Command {
  readonly job: string
  readonly run: string
  readonly env: Record<string, string>
}

/** One set of values for each run of a job: as many as its matrix has, else one without any. */
const runsOf = ({ strategy }: Job): ReadonlyArray<Readonly<Record<string, string>>> =>
  Object.entries(strategy?.matrix ?? {}).reduce<ReadonlyArray<Readonly<Record<string, string>>>>(
    (runs, [name, values]) =>
      runs.flatMap((run) => values.map((value) => ({ ...run, [`matrix.${name}`]: String(value) }))),
    [{}]
  )

/**
 * Every `run:` step in order, a matrix one after the other, `${{ ... }}` expressions answered from `values`; one that is
 * not there is an error.
 */
export const commands = (workflow: Workflow, values: Record<string, string>): ReadonlyArray<Command> =>
  Object.entries(workflow.jobs).flatMap(([job, described]) =>
    runsOf(described).flatMap((matrix) =>
      (described.steps ?? []).flatMap(({ env = {}, run }) => {
        const answer = (text: string) =>
          text.replaceAll(/\$\{\{\s*(.+?)\s*\}\}/gu, (_, expression: string) => {
            const value = { ...values, ...matrix }[expression]
            if (value === undefined) throw new Error(`${job} asks for \${{ ${expression} }}`)
            return value
          })
        return run === undefined
          ? []
          : [
              {
                job,
                run: answer(run),
                env: Object.fromEntries(
                  Object.entries({ ...workflow.env, ...env }).map(([key, text]) => [key, answer(text)])
                )
              }
            ]
      })
    )
  )
