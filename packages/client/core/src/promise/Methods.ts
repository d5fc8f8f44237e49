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

/** Returns the additional options of a create. */
export const createOf = (options: CreateOptions | undefined) =>
  options
    ? {
        idempotencyKey: options.idempotencyKey,
        extraBody: valueOf("extraBody", record, options.extraBody ?? undefined)
      }
    : undefined

/** Returns the options of a wait for `@webagent/polling`. */
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

/** The same for a wait for something of one's own making. */
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

/** A call with `count` arguments before its options, by default a create. `optionsOf` are the effect's own options. */
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

/** A read with `count` ids or other arguments before the options. */
export const readingBy = (count: number): Method => creating(count, nothing)

/** A read, by id. */
export const reading: Method = readingBy(1)

/** Returns the options of a list, or others of the effect's own, without those of its calls. */
const queryOf = ({ headers: _h, requestId: _i, retries: _r, signal: _s, timeout: _t, ...query }: CallOptions = {}) =>
  query

/** A list with `count` arguments before its query, page by page as its records are taken. */
export const listingBy = (count: number): Method => streaming(count, queryOf)

/** A list, page by page as its records are taken. */
export const listing: Method = listingBy(0)

/** A call with `count` arguments before options of its own, such as a query. */
export const callingWith = (count: number): Method => creating(count, queryOf)

/** One page of a list. */
export const readingPage: Method = callingWith(0)

/** A wait, by id. */
export const waitingFor: Method = creating(1, resultOf, waiting)

/** A stream of the states of a resource, by id. */
export const watching: Method = streaming(1, waitOf)

/** A create with `count` arguments before its options, and a wait for the created resource. */
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

/** Makes promise methods for a service. Each runs the effect of the same name. */
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
