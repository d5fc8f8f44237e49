import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { HookFailed } from "./HookFailed.ts"
import { wrongName, wrongOwner } from "./Name.ts"
import type { Scenario } from "./Scenario.ts"
import { SuiteScope } from "./SuiteScope.ts"

const TypeId = "~@webagent/scenario/Suite"

/** A named list of scenarios, in the order in which they are reported. A file `*.suite.ts` default-exports one. */
export interface Suite {
  readonly [TypeId]: typeof TypeId
  readonly name: string
  readonly scenarios: ReadonlyArray<Scenario>
}

/** The result of a suite's hook: an Effect, a promise, or a value. */
type Done<A> = Effect.Effect<A, unknown, Scope.Scope> | PromiseLike<A> | A

/** The owner of a suite, and hooks that run once per suite, regardless of its scenarios and trials. */
export interface SuiteOptions {
  /** Who looks at failures of its scenarios, unless a scenario has an owner itself: a team, a person or a handle. */
  readonly owner?: string
  /**
   * Runs before the first scenario. If it fails, every scenario fails with its error.
   *
   * @returns An effect, a promise or a value.
   * @example
   * ```ts
   * import { Suite } from "@webagent/scenario"
   *
   * export default Suite.make("shop", [], { beforeAll: () => fetch("http://127.0.0.1:4000/reset", { method: "POST" }) })
   * ```
   */
  readonly beforeAll?: () => Done<unknown>
  /**
   * Runs after the last scenario if `beforeAll` has succeeded. If it fails, the run fails.
   *
   * @returns An effect, a promise or a value.
   * @example
   * ```ts
   * import { Suite } from "@webagent/scenario"
   *
   * export default Suite.make("shop", [], { afterAll: () => fetch("http://127.0.0.1:4000/reset", { method: "POST" }) })
   * ```
   */
  readonly afterAll?: () => Done<unknown>
}

const effectOf = <A>(f: () => Done<A>): Effect.Effect<A, unknown, Scope.Scope> =>
  Effect.flatMap(Effect.try({ try: f, catch: (error) => error }), (done) =>
    Effect.isEffect(done)
      ? (done as Effect.Effect<A, unknown, Scope.Scope>)
      : Effect.tryPromise({ try: async () => done, catch: (error) => error })
  )

/** A hook whose failure names it. */
const hookOf = (hook: HookFailed["hook"], { [hook]: run }: SuiteOptions) =>
  run === undefined ? Effect.void : Effect.mapError(effectOf(run), (cause) => new HookFailed({ hook, cause }))

/**
 * Shares a resource between the scenarios of a suite. It's acquired when the first scenario asks for it, and released at
 * the end of the suite.
 *
 * @param acquire - A scoped effect, or a function that returns the resource or a promise of it.
 * @param release - Releases the resource that the function has returned.
 * @returns An effect that every scenario can yield to get the resource.
 * @example
 * ```ts
 * import { Suite } from "@webagent/scenario"
 * import { createServer } from "node:http"
 *
 * const shop = Suite.resource(
 *   () => createServer().listen(0),
 *   (server) => server.close()
 * )
 * ```
 */
export const resource: {
  <A, E>(acquire: Effect.Effect<A, E, Scope.Scope>): Effect.Effect<A, E>
  <A>(acquire: () => PromiseLike<A> | A, release?: (value: A) => unknown): Effect.Effect<A, unknown>
} = <A>(
  acquire: Effect.Effect<A, unknown, Scope.Scope> | (() => PromiseLike<A> | A),
  release?: (value: A) => unknown
): Effect.Effect<A, unknown> => {
  const acquired: Effect.Effect<A, unknown, Scope.Scope> = Effect.isEffect(acquire)
    ? acquire
    : Effect.acquireRelease(effectOf(acquire), (value) => Effect.orDie(effectOf(() => release?.(value))))
  const key = {}
  return Effect.flatMap(SuiteScope, (scope) => scope.get(key, acquired))
}

/** The scenarios, each after what runs once before all of them. */
const after = (scenarios: ReadonlyArray<Scenario>, options: SuiteOptions): ReadonlyArray<Scenario> => {
  if (options.beforeAll === undefined && options.afterAll === undefined) return scenarios
  const before = resource(
    Effect.acquireRelease(hookOf("beforeAll", options), () => Effect.orDie(hookOf("afterAll", options)))
  )
  return scenarios.map((scenario) => ({
    ...scenario,
    run: (context) => Effect.andThen(before, scenario.run(context))
  }))
}

const optionNames = ["owner", "beforeAll", "afterAll"]

/**
 * Makes a suite from scenarios and lists of scenarios. A file `*.suite.ts` exports it as its default.
 *
 * @param name - The name in reports and on the command line.
 * @param scenarios - The scenarios, in the order of the report.
 * @param options - The owner, and hooks that run before the first scenario and after the last one.
 * @returns The suite, to be exported as the default of a file `*.suite.ts`.
 * @throws `TypeError` if two scenarios have the same name, or a name or an option is invalid.
 * @example
 * ```ts
 * import { check, scenario, Suite } from "@webagent/scenario"
 *
 * const greets = scenario("a run completes", function* ({ v4 }) {
 *   const run = yield* v4.runs.createAndWait({ task: "Say hello" })
 *   yield* check.equal(run.status, "completed")
 * })
 * export default Suite.make("greetings", [greets], { beforeAll: () => console.log("starting") })
 * ```
 */
export const make = (
  name: string,
  scenarios: ReadonlyArray<Scenario | ReadonlyArray<Scenario>>,
  options: SuiteOptions = {}
): Suite => {
  const wrong = wrongName(name)
  if (wrong !== undefined) throw new TypeError(`Suite ${JSON.stringify(name)}: ${wrong}`)
  const odd = Object.keys(options).find((option) => !optionNames.includes(option))
  if (odd !== undefined) {
    throw new TypeError(`Suite "${name}": "${odd}" is not an option of a suite. Use one of: ${optionNames.join(", ")}.`)
  }
  const owner = wrongOwner(options.owner)
  if (owner !== undefined) throw new TypeError(`Suite "${name}": ${owner}`)
  if (!Array.isArray(scenarios)) {
    throw new TypeError(`Suite "${name}": its scenarios must be a list: Suite.make("${name}", [scenario(...)]).`)
  }
  const all = scenarios
    .flat()
    .map((scenario) =>
      options.owner === undefined || scenario.owner !== undefined ? scenario : { ...scenario, owner: options.owner }
    )
  const seen = new Set<string>()
  for (const { name: scenario } of all) {
    if (seen.has(scenario)) throw new TypeError(`Suite "${name}" has two scenarios named "${scenario}".`)
    seen.add(scenario)
  }
  return { [TypeId]: TypeId, name, scenarios: after(all, options) }
}

/**
 * Returns whether a value is a suite, even one from another copy of this package.
 *
 * @param value - Any value, such as the default export of a module.
 * @returns True if the harness can run the value as a suite.
 * @example
 * ```ts
 * import { Suite } from "@webagent/scenario"
 *
 * export const isOne = Suite.isSuite(Suite.make("empty", [])) // true
 * ```
 */
export const isSuite = (value: unknown): value is Suite =>
  typeof value === "object" && value !== null && TypeId in value
