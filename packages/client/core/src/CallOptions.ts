import type { JsonObject } from "@webagent/contract"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as IdempotencyKey from "./IdempotencyKey.ts"
import { aTime, mustBe, positive } from "./MustBe.ts"
import { checkNames } from "./OptionNames.ts"
import * as RequestId from "./RequestId.ts"
import * as RetryPolicy from "./RetryPolicy.ts"

/** Options of every call. */
export interface CallOptions {
  /** The longest time for the call, its retries included; it replaces the client's `timeouts.total` for this call. */
  readonly timeout?: Duration.Input | undefined
  /** Number of retries; by default, as many as the client's RetryPolicy allows. */
  readonly retries?: number | undefined
  /** Headers of the call's requests, beside those of the client. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The `X-Request-Id` of the call's requests; a new one unless told. */
  readonly requestId?: string | undefined
}

/** Options of a single create. */
export interface CreateOptions extends CallOptions {
  /** The create's `Idempotency-Key`, as `IdempotencyKey.provide` sets it; a new one unless told. */
  readonly idempotencyKey?: string | undefined
  /** Fields of the request's body that the description does not list: they are sent beside the listed ones. */
  readonly extraBody?: JsonObject | undefined
}

/** Options of the calls of an effect; empty unless set with `provide`. */
export const Current = Context.Reference<Pick<CreateOptions, "extraBody" | "headers" | "timeout">>(
  "@webagent/core/CallOptions/Current",
  { defaultValue: () => ({}) }
)

const retriesOf = (retries: number) => {
  // NaN would be no bound
  if (typeof retries !== "number" || !(retries >= 0)) throw new TypeError(mustBe("retries", "0 or more", retries))
  return retries
}

const within = (timeout: Duration.Input) => {
  const time = positive(timeout)
  if (time === undefined) throw new TypeError(mustBe("timeout", aTime, timeout))
  return RetryPolicy.within(time)
}

/**
 * Applies options to the calls in an effect. The methods of a client take the same options as their last argument; use
 * this for several calls at once.
 *
 * @param options - Headers, a request id, an idempotency key, and retries.
 * @param isWait - True if the effect is a wait, whose `timeout` limits the wait instead of each call.
 * @returns A function that applies the options to the calls in an effect.
 * @throws `TypeError` as a defect if an option has an unknown name or an invalid value.
 * @example
 * ```ts
 * import { CallOptions } from "@webagent/core"
 * import { Runs } from "@webagent/v4"
 * import * as Effect from "effect/Effect"
 *
 * export const both = Runs.use((runs) => Effect.all([runs.get("5f2e"), runs.get("91ab")])).pipe(
 *   CallOptions.provide({ retries: 0, headers: { "x-team": "travel" } })
 * )
 * ```
 */
export const provide =
  (options: CreateOptions | undefined, isWait = false) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    // from plain JavaScript, null is none
    if (!options) return effect
    return Effect.suspend(() => {
      checkNames(options)
      const own = isWait ? { ...options, timeout: undefined } : options
      const { extraBody, headers, idempotencyKey, requestId, retries, timeout } = own
      let chosen = effect
      if (extraBody !== undefined || headers !== undefined || timeout !== undefined) {
        chosen = Effect.withFiber((fiber) =>
          Effect.provideService(effect, Current, { ...fiber.getRef(Current), ...own })
        )
      }
      if (idempotencyKey !== undefined) chosen = IdempotencyKey.provide(idempotencyKey)(chosen)
      if (requestId !== undefined) chosen = RequestId.provide(requestId)(chosen)
      if (retries !== undefined) chosen = Effect.provideService(chosen, RetryPolicy.Retries, retriesOf(retries))
      return timeout === undefined ? chosen : within(timeout)(chosen)
    })
  }

/**
 * Applies options to a wait. Its `timeout` limits the wait instead of each call.
 *
 * @param options - Headers, a request id, retries and the timeout of the wait.
 * @returns A function that applies the options to the calls in an effect.
 * @example
 * ```ts
 * import { CallOptions } from "@webagent/core"
 * import { Runs } from "@webagent/v4"
 *
 * export const program = Runs.use((runs) =>
 *   runs.untilTerminal("5f2e").pipe(CallOptions.provideToWait({ headers: { "x-team": "travel" } }))
 * )
 * ```
 */
export const provideToWait = (options: CreateOptions | undefined) => provide(options, true)

/**
 * Applies options to the polls of a wait that is watched.
 *
 * @param options - Headers, a request id and retries.
 * @returns A function that applies the options to a stream.
 * @example
 * ```ts
 * import { CallOptions } from "@webagent/core"
 * import { Runs } from "@webagent/v4"
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 *
 * export const program = Runs.use((runs) =>
 *   runs.watch("5f2e").pipe(
 *     CallOptions.provideToWatch({ requestId: "order-7" }),
 *     Stream.runForEach(({ status }) => Effect.log(status))
 *   )
 * )
 * ```
 */
export const provideToWatch =
  (options: CreateOptions | undefined) =>
  <A, E, R>(watch: Stream.Stream<A, E, R>): Stream.Stream<A, E, R> =>
    Stream.unwrap(
      provideToWait(options)(
        Effect.contextWith((context: Context.Context<R>) => Effect.succeed(Stream.provideContext(watch, context)))
      )
    )

/** A policy that holds whatever the caller has chosen. */
const regardless = (policy: RetryPolicy.RetryPolicy) =>
  Context.make(RetryPolicy.Current, policy).pipe(
    Context.add(RetryPolicy.Retries, undefined),
    Context.add(RetryPolicy.Deadline, Number.POSITIVE_INFINITY)
  )

const ofPoll = regardless(RetryPolicy.none)
const ofStop = regardless(RetryPolicy.persistent)

/**
 * Sends one poll of a wait without retries of its own, because the wait polls again, and others may share the poll.
 *
 * @param effect - The poll.
 * @param requestId - The `X-Request-Id` of the poll; a new one if it's undefined.
 * @returns The result of the poll.
 * @example
 * ```ts
 * import { CallOptions } from "@webagent/core"
 * import { Runs } from "@webagent/v4"
 *
 * export const poll = (id: string) => Runs.use((runs) => CallOptions.poll(runs.status(id), undefined))
 * ```
 */
export const poll = <A, E, R>(effect: Effect.Effect<A, E, R>, requestId: string | undefined): Effect.Effect<A, E, R> =>
  Effect.provideContext(effect, Context.add(ofPoll, RequestId.Current, requestId)) as Effect.Effect<A, E, R>

/**
 * Retries a call that stops something that costs money, regardless of the retries that its caller has set.
 *
 * @param stop - The call.
 * @param time - The longest time for all attempts, such as `"2 minutes"`.
 * @returns The result of the call.
 * @throws `TimeoutError` if no attempt succeeds in time, and errors that a retry can't fix.
 * @example
 * ```ts
 * import { CallOptions } from "@webagent/core"
 * import { Runs } from "@webagent/v4"
 *
 * export const cancel = (id: string) => Runs.use((runs) => CallOptions.forSure(runs.cancel(id), "2 minutes"))
 * ```
 */
export const forSure = <A, E, R>(stop: Effect.Effect<A, E, R>, time: Duration.Input = "1 minute") =>
  Effect.timeout(Effect.provideContext(stop, ofStop) as Effect.Effect<A, E, R>, time)
