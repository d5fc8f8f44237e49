import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import { Elapsed, type OwnWait } from "@webagent/polling"
import * as Metrics from "./Metrics.ts"
import { isForeign401 } from "./OwnError.ts"
import { TooManyRequestsError } from "./TooManyRequestsError.ts"
import { TransportError } from "./TransportError.ts"

/** Number of retries of a call that changes nothing, and the pauses between them. */
export interface RetryPolicy {
  /** Tries after the first. */
  readonly retries: number
  /** Bound of the first pause, doubled for each further one; the pause is drawn between zero and its bound. */
  readonly base: Duration.Duration
  /** The same when the service said 429. */
  readonly throttledBase: Duration.Duration
  /** The longest pause that is not asked for by the service. */
  readonly cap: Duration.Duration
  /** A `Retry-After` beyond this ends the call instead: the caller knows better what to do with the time. */
  readonly maxRetryAfter: Duration.Duration
  /**
   * Tokens that all calls of a client share: a retry takes 14, after a 429 5, and a success gives them back. An
   * outage is then not amplified by everyone trying again.
   */
  readonly quota: number
}

/** Four retries, 100 ms (1 s when throttled) doubling up to 20 s, a quota of 500. */
export const standard: RetryPolicy = {
  retries: 4,
  base: Duration.millis(100),
  throttledBase: Duration.seconds(1),
  cap: Duration.seconds(20),
  maxRetryAfter: Duration.minutes(1),
  quota: 500
}

/**
 * For stopping what costs: it's tried until the time is over, so that a service may be down for a minute. A service that
 * asks to wait for longer than `maxRetryAfter` is asked again after that time.
 */
export const persistent: RetryPolicy = {
  ...standard,
  retries: Number.POSITIVE_INFINITY,
  quota: Number.POSITIVE_INFINITY,
  cap: Duration.seconds(10)
}

/** Every call is one attempt. */
export const none: RetryPolicy = { ...standard, retries: 0 }

/**
 * The policy of a call: what surrounds the call, else what the Transport was made with, else `standard`. All calls of a
 * client share one count of spent tokens, whichever policy each has.
 */
export const Current = Context.Reference<RetryPolicy>("@webagent/core/RetryPolicy/Current", {
  defaultValue: () => standard
})

/** Facts about a failure that may be temporary. */
export interface Transient {
  readonly throttled: boolean
  readonly retryAfter?: Duration.Duration | undefined
}

/**
 * Recognizes a failure that may be temporary: no connection, a timeout, a 408, 429 or 5xx, an open circuit breaker, or
 * a success whose body isn't JSON, for example because it was cut on its way.
 *
 * @param error - The error of an attempt.
 * @returns Facts about the failure, or undefined if a retry wouldn't help.
 * @example
 * ```ts
 * import { RetryPolicy } from "@webagent/core"
 * import { Runs } from "@webagent/v4"
 * import * as Effect from "effect/Effect"
 *
 * export const status = (id: string) =>
 *   Runs.use((runs) =>
 *     Effect.tapError(runs.status(id), (error) =>
 *       RetryPolicy.transient(error) === undefined ? Effect.logError(error) : Effect.logWarning("try again later")
 *     )
 *   )
 * ```
 */
export const transient = (error: unknown): Transient | undefined => {
  if (error instanceof TooManyRequestsError) return { throttled: true, retryAfter: error.retryAfter }
  if (!(error instanceof TransportError)) return undefined
  const { reason } = error
  switch (reason._tag) {
    case "ConnectionFailed":
    case "Timeout":
      return { throttled: false }
    case "CircuitOpen":
      return { throttled: false, retryAfter: reason.retryAfter }
    case "UnexpectedStatus":
      return reason.status === 408 || reason.status >= 500
        ? { throttled: false, retryAfter: reason.retryAfter }
        : undefined
    case "UndecodableAnswer":
      // JSON that is not as described would be the same again
      return reason.isJson ? undefined : { throttled: false }
    default:
      return undefined
  }
}

/**
 * Recognizes a response that isn't described for its operation, and may come from a gateway in front of the service. A
 * 403 counts only if it's an HTML page; otherwise the service itself refuses.
 *
 * @param error - The error of an attempt.
 * @returns True for a `TransportError` with such a response.
 * @example
 * ```ts
 * import { RetryPolicy } from "@webagent/core"
 *
 * export const hint = (error: unknown) => (RetryPolicy.isOdd(error) ? `Is ${error.origin} a gateway?` : String(error))
 * ```
 */
export const isOdd = (error: unknown): error is TransportError =>
  error instanceof TransportError &&
  (error.reason._tag === "UndecodableAnswer" ||
    error.reason._tag === "AnswerTooLarge" ||
    (error.reason._tag === "UnexpectedStatus" &&
      (error.reason.status !== 403 || error.reason.body.trimStart().startsWith("<")))) &&
  transient(error) === undefined

/**
 * Recognizes a success whose body isn't as described. The request took effect, although its response can't be read.
 *
 * @param error - The error of an attempt.
 * @returns True for a `TransportError` with such a response.
 * @example
 * ```ts
 * import { RetryPolicy } from "@webagent/core"
 * import { Browsers } from "@webagent/v4"
 * import * as Effect from "effect/Effect"
 *
 * export const stop = (id: string) =>
 *   Browsers.use((browsers) => Effect.asVoid(browsers.stop(id))).pipe(
 *     Effect.catchIf(RetryPolicy.isOddSuccess, () => Effect.void)
 *   )
 * ```
 */
export const isOddSuccess = (error: unknown): boolean =>
  error instanceof TransportError && error.reason._tag === "UndecodableAnswer" && error.reason.isJson

/**
 * Recognizes a response that may come from a gateway in front of the service: one for which `isOdd` is true, or a 401
 * that isn't the service's.
 *
 * @param error - The error of an attempt.
 * @returns True for such a response.
 * @example
 * ```ts
 * import { RetryPolicy } from "@webagent/core"
 * import { Runs } from "@webagent/v4"
 * import * as Effect from "effect/Effect"
 *
 * export const get = (id: string) =>
 *   Runs.use((runs) => Effect.retry(runs.get(id), { times: 3, while: RetryPolicy.isForeign }))
 * ```
 */
export const isForeign = (error: unknown): boolean => isOdd(error) || isForeign401(error)

const isRedirect = (error: unknown): boolean =>
  error instanceof TransportError &&
  error.reason._tag === "UnexpectedStatus" &&
  // fetch in a browser hides a redirect that it does not follow behind a zero
  (error.reason.status === 0 || (error.reason.status >= 300 && error.reason.status < 400))

/**
 * Limits how long unexpected responses of a service that has responded before are ignored, in milliseconds; after that
 * they are reported.
 */
const odd_ms = 60_000

/**
 * Recognizes a failure that may be temporary, given whether the service has responded before. If it has, its address is
 * right, so an unexpected response counts as temporary for a minute, and a redirect, which is never followed, without a
 * limit.
 *
 * @param error - The error of an attempt.
 * @param answered - True if the service has responded before.
 * @param silent_ms - The time since its last usable response, in milliseconds.
 * @returns Facts about the failure, or undefined if a retry wouldn't help.
 * @example
 * ```ts
 * import { RetryPolicy } from "@webagent/core"
 *
 * // the browser exists, so the address of the service is right
 * export const mayPass = (error: unknown) => RetryPolicy.transientOf(error, true)
 * ```
 */
export const transientOf = (error: unknown, answered: boolean, silent_ms = 0): Transient | undefined =>
  transient(error) ??
  (answered && isForeign(error) && (silent_ms < odd_ms || isRedirect(error)) ? { throttled: false } : undefined)

/**
 * Decides when a wait polls again after a failed poll. It uses the pauses of `standard`, so that the wait notices the
 * end of a short outage soon.
 *
 * @param error - The error of the poll.
 * @param answered - True if the service has responded before.
 * @param silent_ms - The time since its last usable response, in milliseconds.
 * @returns The pause before the next poll, or undefined if the wait must fail.
 * @example
 * ```ts
 * import { RetryPolicy } from "@webagent/core"
 * import { Waiter } from "@webagent/polling"
 * import { Runs } from "@webagent/v4"
 * import * as Effect from "effect/Effect"
 *
 * export const waiter = Effect.flatMap(Runs, (runs) =>
 *   Waiter.make({
 *     kind: "run",
 *     check: (id) => runs.status(id),
 *     isTerminal: ({ status }) => status === "completed" || status === "failed" || status === "cancelled",
 *     retryable: (error, { answered, silent_ms }) => RetryPolicy.forWait(error, answered, silent_ms)
 *   })
 * )
 * ```
 */
export const forWait = (
  error: unknown,
  answered: boolean,
  silent_ms: number
): { readonly retryAfter: Duration.Duration | undefined; readonly pause: Duration.Duration } | undefined => {
  const failure = transientOf(error, answered, silent_ms)
  if (failure === undefined) return undefined
  return { retryAfter: failure.retryAfter, pause: failure.throttled ? standard.throttledBase : standard.base }
}

/**
 * The instant after which no further attempt may begin, in milliseconds of Clock's monotonic time; none unless a caller
 * sets one, as `within` does.
 */
export const Deadline = Context.Reference<number>("@webagent/core/RetryPolicy/Deadline", {
  defaultValue: () => Number.POSITIVE_INFINITY
})

/** The `retries` of the calls in an effect; undefined, unless a caller sets them, leaves them to the policy. */
export const Retries = Context.Reference<number | undefined>("@webagent/core/RetryPolicy/Retries", {
  defaultValue: () => undefined
})

/** Which attempt of its call is being made, from 1: a retrier sets it for what it tries. */
export const Attempt = Context.Reference<number>("@webagent/core/RetryPolicy/Attempt", { defaultValue: () => 1 })

/** Makes an effect interruptible again, as `Effect.uninterruptibleMask` gives it. */
export type Restore = OwnWait.Restore

const leave: Restore = (effect) => effect

const no = { attempts: leave, pauses: leave }

/** Which parts of a create inside an uninterruptible region can be interrupted all the same; none unless told. */
export const Interruption = Context.Reference<{ readonly attempts: Restore; readonly pauses: Restore }>(
  "@webagent/core/RetryPolicy/Interruption",
  { defaultValue: () => no }
)

/**
 * Lets an interruption end a create inside an uninterruptible region. Once the create has succeeded, the interruption
 * waits for the end of the region.
 *
 * @param restore - Makes an effect interruptible again, as `Effect.uninterruptibleMask` passes it.
 * @param when - `pauses`: before its first attempt and between attempts, so that the response to a sent request is
 *   still read. `attempts`: also during an attempt.
 * @returns A function that applies it to a create.
 * @example
 * ```ts
 * import { RetryPolicy } from "@webagent/core"
 * import { Runs } from "@webagent/v4"
 * import * as Effect from "effect/Effect"
 *
 * export const program = Runs.use((runs) =>
 *   Effect.uninterruptibleMask((restore) =>
 *     runs.create({ task: "Find a red mug" }).pipe(RetryPolicy.interruptible(restore, "pauses"))
 *   )
 * )
 * ```
 */
export const interruptible =
  (restore: Restore, when: "attempts" | "pauses") =>
  <A, E, R>(create: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) => {
      const { attempts, pauses } = fiber.getRef(Interruption)
      return Effect.provideService(create, Interruption, {
        attempts: when === "attempts" ? (effect) => attempts(restore(effect)) : attempts,
        pauses: (effect) => pauses(restore(effect))
      })
    })

/**
 * Makes a create interruptible for `OwnWait.createAndWait`. If the wait cancels what was created, the response to a
 * sent request is still read.
 *
 * @param create - The create.
 * @returns The `create` of `OwnWait.createAndWait`.
 * @example
 * ```ts
 * import { RetryPolicy } from "@webagent/core"
 * import { Runs } from "@webagent/v4"
 * import * as Effect from "effect/Effect"
 *
 * export const create = (task: string) =>
 *   Effect.map(Runs, (runs) => RetryPolicy.interruptibleOwn(runs.create({ task })))
 * ```
 */
export const interruptibleOwn =
  <A, E, R>(create: Effect.Effect<A, E, R>) =>
  (restore: Restore, isCancelled: boolean): Effect.Effect<A, E, R> =>
    interruptible(restore, isCancelled ? "pauses" : "attempts")(create)

/**
 * Prevents interruptions of an effect inside an uninterruptible region, regardless of `interruptible` around it.
 *
 * @param effect - The effect, such as the stop of a browser.
 * @returns The same effect without interruptions.
 * @example
 * ```ts
 * import { RetryPolicy } from "@webagent/core"
 * import { Browsers } from "@webagent/v4"
 *
 * export const stop = (id: string) => Browsers.use((browsers) => RetryPolicy.uninterruptible(browsers.stop(id)))
 * ```
 */
export const uninterruptible = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, Interruption, no)

/** Number of attempts before a retrier gets the call, for example in the grace period after a create; 0 by default. */
export const AttemptsBefore = Context.Reference<number>("@webagent/core/RetryPolicy/AttemptsBefore", {
  defaultValue: () => 0
})

/**
 * Limits how long the calls in an effect are retried. A call whose next attempt would start later fails at once with
 * its last error. An attempt in flight isn't cut off.
 *
 * @param time - The limit, counted from the start of the effect.
 * @returns A function that limits an effect.
 * @example
 * ```ts
 * import { RetryPolicy } from "@webagent/core"
 * import { Runs } from "@webagent/v4"
 *
 * export const program = Runs.use((runs) => runs.get("5f2e")).pipe(RetryPolicy.within("20 seconds"))
 * ```
 */
export const within =
  (time: Duration.Input) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Elapsed.now_ms, (now) =>
      Effect.provideService(effect, Deadline, now + Duration.toMillis(Duration.fromInputUnsafe(time)))
    )

/**
 * Returns the pause after a failed attempt: a random one up to a bound that doubles with each attempt, and at least as
 * long as the response asks for.
 *
 * @param policy - The retry policy.
 * @param attempt - The number of attempts so far, from 1.
 * @param failure - Facts about the failure, as `transient` returns them.
 * @param random - A random number from 0 to 1.
 * @returns The pause in milliseconds.
 * @example
 * ```ts
 * import { RetryPolicy } from "@webagent/core"
 *
 * console.log(RetryPolicy.pause_ms(RetryPolicy.standard, 3, { throttled: false }, 0.5)) // 200
 * ```
 */
export const pause_ms = (policy: RetryPolicy, attempt: number, failure: Transient, random: number): number => {
  const base = failure.throttled ? policy.throttledBase : policy.base
  const bound_ms = Math.min(Duration.toMillis(policy.cap), Duration.toMillis(base) * 2 ** (attempt - 1))
  const asked_ms = failure.retryAfter === undefined ? 0 : Duration.toMillis(failure.retryAfter)
  return Math.max(Math.ceil(random * bound_ms), asked_ms)
}

/** Tries effects again as its policy says; all that go through one retrier share its quota. */
export interface Retrier {
  /**
   * Retries a call that changes nothing after a temporary failure.
   *
   * @param effect - One attempt of the call.
   * @param mayPass - Returns facts about a temporary failure, and undefined for any other; by default `transient`.
   * @returns The result of the first attempt that succeeds.
   * @throws The error of the last attempt.
   * @example
   * ```ts
   * import { RetryPolicy, Transport } from "@webagent/core"
   *
   * const { retry } = RetryPolicy.makeRetrier(RetryPolicy.standard)
   * export const models = retry(Transport.use(({ exchange }) => exchange("v4", { method: "GET", url: "/models" })))
   * ```
   */
  readonly retry: <A, E, R>(
    effect: Effect.Effect<A, E, R>,
    mayPass?: (error: E) => Transient | undefined
  ) => Effect.Effect<A, E, R>
}

/**
 * Makes a retrier with a full quota, which all its calls share.
 *
 * @param policy - The policy of all its calls.
 * @returns The retrier.
 * @example
 * ```ts
 * import { RetryPolicy } from "@webagent/core"
 *
 * export const patient = RetryPolicy.makeRetrier({ ...RetryPolicy.standard, retries: 10 })
 * ```
 */
export const makeRetrier = (policy: RetryPolicy): Retrier => retrierOf(() => policy)

/**
 * Makes a retrier whose policy a call can replace with `RetryPolicy.Current` and `RetryPolicy.Retries`.
 *
 * @param policy - The policy of other calls.
 * @returns The retrier.
 * @example
 * ```ts
 * import { RetryPolicy } from "@webagent/core"
 * import * as Effect from "effect/Effect"
 *
 * const { retry } = RetryPolicy.makeCurrent(RetryPolicy.standard)
 * export const once = <A, E>(call: Effect.Effect<A, E>) =>
 *   Effect.provideService(retry(call), RetryPolicy.Current, RetryPolicy.none)
 * ```
 */
export const makeCurrent = (policy: RetryPolicy): Retrier =>
  retrierOf((context) => {
    const chosen = Context.getOrUndefined(context, Current) ?? policy
    const retries = Context.get(context, Retries)
    return retries === undefined ? chosen : { ...chosen, retries }
  })

/** A call that has failed and may be tried again. */
interface Trying<A, E, R> {
  readonly call: Effect.Effect<A, E, R>
  readonly mayPass: (error: E) => Transient | undefined
  readonly fiber: Fiber.Fiber<unknown, unknown>
  attempt: number
  spent: number
}

const retrierOf = (policyOf: (context: Context.Context<never>) => RetryPolicy): Retrier => {
  // what retries have taken and successes have not given back
  let taken = 0

  const retry = <A, E, R>(
    call: Effect.Effect<A, E, R>,
    mayPass: (error: E) => Transient | undefined = transient
  ): Effect.Effect<A, E, R> => Effect.withFiber((fiber) => again({ call, mayPass, fiber, attempt: 0, spent: 0 }))

  const again = <A, E, R>(trying: Trying<A, E, R>): Effect.Effect<A, E, R> => {
    const { call, fiber } = trying
    const number = fiber.getRef(AttemptsBefore) + ++trying.attempt
    // a context costs more than a look at one
    const numbered = number === fiber.getRef(Attempt) ? call : Effect.provideService(call, Attempt, number)
    return Effect.matchCauseEffect(numbered, {
      onSuccess: (value) => {
        taken = Math.max(0, taken - Math.max(1, trying.spent))
        return Effect.succeed(value)
      },
      onFailure: (cause) => failed(trying, cause)
    })
  }

  const failed = <A, E, R>(trying: Trying<A, E, R>, cause: Cause.Cause<E>): Effect.Effect<A, E, R> => {
    const { attempt, fiber, mayPass } = trying
    const chosen = policyOf(fiber.context)
    const error = Cause.findErrorOption(cause)
    if (Option.isNone(error)) return Effect.failCause(cause)
    const failure = mayPass(error.value)
    const isPersistent = chosen.quota === Number.POSITIVE_INFINITY
    // what takes no account of the quota takes nothing from others
    const price = isPersistent ? 0 : failure?.throttled === true ? 5 : 14
    const last = Effect.fail(error.value)
    const isSpent = () => taken + price > chosen.quota
    if (failure === undefined || attempt > chosen.retries || isSpent()) return last
    const { maxRetryAfter } = chosen
    const { retryAfter } = failure
    const isTooLong = retryAfter !== undefined && Duration.toMillis(retryAfter) > Duration.toMillis(maxRetryAfter)
    if (isTooLong && !isPersistent) return last
    const soonEnough = isTooLong ? { ...failure, retryAfter: maxRetryAfter } : failure
    return Effect.flatMap(planned(chosen, attempt, soonEnough), (wait_ms): Effect.Effect<A, E, R> => {
      if (wait_ms === undefined || isSpent()) return last
      taken += price
      trying.spent += price
      return Effect.flatMap(fiber.getRef(Interruption).pauses(Effect.sleep(wait_ms)), () => again(trying))
    })
  }

  /** The pause before the next attempt, unless the caller's deadline comes before its end. */
  const planned = (chosen: RetryPolicy, attempt: number, failure: Transient) =>
    Effect.gen(function* () {
      const wait_ms = pause_ms(chosen, attempt, failure, yield* Random.next)
      const deadline_ms = yield* Deadline
      if ((yield* Elapsed.now_ms) + wait_ms > deadline_ms) return undefined
      yield* Metric.update(failure.throttled ? Metrics.throttledRetries : Metrics.retries, 1)
      return wait_ms
    })

  return { retry }
}
