import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Caller, How } from "./Caller.ts"
import { callback, inputOf, record, timeOf, valueOf } from "./CheckOptions.ts"
import type { CallOptions, CreateOptions, EndOptions, OwnWaitOptions, WaitOptions, WithResult } from "./Options.ts"

export { callback, inputOf, type Kind, valueOf } from "./CheckOptions.ts"

/** Options of a call that is a wait. */
const waiting: How = { wait: true }

/**
 * Returns the additional options of a create.
 *
 * @param options - The options of a promise create.
 * @returns The idempotency key and the additional fields of the body. Undefined without options.
 * @throws `TypeError` if `extraBody` isn't an object.
 * @example
 * ```ts
 * import { createOf } from "@webagent/core/promise/Methods"
 *
 * console.log(createOf({ idempotencyKey: "order-7" })?.idempotencyKey) // order-7
 * ```
 */
export const createOf = (options: CreateOptions | undefined) =>
  options
    ? {
        idempotencyKey: options.idempotencyKey,
        extraBody: valueOf("extraBody", record, options.extraBody ?? undefined)
      }
    : undefined

/**
 * Converts the options of a wait to those of `@webagent/polling`.
 *
 * @param options - The options of a promise wait, whose times are milliseconds or text such as `"30 seconds"`.
 * @returns The timeout, the first delay and the schedule.
 * @throws `TypeError` if a time is invalid.
 * @example
 * ```ts
 * import type { WaitOptions } from "@webagent/core/promise"
 * import { waitOf } from "@webagent/core/promise/Methods"
 * import { Runs } from "@webagent/v4"
 *
 * export const wait = (id: string, options: WaitOptions) =>
 *   Runs.use((runs) => runs.untilTerminal(id, waitOf(options)))
 * ```
 */
export const waitOf = (options: WaitOptions | null | undefined) => {
  const every = timeOf("every", options?.every ?? undefined)
  const every_ms = every === undefined ? undefined : Duration.toMillis(every)
  return {
    timeout: timeOf("timeout", options?.timeout ?? undefined),
    first: timeOf("first", options?.first ?? undefined),
    schedule: every_ms === undefined ? undefined : { delay_ms: () => every_ms, jitter: 0 }
  }
}

/** The same with a result of a type, which is typed as if it were asked for: who asks for none gets none. */
const resultOf = (options: (WaitOptions & EndOptions & Partial<WithResult<unknown>>) | undefined) => ({
  ...waitOf(options),
  onEnd: options?.onEnd ?? undefined,
  onAbort: options?.onAbort ?? undefined,
  ...((options?.result === undefined ? {} : { result: options.result }) as WithResult<unknown>)
})

/**
 * Returns an effect that calls a caller's function, if there is one, and doesn't wait for what it does. If the function
 * throws, at once or later, a warning is logged.
 *
 * @param name - The name of the option, for errors and warnings.
 * @param report - The caller's function.
 * @returns A function that returns the effect. Undefined if the caller has no function.
 * @throws `TypeError` if the option isn't a function.
 * @example
 * ```ts
 * import { tellingOf } from "@webagent/core/promise/Methods"
 *
 * export const onStatus = tellingOf("onStatus", (status: string) => console.log(status))
 * ```
 */
export const tellingOf = <Value>(
  name: string,
  report: ((value: Value) => unknown) | null | undefined
): ((value: Value) => Effect.Effect<void>) | undefined => {
  const tell = valueOf(name, callback, report ?? undefined)
  if (tell === undefined) return undefined
  return Effect.fnUntraced(function* (value: Value) {
    const doing = tell(value)
    if (!(doing instanceof Promise)) return
    // before anything else: an unhandled rejection would end the process
    doing.catch(() => undefined)
    const awaited = Effect.tryPromise({ try: () => doing, catch: (error) => error })
    yield* awaited.pipe(
      Effect.catchCause((cause) => Effect.logWarning(`${name} has thrown`, cause)),
      Effect.forkDetach
    )
  })
}

/**
 * Converts the options of a wait for something that the caller creates.
 *
 * @param options - The options of a promise wait, such as `onEnd`, `onStatus` and `cancel`.
 * @returns The options for Effect.
 * @throws `TypeError` if an option is invalid.
 * @example
 * ```ts
 * import { ownWaitOf } from "@webagent/core/promise/Methods"
 * import { Runs } from "@webagent/v4"
 *
 * export const buy = (task: string, onStatus: (status: unknown) => void) =>
 *   Runs.use((runs) => runs.createAndWait({ task }, ownWaitOf({ timeout: "10 minutes", onEnd: "cancel", onStatus })))
 * ```
 */
export const ownWaitOf = <Created, Status>(
  options: (OwnWaitOptions<Created, Status> & Partial<WithResult<unknown>>) | undefined
) => {
  const cancel = valueOf("cancel", callback, options?.cancel ?? undefined)
  type End = Parameters<NonNullable<typeof cancel>>[1]
  return {
    ...resultOf(options),
    onStatus: tellingOf("onStatus", options?.onStatus),
    ...(cancel === undefined
      ? {}
      : { cancel: (created: Created, why: End) => Effect.tryPromise(async () => cancel(created, why)) })
  }
}

/** Makes a promise method from a function that returns the effect of the same name. */
// oxlint-disable-next-line typescript/no-explicit-any
type Method = (caller: Caller<any>, effect: Effect.Effect<Run, never, any>) => (...args: ReadonlyArray<any>) => unknown

// oxlint-disable-next-line typescript/no-explicit-any
type Run = (...args: ReadonlyArray<unknown>) => any

/**
 * Returns a call of an effect with `count` arguments of the caller's, and the options that follow them. They are read now,
 * because the first call waits for the services.
 */
const callOf = (args: ReadonlyArray<unknown>, count: number, optionsOf: (options: never) => unknown) => {
  const inputs = Array.from({ length: count }, (_, index) => inputOf(args[index]))
  const options = optionsOf((args[count] ?? undefined) as never)
  return (run: Run) => run(...inputs, options)
}

const nothing = () => undefined

/**
 * Makes a promise method of a create or of another call.
 *
 * @param count - The number of arguments before the options.
 * @param optionsOf - Returns the options of the effect; by default, those of a create.
 * @param how - Whether the call is a wait, and whether an abort waits for its cleanup.
 * @returns The method for `methodsOf`.
 * @example
 * ```ts
 * import type { Caller } from "@webagent/core/promise/Caller"
 * import { creating, methodsOf } from "@webagent/core/promise/Methods"
 * import { Sessions } from "@webagent/v4"
 * import type { Sessions as Promises } from "@webagent/v4/promise"
 *
 * export const messages = (caller: Caller<Sessions>) =>
 *   methodsOf<Pick<Promises, "queue">>()(Sessions, caller, { queue: creating(2) })
 * ```
 */
export const creating =
  (count: number, optionsOf: (options: never) => unknown = createOf, how?: How): Method =>
  ({ call }, effect) =>
  (...args) =>
    call(() => Effect.flatMap(effect, callOf(args, count, optionsOf)), args[count], how)

/** A stream with `count` arguments before its options. */
const streaming =
  (count: number, optionsOf: (options: never) => unknown): Method =>
  ({ iterate }, effect) =>
  (...args) =>
    iterate(() => Stream.unwrap(Effect.map(effect, callOf(args, count, optionsOf))), args[count])

/**
 * Makes a promise method of a read.
 *
 * @param count - The number of arguments, such as ids, before the options.
 * @returns The method for `methodsOf`.
 * @example
 * ```ts
 * import type { Caller } from "@webagent/core/promise/Caller"
 * import { methodsOf, readingBy } from "@webagent/core/promise/Methods"
 * import { Sessions } from "@webagent/v4"
 * import type { Sessions as Promises } from "@webagent/v4/promise"
 *
 * export const messages = (caller: Caller<Sessions>) =>
 *   methodsOf<Pick<Promises, "message">>()(Sessions, caller, { message: readingBy(2) })
 * ```
 */
export const readingBy = (count: number): Method => creating(count, nothing)

/** A read, by id. */
export const reading: Method = readingBy(1)

/** Returns the options of a list, or others of the effect's own, without those of its calls. */
const queryOf = ({ headers: _h, requestId: _i, retries: _r, signal: _s, timeout: _t, ...query }: CallOptions = {}) =>
  query

/**
 * Makes a promise method of a list, which reads a page when its first record is needed.
 *
 * @param count - The number of arguments before the query.
 * @returns The method for `methodsOf`.
 * @example
 * ```ts
 * import type { Caller } from "@webagent/core/promise/Caller"
 * import { listingBy, methodsOf } from "@webagent/core/promise/Methods"
 * import { Runs } from "@webagent/v4"
 * import type { Runs as Promises } from "@webagent/v4/promise"
 *
 * export const runs = (caller: Caller<Runs>) =>
 *   methodsOf<Pick<Promises, "list">>()(Runs, caller, { list: listingBy(0) })
 * ```
 */
export const listingBy = (count: number): Method => streaming(count, queryOf)

/** A list, page by page as its records are taken. */
export const listing: Method = listingBy(0)

/**
 * Makes a promise method of a call with options of its own, such as a query.
 *
 * @param count - The number of arguments before these options.
 * @returns The method for `methodsOf`.
 * @example
 * ```ts
 * import type { Caller } from "@webagent/core/promise/Caller"
 * import { callingWith, methodsOf } from "@webagent/core/promise/Methods"
 * import { Runs } from "@webagent/v4"
 * import type { Runs as Promises } from "@webagent/v4/promise"
 *
 * export const pages = (caller: Caller<Runs>) =>
 *   methodsOf<Pick<Promises, "listPage">>()(Runs, caller, { listPage: callingWith(0) })
 * ```
 */
export const callingWith = (count: number): Method => creating(count, queryOf)

/** One page of a list. */
export const readingPage: Method = callingWith(0)

/** A wait, by id. */
export const waitingFor: Method = creating(1, resultOf, waiting)

/** A stream of the states of a resource, by id. */
export const watching: Method = streaming(1, waitOf)

/**
 * Makes a promise method of a create that waits for the created resource.
 *
 * @param count - The number of arguments before the options.
 * @returns The method for `methodsOf`.
 * @example
 * ```ts
 * import type { Caller } from "@webagent/core/promise/Caller"
 * import { creatingAndWaiting, methodsOf } from "@webagent/core/promise/Methods"
 * import { Sessions } from "@webagent/v4"
 * import type { Sessions as Promises } from "@webagent/v4/promise"
 *
 * export const followUps = (caller: Caller<Sessions>) =>
 *   methodsOf<Pick<Promises, "followUpAndWait">>()(Sessions, caller, { followUpAndWait: creatingAndWaiting(2) })
 * ```
 */
export const creatingAndWaiting = (count: number): Method =>
  creating(
    count,
    (
      options:
        | (OwnWaitOptions<object, never> &
            CreateOptions & { readonly interrupt?: boolean; readonly deduplicate?: string })
        | undefined
    ) => ({
      ...ownWaitOf(options),
      ...createOf(options),
      interrupt: options?.interrupt,
      deduplicate: options?.deduplicate ?? undefined
    }),
    waiting
  )

type Emitted<F> = F extends (...args: never) => infer Returned
  ? Returned extends Effect.Effect<infer A, infer _E, infer _R>
    ? A
    : Returned extends Stream.Stream<infer A, infer _E, infer _R>
      ? A
      : never
  : never

type Settled<F> = F extends (...args: never) => Promise<infer A> | AsyncIterable<infer A> ? A : never

/** A method for each of `Promises`, if the effect of the same name emits the same type. */
type Methods<Effects, Promises> = {
  readonly [Name in keyof Promises]: Name extends keyof Effects
    ? [Emitted<Effects[Name]>] extends [Settled<Promises[Name]>]
      ? Method
      : never
    : never
}

/**
 * Makes promise methods for a service. Each runs the effect of the same name. The first call only fixes their types.
 *
 * @returns A function that takes the service, the caller and a table of methods, and returns the promise methods.
 * @example
 * ```ts
 * import type { Caller } from "@webagent/core/promise/Caller"
 * import { listing, methodsOf, reading } from "@webagent/core/promise/Methods"
 * import { Sessions } from "@webagent/v4"
 * import type { Sessions as Promises } from "@webagent/v4/promise"
 *
 * export const sessions = (caller: Caller<Sessions>) =>
 *   methodsOf<Pick<Promises, "get" | "list">>()(Sessions, caller, { get: reading, list: listing })
 * ```
 */
export const methodsOf =
  <Promises>() =>
  <R, Effects>(service: Context.Key<R, Effects>, caller: Caller<R>, methods: Methods<Effects, Promises>): Promises =>
    Object.fromEntries(
      Object.entries<Method>(methods).map(([name, method]) => [
        name,
        method(
          caller,
          Effect.map(service, (effects) => effects[name as keyof Effects] as Run)
        )
      ])
    ) as Promises
