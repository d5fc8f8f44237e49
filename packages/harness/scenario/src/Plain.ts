import type * as Context from "effect/Context"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type * as Scope from "effect/Scope"
import type { ApiVersion } from "@webagent/contract/Wire"
import * as Check from "./Check.ts"
import type { CheckFailed } from "./CheckFailed.ts"
import type { Control } from "./Control.ts"
import type { Oracle } from "./Oracle.ts"
import * as PlainOracle from "./PlainOracle.ts"
import type { RawAnswer, RawRequest } from "./RawRequest.ts"
import type { ScenarioContext } from "./ScenarioContext.ts"
import { UnawaitedCall } from "./UnawaitedCall.ts"

declare const errors: unique symbol

/** A promise of a client. The compiler knows its errors, so `check.fails` accepts their tags and types the error. */
export interface Rejecting<A, E> extends Promise<A> {
  /** Exists in types only. */
  readonly [errors]: E
}

/** The tags of errors that a promise can be rejected with; any text if the promise isn't a client's. */
export type RejectionTag<P> =
  P extends Rejecting<unknown, infer E extends { readonly _tag: string }> ? E["_tag"] : string

/** The error of this tag that a promise can be rejected with. */
export type Rejection<P, Tag extends string> =
  P extends Rejecting<unknown, infer E extends { readonly _tag: string }>
    ? Extract<E, { readonly _tag: Tag }>
    : { readonly _tag: Tag; readonly [field: string]: unknown }

type Result<R> =
  R extends Effect.Effect<infer A, infer E, infer _R>
    ? Rejecting<A, E>
    : R extends Stream.Stream<infer A, infer _E, infer _R>
      ? AsyncIterable<A>
      : R

/** A service whose functions answer with promises instead of effects; an overloaded one keeps its two signatures. */
export type Plain<T> = T extends {
  (...args: infer A): infer R
  (...args: infer B): infer S
}
  ? { (...args: A): Result<R>; (...args: B): Result<S> }
  : T extends (...args: infer A) => infer R
    ? (...args: A) => Result<R>
    : T extends Effect.Effect<unknown, unknown, unknown>
      ? T
      : T extends object
        ? { readonly [Key in keyof T]: Plain<T[Key]> }
        : T

/** The checks, which throw at once; those that wait answer with a promise. */
export interface PlainCheck {
  /**
   * Checks that two values are the same, by `Object.is`.
   *
   * @param actual - The actual value.
   * @param expected - The expected value.
   * @param name - The name of the check in reports.
   * @returns Nothing.
   * @throws `CheckFailed` with the expected and the actual value.
   * @example
   * ```ts
   * import type { PlainCheck } from "@webagent/scenario/promise"
   *
   * export const isDone = (check: PlainCheck, status: string) => check.equal(status, "completed", "the run's status")
   * ```
   */
  equal<A>(actual: A, expected: NoInfer<A>, name?: string): void
  /**
   * Checks that two values are equal in every field and element.
   *
   * @param actual - The actual value.
   * @param expected - The expected value.
   * @param name - The name of the check in reports.
   * @returns Nothing.
   * @throws `CheckFailed` with the first difference.
   * @example
   * ```ts
   * import type { PlainCheck } from "@webagent/scenario/promise"
   *
   * export const isCheap = (check: PlainCheck, result: unknown) => check.deepEqual(result, { price: 4.2 }, "the offer")
   * ```
   */
  deepEqual<A>(actual: A, expected: NoInfer<A>, name?: string): void
  /**
   * Checks that a condition is `true`.
   *
   * @param actual - The condition.
   * @param name - The name of the check in reports.
   * @returns Nothing.
   * @throws `CheckFailed` if it's false.
   * @example
   * ```ts
   * import type { PlainCheck } from "@webagent/scenario/promise"
   *
   * export const hasResult = (check: PlainCheck, result: unknown) => check.isTrue(result !== null, "the run has a result")
   * ```
   */
  isTrue(actual: boolean, name?: string): void
  /**
   * Checks that a value is a text that matches a pattern.
   *
   * @param actual - The actual value.
   * @param pattern - The pattern.
   * @param name - The name of the check in reports.
   * @returns Nothing.
   * @throws `CheckFailed` with the value.
   * @example
   * ```ts
   * import type { PlainCheck } from "@webagent/scenario/promise"
   *
   * export const isInEuro = (check: PlainCheck, result: unknown) => check.match(result, /EUR/u, "the price")
   * ```
   */
  match(actual: unknown, pattern: RegExp, name?: string): void
  /**
   * Checks the status of a response to a raw request.
   *
   * @param answer - The response.
   * @param expected - A status such as 404, several statuses, or a class: `"2xx"` or `"4xx"`.
   * @param name - The name of the check in reports.
   * @returns Nothing.
   * @throws `CheckFailed` with the status and the start of the body.
   * @example
   * ```ts
   * import { scenario, Suite } from "@webagent/scenario/promise"
   *
   * export default Suite.make("paths", [
   *   scenario("refuses an unknown path", async ({ check, request }) => {
   *     check.status(await request("v4", { method: "GET", path: "/no-such-path" }), 404)
   *   })
   * ])
   * ```
   */
  status(answer: RawAnswer, expected: Parameters<typeof Check.status>[1], name?: string): void
  /**
   * Checks that a value decodes with a schema.
   *
   * @param schema - A schema of Effect's or of zod, or of any library that follows standardschema.dev.
   * @param value - The value to decode.
   * @param name - The name of the check in reports.
   * @returns The decoded value, with the type of the schema.
   * @throws `CheckFailed` with the parts that don't fit.
   * @example
   * ```ts
   * import type { PlainCheck } from "@webagent/scenario/promise"
   * import { z } from "zod"
   *
   * export const priceOf = (check: PlainCheck, result: unknown) =>
   *   check.schema(z.object({ price: z.number() }), result, "the offer").price
   * ```
   */
  schema<A>(schema: Check.CheckSchema<A>, value: unknown, name?: string): A
  /**
   * Checks a condition of your own.
   *
   * @param name - The name of the check in reports.
   * @param holds - True if the check passes.
   * @param seen - The expected and the actual value for the report.
   * @returns Nothing.
   * @throws `CheckFailed` if the condition is false.
   * @example
   * ```ts
   * import type { PlainCheck } from "@webagent/scenario/promise"
   *
   * export const isCheap = (check: PlainCheck, cost_usd: number) =>
   *   check.that("the run is cheap", cost_usd < 0.1, { expected: "less than 0.10 USD", actual: cost_usd })
   * ```
   */
  that(name: string, holds: boolean, seen?: Parameters<typeof Check.that>[2]): void
  /**
   * Checks that a promise is rejected with an error of this tag, and returns the error.
   *
   * @param promise - The call of a client.
   * @param tag - The tag of the expected error, such as `RunNotFoundError`.
   * @param name - The name of the check in reports.
   * @returns The error with its type.
   * @throws `CheckFailed` if the promise resolves, or is rejected with another error.
   * @example
   * ```ts
   * import { scenario, Suite } from "@webagent/scenario/promise"
   *
   * export default Suite.make("runs", [
   *   scenario("an unknown run is not found", async ({ check, v4 }) => {
   *     await check.fails(v4.runs.get("no-such-run"), "RunNotFoundError")
   *   })
   * ])
   * ```
   */
  fails<P extends PromiseLike<unknown>, const Tag extends RejectionTag<P>>(
    promise: P,
    tag: Tag,
    name?: string
  ): Promise<Rejection<P, Tag>>
  /**
   * Checks a response against facts from another source.
   *
   * @param name - The name of the check in reports.
   * @param oracle - A function that returns a finding, or an oracle of Effect.
   * @returns A promise that resolves if the claim holds.
   * @throws `CheckFailed` if the oracle refutes the claim. If it can't read its facts, the trial is unscored.
   * @example
   * ```ts
   * import { Oracle, scenario, Suite } from "@webagent/scenario/promise"
   *
   * export default Suite.make("shop", [
   *   scenario("orders a mug", async ({ check, v4 }) => {
   *     await v4.runs.createAndWait({ task: "Buy the red mug" })
   *     await check.oracle("the shop has the order", async () => {
   *       const { ok } = await fetch("http://127.0.0.1:4000/orders/1")
   *       return ok ? Oracle.holds("there is an order") : Oracle.refuted("an order", "none")
   *     })
   *   })
   * ])
   * ```
   */
  oracle(name: string, oracle: PlainOracle.Oracle | Oracle<unknown>): Promise<void>
}

/** A CDP connection whose answers are promises. */
export interface PlainCdpConnection {
  /**
   * Sends a command.
   *
   * @param method - The command, such as `Page.navigate`.
   * @param params - The parameters of the command.
   * @returns The result of the command. It's rejected with `CdpError` if the browser refuses it, or after 10 seconds.
   * @example
   * ```ts
   * import { scenario, Suite } from "@webagent/scenario/promise"
   *
   * export default Suite.make("browsers", [
   *   scenario("opens a page", async ({ cdp, v4 }) => {
   *     const { cdpUrl, id } = await v4.browsers.create()
   *     const { send } = await cdp(cdpUrl)
   *     await send("Target.createTarget", { url: "https://shop.example.com" })
   *     await v4.browsers.stop(id)
   *   })
   * ])
   * ```
   */
  readonly send: (method: string, params?: Readonly<Record<string, unknown>>) => Promise<unknown>
  /**
   * Waits until the other side has closed the connection.
   *
   * @returns A promise that resolves once the connection is closed.
   * @example
   * ```ts
   * import { scenario, Suite } from "@webagent/scenario/promise"
   *
   * export default Suite.make("browsers", [
   *   scenario("closes the connections of a stopped browser", async ({ cdp, v4 }) => {
   *     const { cdpUrl, id } = await v4.browsers.create()
   *     const { closed } = await cdp(cdpUrl)
   *     await v4.browsers.stop(id)
   *     await closed()
   *   })
   * ])
   * ```
   */
  readonly closed: () => Promise<void>
}

/** The context of a scenario in plain style: the same as in any other, with promises. */
export interface PlainContext
  extends Pick<ScenarioContext, "simulate" | "target" | "seed">, Plain<Pick<ScenarioContext, "v2" | "v3" | "v4">> {
  /** The API key of the target, for requests of your own. */
  readonly apiKey: string
  readonly control: Plain<Omit<Control, "api">>
  /**
   * Sends a request that a typed client would refuse to send. Any status is a response.
   *
   * @param version - The API version whose address is used.
   * @param request - The method, the path below that address, and a body, headers or key of your own.
   * @returns The response with its status, headers and body.
   * @example
   * ```ts
   * import { scenario, Suite } from "@webagent/scenario/promise"
   *
   * export default Suite.make("keys", [
   *   scenario("refuses a request without a key", async ({ check, request }) => {
   *     check.status(await request("v4", { method: "GET", path: "/runs", apiKey: null }), 401)
   *   })
   * ])
   * ```
   */
  readonly request: (version: ApiVersion, request: RawRequest) => Promise<RawAnswer>
  /**
   * Connects to a browser over the Chrome DevTools Protocol. The connection closes with the scenario.
   *
   * @param url - The `cdpUrl` of the browser.
   * @returns The connection. It's rejected with `CdpError` if the browser can't be reached.
   * @example
   * ```ts
   * import { scenario, Suite } from "@webagent/scenario/promise"
   *
   * export default Suite.make("browsers", [
   *   scenario("has a page", async ({ cdp, check, v4 }) => {
   *     const { cdpUrl, id } = await v4.browsers.create()
   *     const { send } = await cdp(cdpUrl)
   *     check.isTrue((await send("Target.getTargets")) !== null, "the browser has targets")
   *     await v4.browsers.stop(id)
   *   })
   * ])
   * ```
   */
  readonly cdp: (url: string) => Promise<PlainCdpConnection>
  readonly check: PlainCheck
  /**
   * Runs an effect in a scenario of the promise style, for example a resource of the suite.
   *
   * @param effect - The effect. Its scope closes with the scenario.
   * @returns The result of the effect. It's rejected with the error of the effect.
   * @example
   * ```ts
   * import { scenario, Suite } from "@webagent/scenario/promise"
   * import { createServer } from "node:http"
   *
   * const shop = Suite.resource(
   *   () => createServer().listen(0),
   *   (server) => server.close()
   * )
   * export default Suite.make("shop", [
   *   scenario("has a shop", async ({ check, use }) => check.isTrue((await use(shop)).listening))
   * ])
   * ```
   */
  readonly use: <A>(effect: Effect.Effect<A, unknown, Scope.Scope>) => Promise<A>
}

/** Starts a call of the context, by its name; the promise has its result. */
type Call = <A>(name: string, effect: Effect.Effect<A, unknown, Scope.Scope>) => Promise<A>

/** The functions of a service, with what they answer as promises. */
const plain = (service: object, path: string, context: Context.Context<Scope.Scope>, call: Call): object =>
  Object.fromEntries(
    Object.entries(service).map(([key, value]: [string, unknown]) => {
      const name = `${path}.${key}`
      if (typeof value !== "function") {
        return [key, typeof value === "object" && value !== null ? plain(value, name, context, call) : value]
      }
      const answering = (...args: ReadonlyArray<unknown>) => {
        const answer: unknown = Reflect.apply(value, service, args)
        if (Stream.isStream(answer)) return Stream.toAsyncIterableWith(answer as Stream.Stream<unknown>, context)
        return Effect.isEffect(answer) ? call(name, answer as Effect.Effect<unknown, unknown, Scope.Scope>) : answer
      }
      return [key, answering]
    })
  )

/** A check's effect, which waits for nothing, as a function that throws. */
const checks = (context: Context.Context<Scope.Scope>, call: Call): PlainCheck => {
  const now = Effect.runSyncExitWith(context)
  const thrown = <A>(check: Effect.Effect<A, CheckFailed>): A => {
    const exit = now(check)
    if (Exit.isSuccess(exit)) return exit.value
    throw Cause.squash(exit.cause)
  }
  return {
    equal: (...args) => thrown(Check.equal(...args)),
    deepEqual: (...args) => thrown(Check.deepEqual(...args)),
    isTrue: (...args) => thrown(Check.isTrue(...args)),
    match: (...args) => thrown(Check.match(...args)),
    status: (...args) => thrown(Check.status(...args)),
    schema: (...args) => thrown(Check.schema(...args)),
    that: (...args) => thrown(Check.that(...args)),
    fails: ((promise: PromiseLike<unknown>, tag: string, name?: string) =>
      call(
        "check.fails",
        Check.fails(Effect.tryPromise({ try: () => promise, catch: (error) => error }), tag, name)
      )) as PlainCheck["fails"],
    oracle: (name, oracle) => call("check.oracle", Check.oracle(name, PlainOracle.effectOf(oracle)))
  }
}

/** The calls of a story, which end with it: the result of one that is still pending then is lost. */
const callsOf = Effect.fnUntraced(function* (context: Context.Context<Scope.Scope>) {
  const fibers = yield* FiberSet.make<unknown, unknown>()
  const fork = yield* Effect.provideContext(FiberSet.runtime(fibers)<Scope.Scope>(), context)
  const pending = new Map<Fiber.Fiber<unknown, unknown>, { readonly name: string; readonly at: Error }>()
  let left: ReadonlyArray<{ readonly name: string; readonly at: Error }> | undefined
  const call: Call = (name, effect) => {
    // made where the suite calls, so that its stack names the suite's line
    const at = new Error()
    return new Promise((resolve, reject) => {
      const fiber = fork(effect)
      pending.set(fiber, { name, at })
      fiber.addObserver((exit) => {
        pending.delete(fiber)
        // what waits for it without being awaited does not go on after the scenario
        if (left !== undefined) return
        if (Exit.isSuccess(exit)) resolve(exit.value)
        else reject(Cause.squash(exit.cause))
      })
    })
  }
  const end = () => void (left = [...pending.values()])
  /** Fails when calls were pending at the end. */
  const over = Effect.suspend(() =>
    left === undefined || left.length === 0 ? Effect.void : Effect.fail(UnawaitedCall.of(left))
  )
  return { call, end, over }
})

/**
 * Runs a story in plain style in the fiber of its trial: it is stopped with the trial, and so is what it waits for. It
 * fails when it has not waited for all of its calls.
 */
export const tell = Effect.fnUntraced(function* (
  story: (context: PlainContext) => unknown,
  effectful: ScenarioContext
) {
  // what the calls acquire belongs to the trial, and the calls themselves to the story
  const context = yield* Effect.context<Scope.Scope>()
  const { apiKey, control, seed, simulate, target, v2, v3, v4 } = effectful
  const { api: _, ...controls } = control
  yield* Effect.scoped(
    Effect.gen(function* () {
      const { call, end, over } = yield* callsOf(context)
      const typed = (name: string, service: object) => plain(service, name, context, call)
      const plainContext: PlainContext = {
        get apiKey() {
          return Redacted.value(apiKey)
        },
        seed,
        simulate,
        target,
        ...({
          v2: typed("v2", v2),
          v3: typed("v3", v3),
          v4: typed("v4", v4),
          control: typed("control", controls)
        } as Pick<PlainContext, "v2" | "v3" | "v4" | "control">),
        request: (version, request) => call("request", effectful.request(version, request)),
        cdp: async (url) => {
          const { closed, send } = await call("cdp", effectful.cdp(url))
          return {
            send: (method, params) => call(`cdp ${method}`, send(method, params)),
            closed: () => call("cdp closed", closed)
          }
        },
        check: checks(context, call),
        use: (effect) => call("use", effect)
      }
      yield* Effect.tryPromise({
        try: async () => {
          try {
            await story(plainContext)
          } finally {
            end()
          }
          // a promise that was rejected just now, and awaited by nothing, is told of in the next turn
          await new Promise((resolve) => setImmediate(resolve))
        },
        catch: (error) => error
      })
      yield* over
    })
  )
})
