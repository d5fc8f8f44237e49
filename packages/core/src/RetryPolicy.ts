import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import { TooManyRequestsError } from "./TooManyRequestsError.ts"
import { TransportError } from "./TransportError.ts"

/** How often and after which pauses a call that changes nothing is tried again. */
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

/** Every call is one attempt. */
export const none: RetryPolicy = { ...standard, retries: 0 }

/** The policy that a Transport is made with; `standard` unless an application provides another. */
export const Current = Context.Reference<RetryPolicy>("@webagent/core/RetryPolicy/Current", {
  defaultValue: () => standard
})

/** What is known of a failure that may pass. */
export interface Transient {
  readonly throttled: boolean
  readonly retryAfter?: Duration.Duration | undefined
}

/** Tells a failure that may pass by itself: no connection, a time-out, 408, 5xx and 429. Anything else is undefined. */
export const transient = (error: unknown): Transient | undefined => {
  if (error instanceof TooManyRequestsError) return { throttled: true, retryAfter: error.retryAfter }
  if (!(error instanceof TransportError)) return undefined
  const { reason } = error
  switch (reason._tag) {
    case "ConnectionFailed":
    case "Timeout":
      return { throttled: false }
    case "UnexpectedStatus":
      return reason.status === 408 || reason.status >= 500
        ? { throttled: false, retryAfter: reason.retryAfter }
        : undefined
    default:
      return undefined
  }
}

const schedule = (policy: RetryPolicy) =>
  Schedule.recurs(policy.retries).pipe(
    Schedule.setInputType<unknown>(),
    Schedule.modifyDelay(({ attempt, input }) =>
      Effect.map(Random.next, (random) => {
        const failure = transient(input)
        const base = failure?.throttled === true ? policy.throttledBase : policy.base
        const bound_ms = Math.min(Duration.toMillis(policy.cap), Duration.toMillis(base) * 2 ** (attempt - 1))
        return Math.max(Math.ceil(random * bound_ms), Duration.toMillis(failure?.retryAfter ?? Duration.zero))
      })
    )
  )

const withAttempts = (error: TransportError, attempts: number) =>
  new TransportError({
    method: error.method,
    path: error.path,
    origin: error.origin,
    attempts,
    reason: error.reason
  })

/** Tries effects again as its policy says; all that go through one retrier share its quota. */
export interface Retrier {
  readonly retry: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** A retrier with a full quota. */
export const makeRetrier = (policy: RetryPolicy): Retrier => {
  const pauses = schedule(policy)
  let tokens = policy.quota

  const mayRetry = (error: unknown) => {
    const failure = transient(error)
    if (failure === undefined) return 0
    if (failure.retryAfter !== undefined && Duration.isGreaterThan(failure.retryAfter, policy.maxRetryAfter)) return 0
    return failure.throttled ? 5 : 14
  }

  return {
    retry: <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.suspend(() => {
        let attempts = 0
        let spent = 0
        return Effect.suspend(() => {
          attempts++
          return effect
        }).pipe(
          Effect.retry({
            schedule: pauses,
            while: (error) => {
              const price = mayRetry(error)
              if (price === 0 || price > tokens) return false
              tokens -= price
              spent += price
              return true
            }
          }),
          Effect.tap(() => Effect.sync(() => void (tokens = Math.min(policy.quota, tokens + Math.max(1, spent))))),
          Effect.mapError((error) =>
            error instanceof TransportError && attempts > 1
              ? (withAttempts(error, attempts) as E & TransportError)
              : error
          )
        )
      })
  }
}
