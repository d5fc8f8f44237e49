import type * as Context from "effect/Context"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { ApiVersion } from "@webagent/contract/Wire"
import * as Check from "./Check.ts"
import type { CheckFailed } from "./CheckFailed.ts"
import type { Control } from "./Control.ts"
import type { Oracle } from "./Oracle.ts"
import type { RawAnswer, RawRequest } from "./RawRequest.ts"
import type { ScenarioContext } from "./ScenarioContext.ts"

type Result<R> =
  R extends Effect.Effect<infer A, infer _E, infer _R>
    ? Promise<A>
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
  equal<A>(actual: A, expected: NoInfer<A>, name?: string): void
  deepEqual<A>(actual: A, expected: NoInfer<A>, name?: string): void
  isTrue(actual: boolean, name?: string): void
  match(actual: unknown, pattern: RegExp, name?: string): void
  status(answer: RawAnswer, expected: Parameters<typeof Check.status>[1], name?: string): void
  schema<A>(schema: Schema.ConstraintDecoder<A>, value: unknown, name?: string): A
  that(name: string, holds: boolean, seen?: Parameters<typeof Check.that>[2]): void
  /** The promise is rejected with an error of this tag; answers with the error. */
  fails(promise: PromiseLike<unknown>, tag: string, name?: string): Promise<unknown>
  oracle(name: string, oracle: Oracle<unknown>): Promise<void>
}

/** A CDP connection whose answers are promises. */
export interface PlainCdpConnection {
  readonly send: (method: string, params?: Readonly<Record<string, unknown>>) => Promise<unknown>
  /** Waits until the other side has closed the connection. */
  readonly closed: () => Promise<void>
}

/** What a scenario in plain style works with: the same as any other, as promises. */
export interface PlainContext
  extends
    Pick<ScenarioContext, "simulate" | "target" | "apiKey" | "seed">,
    Plain<Pick<ScenarioContext, "v2" | "v3" | "v4">> {
  readonly control: Plain<Omit<Control, "api">>
  /** Sends what a typed client would refuse to send; any status is an answer. */
  readonly request: (version: ApiVersion, request: RawRequest) => Promise<RawAnswer>
  /** Connects to a browser's `cdpUrl`; the connection closes with the scenario. */
  readonly cdp: (url: string) => Promise<PlainCdpConnection>
  readonly check: PlainCheck
  /** A resource of the suite, or what any other effect gives. */
  readonly use: <A>(effect: Effect.Effect<A, unknown, Scope.Scope>) => Promise<A>
}

/** The functions of a service, with what they answer as promises. */
const plain = (service: object, context: Context.Context<Scope.Scope>, run: PlainContext["use"]): object =>
  Object.fromEntries(
    Object.entries(service).map(([name, value]: [string, unknown]) => {
      if (typeof value !== "function") {
        return [name, typeof value === "object" && value !== null ? plain(value, context, run) : value]
      }
      const answering = (...args: ReadonlyArray<unknown>) => {
        const answer: unknown = Reflect.apply(value, service, args)
        if (Stream.isStream(answer)) return Stream.toAsyncIterableWith(answer as Stream.Stream<unknown>, context)
        return Effect.isEffect(answer) ? run(answer as Effect.Effect<unknown, unknown, Scope.Scope>) : answer
      }
      return [name, answering]
    })
  )

/** A check's effect, which waits for nothing, as a function that throws. */
const checks = (context: Context.Context<Scope.Scope>, run: PlainContext["use"]): PlainCheck => {
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
    fails: (promise, tag, name) =>
      run(Check.fails(Effect.tryPromise({ try: () => promise, catch: (error) => error }), tag, name)),
    oracle: (name, oracle) => run(Check.oracle(name, oracle))
  }
}

/** Runs a story in plain style in the fiber of its trial: it is stopped with the trial, and so is what it waits for. */
export const tell = (story: (context: PlainContext) => unknown, effectful: ScenarioContext) =>
  Effect.flatMap(Effect.context<Scope.Scope>(), (context) =>
    Effect.tryPromise({
      try: async (signal) => {
        const run: PlainContext["use"] = (effect) => Effect.runPromiseWith(context)(effect, { signal })
        const { apiKey, control, seed, simulate, target, v2, v3, v4 } = effectful
        const { api: _, ...controls } = control
        await story({
          apiKey,
          seed,
          simulate,
          target,
          ...(plain({ v2, v3, v4, control: controls }, context, run) as Pick<
            PlainContext,
            "v2" | "v3" | "v4" | "control"
          >),
          request: (version, request) => run(effectful.request(version, request)),
          cdp: async (url) => {
            const { closed, send } = await run(effectful.cdp(url))
            return { send: (method, params) => run(send(method, params)), closed: () => run(closed) }
          },
          check: checks(context, run),
          use: run
        })
      },
      catch: (error) => error
    })
  )
