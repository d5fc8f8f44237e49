import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"

/** Holds what the scenarios of a suite share, from its first use to the end of the suite. */
export interface SuiteScope {
  /**
   * Returns the value of a key. It's acquired on first use, and released at the end of the suite.
   *
   * @param key - The key, which is compared by identity.
   * @param acquire - Acquires the value.
   * @returns The value.
   * @throws The error of `acquire`.
   * @example
   * ```ts
   * import { SuiteScope } from "@webagent/scenario"
   * import * as Effect from "effect/Effect"
   *
   * const key = {}
   * export const orders = Effect.flatMap(SuiteScope.SuiteScope, (suite) =>
   *   suite.get(key, Effect.sync(() => new Map<string, string>()))
   * )
   * ```
   */
  readonly get: <A, E>(key: object, acquire: Effect.Effect<A, E, Scope.Scope>) => Effect.Effect<A, E>
}

/** The scope of the suite that a scenario belongs to; a runner gives every suite its own. */
export const SuiteScope: Context.Reference<SuiteScope> = Context.Reference("@webagent/scenario/SuiteScope", {
  defaultValue: (): SuiteScope => ({
    get: () => Effect.die(new TypeError("A resource of a suite can be used only while the suite runs."))
  })
})

/** The scope of one run of a suite, which ends with the scope that it is made in. */
export const make = Effect.gen(function* () {
  const scope = yield* Effect.scope
  // a trial that comes first neither owns what all share, nor stops it
  const context = yield* Effect.context<never>()
  const held = new Map<object, Fiber.Fiber<unknown, unknown>>()
  const get = <A, E>(key: object, acquire: Effect.Effect<A, E, Scope.Scope>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const fiber = held.get(key) ?? Effect.runForkWith(Context.add(context, Scope.Scope, scope))(acquire)
      held.set(key, fiber)
      return Fiber.join(fiber as Fiber.Fiber<A, E>)
    })
  yield* Effect.addFinalizer(() => Effect.forEach(held.values(), Fiber.interrupt, { discard: true }))
  return { get } satisfies SuiteScope
})
