import * as Effect from "effect/Effect"

/** The verdict of an oracle. `because` and `actual` are sentences for the report. */
export type Finding =
  | { readonly holds: true; readonly because: string }
  | { readonly holds: false; readonly expected: string; readonly actual: string }

/**
 * Decides whether an answer was right by looking somewhere else than at the answer: at the shop's orders, at a
 * database, at a second opinion. An oracle that cannot look fails with its own error.
 */
export type Oracle<E = never, R = never> = Effect.Effect<Finding, E, R>

/**
 * Returns the verdict that the expected facts hold.
 *
 * @param because - The facts that the oracle found, for the report.
 * @returns The verdict that the claim is right.
 * @example
 * ```ts
 * import { Oracle } from "@webagent/scenario"
 *
 * export const verdict = Oracle.holds("there is one order")
 * ```
 */
export const holds = (because: string): Finding => ({ holds: true, because })

/**
 * Returns the verdict that the expected facts don't hold.
 *
 * @param expected - The expected facts.
 * @param actual - The facts that the oracle found instead.
 * @returns The verdict that the claim is wrong.
 * @example
 * ```ts
 * import { Oracle } from "@webagent/scenario"
 *
 * export const verdict = Oracle.refuted("one order", "no order")
 * ```
 */
export const refuted = (expected: string, actual: string): Finding => ({ holds: false, expected, actual })

/**
 * An oracle that looks something up and judges it.
 *
 * @param look - Reads the facts from another source, such as a database.
 * @param judge - Compares the facts with the claim.
 * @returns The oracle, to be passed to `check.oracle`.
 * @example
 * ```ts
 * import { check, Oracle, scenario, Suite } from "@webagent/scenario"
 * import * as Effect from "effect/Effect"
 *
 * const ordered = Oracle.make(Effect.succeed(1), (orders) =>
 *   orders === 1 ? Oracle.holds("there is one order") : Oracle.refuted("one order", `${orders} orders`)
 * )
 *
 * export default Suite.make("shop", [
 *   scenario("orders a mug", function* () {
 *     yield* check.oracle("the order exists", ordered)
 *   })
 * ])
 * ```
 */
export const make = <A, E, R>(look: Effect.Effect<A, E, R>, judge: (found: A) => Finding): Oracle<E, R> =>
  Effect.map(look, judge)
