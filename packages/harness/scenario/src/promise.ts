import * as Effect from "effect/Effect"
import { type PlainContext, tell } from "./Plain.ts"
import { make, nameOf, optionsAndBody, type Scenario, type ScenarioOptions } from "./Scenario.ts"

export { CheckFailed } from "./CheckFailed.ts"
export * as Oracle from "./PlainOracle.ts"
export type { PlainCdpConnection, PlainCheck, PlainContext } from "./Plain.ts"
export type { RawAnswer, RawRequest } from "./RawRequest.ts"
export type { Scenario, ScenarioOptions } from "./Scenario.ts"
export * as Suite from "./Suite.ts"
export type { Time } from "./Time.ts"

type Body = (context: PlainContext) => unknown
type RowBody<Row> = (context: PlainContext, row: Row) => unknown

const one = (name: string, ...rest: [Body] | [ScenarioOptions, Body]): Scenario => {
  const [options, body] = optionsAndBody(rest)
  return make(name, options, { body, run: (context) => Effect.asVoid(tell(body, context)) })
}

const each =
  <const Row>(rows: ReadonlyArray<Row>) =>
  (template: string, ...rest: [RowBody<Row>] | [ScenarioOptions, RowBody<Row>]): ReadonlyArray<Scenario> => {
    const [options, body] = optionsAndBody(rest)
    return rows.map((row) => {
      const run: Scenario["run"] = (context) => Effect.asVoid(tell((plain) => body(plain, row), context))
      return make(nameOf(template, row), options, { body, row, run })
    })
  }

/**
 * Makes a scenario from an async function: clients return promises, and checks throw. `scenario.each(rows)` makes one
 * scenario per row: in its name, `$field` stands for a field of the row, and `%s` for the row.
 *
 * @param name - The name in reports and in `--name`.
 * @param options - Needs, trials, limits for time and cost, and tags.
 * @param body - Receives the clients and checks. A rejection fails the trial.
 * @returns The scenario, to be listed in `Suite.make`.
 * @throws `TypeError` if an option is unknown or invalid.
 * @example
 * ```ts
 * import { scenario, Suite } from "@webagent/scenario/promise"
 *
 * export default Suite.make("first", [
 *   scenario("a run completes", { needs: ["money"] }, async ({ check, v4 }) => {
 *     const run = await v4.runs.createAndWait({ task: "Say hello" })
 *     check.equal(run.status, "completed")
 *   })
 * ])
 * ```
 */
export const scenario: {
  (name: string, body: Body): Scenario
  (name: string, options: ScenarioOptions, body: Body): Scenario
  readonly each: <const Row>(rows: ReadonlyArray<Row>) => {
    (name: string, body: RowBody<Row>): ReadonlyArray<Scenario>
    (name: string, options: ScenarioOptions, body: RowBody<Row>): ReadonlyArray<Scenario>
  }
} = Object.assign(one, { each })
