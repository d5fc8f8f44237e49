import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { CheckCount } from "./CheckCount.ts"
import { CheckFailed } from "./CheckFailed.ts"
import { wrongName, wrongOwner } from "./Name.ts"
import { isNeed, type Need, needs } from "./Need.ts"
import type { ScenarioContext } from "./ScenarioContext.ts"
import * as Time from "./Time.ts"
import { whereOf } from "./Where.ts"

/** Problems that the harness looks for in clients, which a scenario may cause on purpose. */
export const allowances = [
  /** It leaves a run or a session to itself, and never reads what came of it. */
  "results-never-fetched",
  /** It leaves a run or a session running when it ends. */
  "runs-left-running",
  /** It reads a status after it was told a terminal one. */
  "polls-after-terminal",
  /** It polls sooner than the server's `pollInterval` asks. */
  "polled-too-fast",
  /** It comes again before a `Retry-After` is over. */
  "retry-after-ignored"
] as const

/** A problem that a scenario may cause on purpose. */
export type Allowance = (typeof allowances)[number]

/** Options for selecting, repeating and limiting a scenario. */
export interface ScenarioOptions {
  readonly tags?: ReadonlyArray<string>
  /** Who looks at its failures: a team, a person or a handle. By default the suite's owner. */
  readonly owner?: string
  /** A target that lacks one of these skips the scenario and says why. */
  readonly needs?: ReadonlyArray<Need>
  /** Number of trials, some of them concurrent. If some pass and some don't, the scenario is flaky. 1 by default. */
  readonly trials?: number
  /** Maximum cost of all its trials together: `"0.50 USD"`. If a run has more or fewer than `trials`, in proportion. */
  readonly budget?: `${number} USD`
  /** The longest one trial may take; the runner's own bound unless said. */
  readonly timeout?: Time.Time
  /** The longest that its trials may take, by the median of those that passed; beyond it the scenario has failed. */
  readonly maxDuration?: Time.Time
  /** Maximum average cost of a trial: `"0.10 USD"`. Above it, the scenario fails. */
  readonly maxCost?: `${number} USD`
  /** Run only this scenario, and others that say so. A run in CI refuses it. */
  readonly only?: boolean
  /** Do not run it, for this reason. */
  readonly skip?: string
  /** A failing check does not end it: all of them are reported together at its end. */
  readonly soft?: boolean
  /** Problems that it causes on purpose; none by default. */
  readonly allows?: ReadonlyArray<Allowance>
}

/** The body of a scenario. It yields effects and checks, and an unhandled failure fails it. */
export type ScenarioBody = (
  context: ScenarioContext
) => Generator<Effect.Effect<unknown, unknown, Scope.Scope>, unknown, never>

/** A story told end to end against a target, with checks on the way. */
export interface Scenario {
  readonly name: string
  readonly tags: ReadonlyArray<string>
  /** Who looks at its failures. */
  readonly owner: string | undefined
  readonly needs: ReadonlyArray<Need>
  readonly trials: number
  /** Maximum cost of all its trials together, as an exact decimal. */
  readonly budget_usd: string | undefined
  readonly timeout: Duration.Duration | undefined
  readonly maxDuration: Duration.Duration | undefined
  /** An exact decimal. */
  readonly maxCost_usd: string | undefined
  readonly allows: ReadonlyArray<Allowance>
  readonly only: boolean
  /** The reason for skipping it. */
  readonly skip: string | undefined
  /** Its location in the source: `path:line`, with the path relative to the working directory. */
  readonly where: string | undefined
  /** Its body as it is written: when that changes, a history begins anew. */
  readonly source: string
  /**
   * Runs the body of the scenario once.
   *
   * @param context - The clients and the facts about the target.
   * @returns An effect that fails if a check doesn't hold, or with the error of the body.
   * @example
   * ```ts
   * import type { Scenario, ScenarioContext } from "@webagent/scenario"
   * import * as Effect from "effect/Effect"
   *
   * export const passes = (scenario: Scenario, context: ScenarioContext) =>
   *   Effect.isSuccess(Effect.scoped(scenario.run(context)))
   * ```
   */
  readonly run: (context: ScenarioContext) => Effect.Effect<void, unknown, Scope.Scope>
}

const refuse = (name: string, what: string): never => {
  throw new TypeError(`Scenario ${JSON.stringify(name)}: ${what}`)
}

const isGenerator = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Symbol.iterator in value && "next" in value

const dollars = (name: string, option: "budget" | "maxCost", text: string | undefined): string | undefined =>
  text === undefined
    ? undefined
    : (/^(\d+(?:\.\d+)?) USD$/u.exec(text)?.[1] ?? refuse(name, `${option} "${text}" is not written like "0.50 USD".`))

const optionNames = [
  "tags",
  "owner",
  "needs",
  "trials",
  "budget",
  "timeout",
  "maxDuration",
  "maxCost",
  "allows",
  "only",
  "skip",
  "soft"
] satisfies ReadonlyArray<keyof ScenarioOptions>

const listed = (words: ReadonlyArray<string>) => words.join(", ")

/** The types of a suite's file are taken away and not checked when it runs: what they refuse is refused here as well. */
const examine = (name: string, options: ScenarioOptions, body: unknown): void => {
  const wrong = wrongName(name)
  if (wrong !== undefined) refuse(name, wrong)
  const odd = Object.keys(options).find((option) => !optionNames.some((one) => one === option))
  if (odd !== undefined) refuse(name, `"${odd}" is not an option of a scenario. Use one of: ${listed(optionNames)}.`)
  for (const option of ["tags", "needs", "allows"] as const) {
    const words: unknown = options[option] ?? []
    if (!Array.isArray(words)) refuse(name, `${option} must be a list, not ${JSON.stringify(words)}.`)
  }
  const owner = wrongOwner(options.owner)
  if (owner !== undefined) refuse(name, owner)
  const need = options.needs?.find((need) => !isNeed(need))
  if (need !== undefined) refuse(name, `needs "${need}" is not one of ${listed(Object.keys(needs))}.`)
  for (const option of ["only", "soft"] as const) {
    const value: unknown = options[option] ?? false
    if (typeof value !== "boolean") refuse(name, `${option} must be true or false, not ${JSON.stringify(value)}.`)
  }
  const reason: unknown = options.skip ?? "none"
  if (typeof reason !== "string" || reason.trim() === "") {
    refuse(name, `skip must be a reason, such as "waits for the new checkout", not ${JSON.stringify(reason)}.`)
  }
  const allowed = options.allows?.find((allowance) => !allowances.includes(allowance))
  if (allowed !== undefined) refuse(name, `allows "${allowed}" is not one of ${listed(allowances)}.`)
  if (typeof body !== "function") refuse(name, "it has no body: its last argument must be a function.")
}

const time = (
  name: string,
  option: "timeout" | "maxDuration",
  written: Time.Time | undefined
): Duration.Duration | undefined => {
  if (written === undefined) return undefined
  return Option.getOrElse(Time.parse(written), () =>
    refuse(name, `${option}: expected ${Time.expected}, got ${JSON.stringify(written)}.`)
  )
}

/** Several failing checks as one, with a line for each value. */
const together = (failed: ReadonlyArray<CheckFailed>): CheckFailed => {
  const [first] = failed
  if (first === undefined) throw new TypeError("No check has failed.")
  if (failed.length === 1) return first
  return new CheckFailed({
    name: `${failed.length} checks failed: ${failed.map(({ name }) => name).join(", ")}`,
    expected: failed.map(({ expected }) => expected).join("; "),
    actual: failed.map(({ actual }) => actual).join("; "),
    diff: failed.flatMap(({ actual, diff, expected, name, where }) => [
      `  ${name}${where === undefined ? "" : `   ${where}`}`,
      ...(diff ?? [`- ${expected}`, `+ ${actual}`])
    ]),
    ...(first.where === undefined ? {} : { where: first.where })
  })
}

type Run = Scenario["run"]

/** The story that goes on after a failing check, and fails with all of them at its end. */
const softly =
  (run: Run): Run =>
  (context) =>
    Effect.flatMap(CheckCount, (count) => {
      const soft: Array<CheckFailed> = []
      count.soft = soft
      const all = (failed: ReadonlyArray<CheckFailed>) =>
        Effect.suspend(() => (failed.length === 0 ? Effect.void : Effect.fail(together(failed))))
      return Effect.matchEffect(run(context), {
        onFailure: (error) => (error instanceof CheckFailed ? all([...soft, error]) : Effect.fail(error)),
        onSuccess: () => all(soft)
      })
    })

/** A scenario of any style, from how its body is run; throws a TypeError with one sentence when its options make no sense. */
export const make = (
  name: string,
  options: ScenarioOptions,
  { body, row, run }: { readonly body: unknown; readonly row?: unknown; readonly run: Run }
): Scenario => {
  const trials = options.trials ?? 1
  examine(name, options, body)
  if (!Number.isInteger(trials) || trials < 1) refuse(name, `trials must be 1 or more, not ${trials}.`)
  return {
    name,
    tags: options.tags ?? [],
    owner: options.owner,
    needs: options.needs ?? [],
    trials,
    budget_usd: dollars(name, "budget", options.budget),
    timeout: time(name, "timeout", options.timeout),
    maxDuration: time(name, "maxDuration", options.maxDuration),
    maxCost_usd: dollars(name, "maxCost", options.maxCost),
    allows: options.allows ?? [],
    only: options.only ?? false,
    skip: options.skip,
    where: whereOf(new Error()),
    source: `${String(body)}${row === undefined ? "" : ` ${JSON.stringify(row)}`}`,
    run: options.soft === true ? softly(run) : run
  }
}

/** The name of a scenario of a row: `$field` is a field of the row, `%s` the row itself. */
export const nameOf = (name: string, row: unknown): string =>
  name
    .replaceAll(/\$(\w+)/gu, (whole, field: string) =>
      typeof row === "object" && row !== null && field in row ? String(Reflect.get(row, field)) : whole
    )
    .replaceAll("%s", () => (typeof row === "object" ? JSON.stringify(row) : String(row)))

/** The options and the body of a scenario, the options being optional. */
export const optionsAndBody = <Body>(rest: readonly [Body] | readonly [ScenarioOptions, Body]) =>
  rest.length === 1 ? ([{}, rest[0]] as const) : rest

const generatorBody = (name: string, begin: () => ReturnType<ScenarioBody>) =>
  Effect.asVoid(
    Effect.gen(() => {
      const story = begin()
      return isGenerator(story)
        ? story
        : refuse(
            name,
            "its body is not a generator. Write function*, or take scenario from @webagent/scenario/promise for an async function."
          )
    })
  )

type RowBody<Row> = (context: ScenarioContext, row: Row) => ReturnType<ScenarioBody>

const one = (name: string, ...rest: [ScenarioBody] | [ScenarioOptions, ScenarioBody]): Scenario => {
  const [options, body] = optionsAndBody(rest)
  return make(name, options, { body, run: (context) => generatorBody(name, () => body(context)) })
}

const each =
  <const Row>(rows: ReadonlyArray<Row>) =>
  (template: string, ...rest: [RowBody<Row>] | [ScenarioOptions, RowBody<Row>]): ReadonlyArray<Scenario> => {
    const [options, body] = optionsAndBody(rest)
    return rows.map((row) => {
      const name = nameOf(template, row)
      return make(name, options, { body, row, run: (context) => generatorBody(name, () => body(context, row)) })
    })
  }

/**
 * Makes a scenario from a generator function. `scenario.each(rows)` makes one scenario per row: in its name, `$field`
 * stands for a field of the row, and `%s` for the row.
 *
 * @param name - The name in reports and in `--name`.
 * @param options - Needs, trials, limits for time and cost, and tags.
 * @param body - Yields effects and checks. An unhandled failure fails the trial.
 * @returns The scenario, to be listed in `Suite.make`.
 * @throws `TypeError` if an option is unknown or invalid.
 * @example
 * ```ts
 * import { check, scenario, Suite } from "@webagent/scenario"
 *
 * export default Suite.make("first", [
 *   scenario("a run completes", { needs: ["money"] }, function* ({ v4 }) {
 *     const run = yield* v4.runs.createAndWait({ task: "Say hello" })
 *     yield* check.equal(run.status, "completed")
 *   })
 * ])
 * ```
 */
export const scenario: {
  (name: string, body: ScenarioBody): Scenario
  (name: string, options: ScenarioOptions, body: ScenarioBody): Scenario
  readonly each: <const Row>(rows: ReadonlyArray<Row>) => {
    (name: string, body: RowBody<Row>): ReadonlyArray<Scenario>
    (name: string, options: ScenarioOptions, body: RowBody<Row>): ReadonlyArray<Scenario>
  }
} = Object.assign(one, { each })
