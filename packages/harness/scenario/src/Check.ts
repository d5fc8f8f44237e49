import type { StandardSchema } from "@webagent/v4"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { CheckCount } from "./CheckCount.ts"
import { CheckFailed } from "./CheckFailed.ts"
import { diff } from "./Diff.ts"
import { firstDifference, show } from "./Difference.ts"
import type { Oracle } from "./Oracle.ts"
import { OracleCount } from "./OracleCount.ts"
import type { RawAnswer } from "./RawRequest.ts"
import { whereOf } from "./Where.ts"

interface Refutation {
  readonly expected: string
  readonly actual: string
  /** The two values, where their difference is worth showing by itself. */
  readonly differ?: readonly [expected: unknown, actual: unknown]
}

const pass: Effect.Effect<void> = Effect.map(CheckCount, (count) => {
  count.passed += 1
})

// The error is made where the suite calls, so that its stack names the suite's line; it is read only on failure.
const refute = (name: string, at: Error, { actual, differ, expected }: Refutation): Effect.Effect<never, CheckFailed> =>
  Effect.flatMap(CheckCount, (count) => {
    count.failed += 1
    const where = whereOf(at)
    const lines = differ === undefined ? undefined : diff(...differ)
    return Effect.fail(
      new CheckFailed({
        name,
        expected,
        actual,
        ...(lines === undefined ? {} : { diff: lines }),
        ...(where === undefined ? {} : { where })
      })
    )
  })

// a check that answers nothing need not end a soft scenario
const settle = (name: string, at: Error, refuted: Refutation | undefined): Effect.Effect<void, CheckFailed> =>
  refuted === undefined
    ? pass
    : Effect.catchTag(refute(name, at, refuted), "CheckFailed", (failed) =>
        Effect.flatMap(CheckCount, ({ soft }) => {
          if (soft === undefined) return Effect.fail(failed)
          soft.push(failed)
          return Effect.void
        })
      )

/**
 * Checks that two values are the same, by `Object.is`.
 *
 * @param actual - The actual value.
 * @param expected - The expected value.
 * @param name - The name of the check in reports.
 * @returns The effect, which fails with `CheckFailed` if the check doesn't hold.
 * @throws `CheckFailed` with the expected and the actual value. In a `soft` scenario, the failure is reported at the end.
 * @example
 * ```ts
 * import { check, scenario, Suite } from "@webagent/scenario"
 *
 * export default Suite.make("shop", [
 *   scenario("has a status", function* ({ v4 }) {
 *     const run = yield* v4.runs.createAndWait({ task: "Say hello" })
 *     yield* check.equal(run.status, "completed", "the run's status")
 *   })
 * ])
 * ```
 */
export const equal = <A>(actual: A, expected: NoInfer<A>, name = "the value") =>
  settle(
    name,
    new Error(),
    Object.is(actual, expected)
      ? undefined
      : { expected: show(expected), actual: show(actual), differ: [expected, actual] }
  )

/**
 * Checks that two values are equal in every field and element, including the contents of dates, maps and sets.
 *
 * @param actual - The actual value.
 * @param expected - The expected value.
 * @param name - The name of the check in reports.
 * @returns The effect, which fails with `CheckFailed` if the check doesn't hold.
 * @throws `CheckFailed` with the expected and the actual value. In a `soft` scenario, the failure is reported at the end.
 * @example
 * ```ts
 * import { check, scenario, Suite } from "@webagent/scenario"
 *
 * export default Suite.make("shop", [
 *   scenario("has a status", function* ({ v4 }) {
 *     const run = yield* v4.runs.createAndWait({ task: "Say hello" })
 *     yield* check.deepEqual(run.result, { price: 89 }, "the result")
 *   })
 * ])
 * ```
 */
export const deepEqual = <A>(actual: A, expected: NoInfer<A>, name = "the value") => {
  const difference = firstDifference(actual, expected)
  const at = difference === undefined || difference.path === "" ? "" : ` at ${difference.path}`
  return settle(
    name,
    new Error(),
    difference && {
      expected: show(difference.expected) + at,
      actual: show(difference.actual) + at,
      differ: [expected, actual]
    }
  )
}

/**
 * Checks that a condition is `true`.
 *
 * @param actual - The condition.
 * @param name - The name of the check in reports.
 * @returns The effect, which fails with `CheckFailed` if the check doesn't hold.
 * @throws `CheckFailed` with the expected and the actual value. In a `soft` scenario, the failure is reported at the end.
 * @example
 * ```ts
 * import { check, scenario, Suite } from "@webagent/scenario"
 *
 * export default Suite.make("shop", [
 *   scenario("has a status", function* ({ v4 }) {
 *     const run = yield* v4.runs.createAndWait({ task: "Say hello" })
 *     yield* check.isTrue(run.result !== null, "the run has a result")
 *   })
 * ])
 * ```
 */
export const isTrue = (actual: boolean, name = "the condition") =>
  settle(name, new Error(), actual ? undefined : { expected: "true", actual: "false" })

/**
 * Checks that a value is a text that matches a pattern.
 *
 * @param actual - The actual value. A value that isn't text doesn't match.
 * @param pattern - The pattern.
 * @param name - The name of the check in reports.
 * @returns The effect, which fails with `CheckFailed` if the check doesn't hold.
 * @throws `CheckFailed` with the expected and the actual value. In a `soft` scenario, the failure is reported at the end.
 * @example
 * ```ts
 * import { check, scenario, Suite } from "@webagent/scenario"
 *
 * export default Suite.make("shop", [
 *   scenario("has a status", function* ({ v4 }) {
 *     const run = yield* v4.runs.createAndWait({ task: "Say hello" })
 *     yield* check.match(run.result, /EUR/u, "the price")
 *   })
 * ])
 * ```
 */
export const match = (actual: unknown, pattern: RegExp, name = "the text") =>
  settle(
    name,
    new Error(),
    typeof actual === "string" && pattern.test(actual)
      ? undefined
      : { expected: `text like ${pattern.source}`, actual: show(actual) }
  )

/**
 * Checks the status of a response: a number, one of several, or a class such as `"4xx"`.
 *
 * @param answer - The response to a raw request.
 * @param expected - A status such as 404, several statuses, or a class: `"2xx"` or `"4xx"`.
 * @param name - The name of the check in reports.
 * @returns The effect, which fails with `CheckFailed` if the check doesn't hold.
 * @throws `CheckFailed` with the expected and the actual value. In a `soft` scenario, the failure is reported at the end.
 * @example
 * ```ts
 * import { check, scenario, Suite } from "@webagent/scenario"
 *
 * export default Suite.make("shop", [
 *   scenario("refuses an unknown path", function* ({ request }) {
 *     const response = yield* request("v4", { method: "GET", path: "/no-such-path" })
 *     yield* check.status(response, 404)
 *   })
 * ])
 * ```
 */
export const status = (
  answer: RawAnswer,
  expected: number | ReadonlyArray<number> | "2xx" | "4xx",
  name = `${answer.request.method} ${answer.request.path}`
) => {
  const fits =
    typeof expected === "string"
      ? Math.floor(answer.status / 100) === Number(expected[0])
      : [expected].flat().includes(answer.status)
  return settle(
    name,
    new Error(),
    fits
      ? undefined
      : {
          expected: `HTTP ${[expected].flat().join(" or ")}`,
          actual:
            `HTTP ${answer.status} ${answer.text.length <= 300 ? answer.text : `${answer.text.slice(0, 300)}…`}`.trim()
        }
  )
}

type Issue = NonNullable<Awaited<ReturnType<StandardSchema<unknown>["~standard"]["validate"]>>["issues"]>[number]

const issueText = ({ message, path = [] }: Issue) =>
  path.length === 0
    ? message
    : `${path.map((part) => String(typeof part === "object" ? part.key : part)).join(".")}: ${message}`

/** Decodes a value with a schema of either kind, or says what doesn't fit. */
const decode = <A>(schema: CheckSchema<A>, value: unknown): Effect.Effect<A, string> => {
  if (Schema.isSchema(schema)) {
    const decodeWith = Schema.decodeUnknownEffect(schema as Schema.ConstraintDecoder<A>)
    return Effect.mapError(decodeWith(value, { errors: "all" }), ({ message }) => message)
  }
  return Effect.suspend(() => {
    const validated = (schema as StandardSchema<A>)["~standard"].validate(value)
    if (validated instanceof Promise) {
      return Effect.die(new TypeError("check.schema needs a schema that validates without waiting."))
    }
    return validated.issues === undefined
      ? Effect.succeed(validated.value)
      : Effect.fail(validated.issues.map(issueText).join("; "))
  })
}

/** A schema of Effect's, or one of another library that validates without waiting, such as zod's. */
export type CheckSchema<A> = Schema.ConstraintDecoder<A> | StandardSchema<A>

/**
 * Checks that a value decodes with a schema, and returns the decoded value.
 *
 * @param schema - A schema of Effect's or of zod, or of any library that follows standardschema.dev.
 * @param value - The value to decode.
 * @param name - The name of the check in reports.
 * @returns The decoded value, with the type of the schema. Fails with `CheckFailed` if the value doesn't match.
 * @throws `CheckFailed` with the expected and the actual value. In a `soft` scenario, the failure is reported at the end.
 * @example
 * ```ts
 * import { check, scenario, Suite } from "@webagent/scenario"
 * import * as Schema from "effect/Schema"
 *
 * const Offer = Schema.Struct({ price: Schema.Number })
 *
 * export default Suite.make("shop", [
 *   scenario("finds an offer", function* ({ v4 }) {
 *     const run = yield* v4.runs.createAndWait({ task: "Find a red mug" })
 *     const { price } = yield* check.schema(Offer, run.result, "the offer")
 *     yield* check.that("the mug is cheap", price < 10)
 *   })
 * ])
 * ```
 */
export const schema = <A>(
  schema: CheckSchema<A>,
  value: unknown,
  name = "the answer's shape"
): Effect.Effect<A, CheckFailed> => {
  const at = new Error()
  return Effect.matchEffect(decode(schema, value), {
    onFailure: (issue) => refute(name, at, { expected: issue.replaceAll(/\s*\n\s*/gu, " "), actual: show(value) }),
    onSuccess: (decoded) => Effect.as(pass, decoded)
  })
}

/**
 * Checks a condition of your own.
 *
 * @param name - The name of the check in reports.
 * @param holds - True if the check passes.
 * @param seen - The expected and the actual value for the report.
 * @returns The effect, which fails with `CheckFailed` if the check doesn't hold.
 * @throws `CheckFailed` with the expected and the actual value. In a `soft` scenario, the failure is reported at the end.
 * @example
 * ```ts
 * import { check } from "@webagent/scenario"
 *
 * export const isCheap = (cost: number) =>
 *   check.that("the run is cheap", cost < 0.1, { expected: "less than 0.10 USD", actual: cost })
 * ```
 */
export const that = (name: string, holds: boolean, seen?: { readonly expected: string; readonly actual: unknown }) => {
  const actual = seen === undefined ? "it does not" : seen.actual
  return settle(
    name,
    new Error(),
    holds
      ? undefined
      : { expected: seen?.expected ?? "it to hold", actual: typeof actual === "string" ? actual : show(actual) }
  )
}

/**
 * Checks that an effect fails with an error of this tag, and returns the error.
 *
 * @param effect - The effect that should fail.
 * @param tag - The tag of the expected error, such as `RunNotFoundError`.
 * @param name - The name of the check in reports.
 * @returns The error with its type. Fails with `CheckFailed` if the effect succeeds, or fails with another error.
 * @throws `CheckFailed` with the expected and the actual value. In a `soft` scenario, the failure is reported at the end.
 * @example
 * ```ts
 * import { check, scenario, Suite } from "@webagent/scenario"
 *
 * export default Suite.make("shop", [
 *   scenario("an unknown run is not found", function* ({ v4 }) {
 *     yield* check.fails(v4.runs.get("no-such-run"), "RunNotFoundError")
 *   })
 * ])
 * ```
 */
export const fails = <A, E, R, const Tag extends string>(
  effect: Effect.Effect<A, E, R>,
  tag: Tag,
  name = `an error ${tag}`
): Effect.Effect<Extract<E, { readonly _tag: Tag }>, CheckFailed, R> => {
  const at = new Error()
  const isExpected = (error: E): error is Extract<E, { readonly _tag: Tag }> =>
    typeof error === "object" && error !== null && "_tag" in error && error._tag === tag
  return Effect.matchEffect(effect, {
    onFailure: (error) =>
      isExpected(error) ? Effect.as(pass, error) : refute(name, at, { expected: tag, actual: show(error) }),
    onSuccess: (value) => refute(name, at, { expected: tag, actual: `success: ${show(value)}` })
  })
}

/**
 * Checks the verdict of an oracle, which reads facts from another source than the response.
 *
 * @param name - The name of the check in reports.
 * @param oracle - Reads the facts and judges them, as `Oracle.make` returns it.
 * @returns The effect, which fails with `CheckFailed` if the oracle refutes the claim. If the oracle can't look, the trial is unscored.
 * @throws `CheckFailed` with the expected and the actual value. In a `soft` scenario, the failure is reported at the end. If the oracle can't read its facts, the effect fails with the oracle's error.
 * @example
 * ```ts
 * import { check, Oracle, scenario, Suite } from "@webagent/scenario"
 * import * as Effect from "effect/Effect"
 *
 * const ordered = Effect.succeed(Oracle.holds("there is one order"))
 *
 * export default Suite.make("shop", [
 *   scenario("orders a mug", function* () {
 *     yield* check.oracle("the order exists", ordered)
 *   })
 * ])
 * ```
 */
export const oracle = <E, R>(name: string, oracle: Oracle<E, R>): Effect.Effect<void, E | CheckFailed, R> => {
  const at = new Error()
  return Effect.flatMap(OracleCount, (count) =>
    Effect.flatMap(
      Effect.tapError(oracle, (error) => Effect.sync(() => count.unable.push(error))),
      (verdict) => {
        if (verdict.holds) count.held += 1
        else count.refuted += 1
        return settle(name, at, verdict.holds ? undefined : verdict)
      }
    )
  )
}
