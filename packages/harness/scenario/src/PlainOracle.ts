import * as Effect from "effect/Effect"
import { type Finding, holds, type Oracle as EffectOracle, refuted } from "./Oracle.ts"

export { type Finding, holds, refuted }

/**
 * Decides whether a response was right by looking somewhere else than at the response, for example at the shop's orders or
 * in a database. A function that returns a finding or a promise of one.
 */
export type Oracle = () => PromiseLike<Finding> | Finding

/**
 * Makes an oracle that looks something up and judges it.
 *
 * @param look - Returns what there is, or a promise of it. If it fails, the check fails with its error.
 * @param judge - Returns `holds` or `refuted`.
 * @returns The oracle, to be passed to `check.oracle`.
 * @example
 * ```ts
 * import { Oracle, scenario, Suite } from "@webagent/scenario/promise"
 *
 * const ordered = Oracle.make(
 *   async () => (await (await fetch("http://127.0.0.1:4000/orders")).json()) as ReadonlyArray<string>,
 *   (orders) => (orders.length === 1 ? Oracle.holds("there is one order") : Oracle.refuted("1 order", `${orders.length}`))
 * )
 * export default Suite.make("shop", [
 *   scenario("orders a mug once", async ({ check, v4 }) => {
 *     await v4.runs.createAndWait({ task: "Buy the red mug" })
 *     await check.oracle("the shop has one order", ordered)
 *   })
 * ])
 * ```
 */
export const make =
  <A>(look: () => PromiseLike<A> | A, judge: (found: A) => Finding): Oracle =>
  async () =>
    judge(await look())

/**
 * Converts an oracle of the promise style to an effect.
 *
 * @param oracle - An oracle of `@webagent/scenario/promise`. One of `@webagent/scenario` is returned as it is.
 * @returns An oracle of `@webagent/scenario`.
 * @example
 * ```ts
 * import { Oracle } from "@webagent/scenario/promise"
 * import * as Effect from "effect/Effect"
 *
 * const ordered = Oracle.effectOf(() => Oracle.holds("there is one order"))
 * export const isOrdered = Effect.map(ordered, ({ holds }) => holds)
 * ```
 */
export const effectOf = (oracle: Oracle | EffectOracle<unknown>): EffectOracle<unknown> =>
  Effect.isEffect(oracle) ? oracle : Effect.tryPromise({ try: async () => oracle(), catch: (error) => error })
