import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Elapsed from "./Elapsed.ts"
import { type PolledState, type Polls, Poller } from "./Poller.ts"
import { type Member, type Polled, statusOf } from "./PollLoop.ts"
import * as PollSchedule from "./PollSchedule.ts"
import type { PollBudget } from "./PollBudget.ts"
import type { WaitTimeoutError } from "./WaitTimeoutError.ts"

export type { PolledState }
export type { Retry, Silence } from "./PollLoop.ts"

/** Options of a single wait. */
export interface WaitOptions {
  /** The time between polls. The default is `PollSchedule.Current`. */
  readonly schedule?: PollSchedule.PollSchedule | undefined
  /** The delay before the first poll, instead of the schedule's. Zero polls immediately. */
  readonly first?: Duration.Input | undefined
  /** The longest time to wait (default: 30 minutes). The last poll is made at the deadline, and has 5 seconds. */
  readonly timeout?: Duration.Input | undefined
}

/**
 * Checks the times of a wait. Call it before you create a run, because a wait with an invalid timeout would end
 * immediately, and the run would still cost money.
 *
 * @param options - The options of the wait.
 * @returns Nothing if the times are valid.
 * @throws `TypeError` if `timeout` or `first` isn't a length of time.
 * @example
 * ```ts
 * import { Waiter } from "@webagent/polling"
 *
 * Waiter.checkTimes({ timeout: "10 minutes" })
 * ```
 */
export const checkTimes = (options?: WaitOptions): void => {
  for (const name of ["timeout", "first"] as const) {
    const input = options?.[name]
    if (input === undefined) continue
    const time = Duration.fromInput(input)
    if (Option.isNone(time) || Number.isNaN(input) || Duration.toMillis(time.value) < 0) {
      throw new TypeError(`${name} must be a length of time, such as "30 seconds"; got ${String(input)}.`)
    }
  }
}

/**
 * Polls immediately, unless the options have a `first` delay. Use it to wait for something that may already be finished,
 * such as a run that another process created.
 *
 * @param options - The options of the wait.
 * @returns The options with a first delay of zero.
 * @example
 * ```ts
 * import { Waiter } from "@webagent/polling"
 *
 * export const options = Waiter.atOnce({ timeout: "10 minutes" }) // polls first after no delay
 * ```
 */
export const atOnce = (options?: WaitOptions): WaitOptions => ({ ...options, first: options?.first ?? 0 })

/** Options of a single wait that reports progress. */
export interface ProgressOptions<A> extends WaitOptions {
  /** Receives every value whose status differs from the one before. */
  readonly onChange?: ((value: A) => void) | undefined
}

/** Waits for things that have ids. Waits for one id share one poll loop, however many there are. */
export interface Waiter<A, E> {
  /**
   * Waits until something has a final status. A final value that is seen late still wins over the timeout.
   *
   * @param id - The id of the resource.
   * @param options - The timeout and the schedule of the wait, and a function that receives each new status.
   * @returns The first final value.
   * @throws `WaitTimeoutError` if there is none in time, and errors of a poll that a retry can't fix.
   * @example
   * ```ts
   * import type { Waiter } from "@webagent/polling"
   *
   * export const finish = (waiter: Waiter.Waiter<string, never>, id: string) =>
   *   waiter.untilTerminal(id, { timeout: "10 minutes", onChange: (status) => console.log(status) })
   * ```
   */
  readonly untilTerminal: (id: string, options?: ProgressOptions<A>) => Effect.Effect<A, E | WaitTimeoutError>
  /**
   * Streams every value whose status differs from the one before. It ends with the final value.
   *
   * @param id - The id of the resource.
   * @param options - The timeout and the schedule of the wait.
   * @returns The stream.
   * @throws `WaitTimeoutError` if there is no final value in time, and errors of a poll that a retry can't fix.
   * @example
   * ```ts
   * import type { Waiter } from "@webagent/polling"
   * import * as Console from "effect/Console"
   * import * as Stream from "effect/Stream"
   *
   * export const print = (waiter: Waiter.Waiter<string, never>, id: string) =>
   *   Stream.runForEach(waiter.watch(id), Console.log)
   * ```
   */
  readonly watch: (id: string, options?: WaitOptions) => Stream.Stream<A, E | WaitTimeoutError>
}

/** Everything about one wait for one thing. */
export interface Wait<A, E, R> extends Polled<A, E>, WaitOptions {
  /** Named in the error of a wait that timed out. */
  readonly id?: string
  readonly check: Effect.Effect<A, E, R>
  /** On whose rate the polls are made; at once unless told. */
  readonly budget?: PollBudget["Service"] | undefined
}

/**
 * Creates a waiter. Waits for the same id share their polls, which stop when the scope closes.
 *
 * @param polls - The request that reads a value, and rules for its status and for retries.
 * @returns The waiter.
 * @example
 * ```ts
 * import { Waiter } from "@webagent/polling"
 * import * as Effect from "effect/Effect"
 *
 * export const both = (read: (id: string) => Effect.Effect<string>) =>
 *   Effect.scoped(
 *     Effect.gen(function* () {
 *       const waiter = yield* Waiter.make({ kind: "run", check: read, isTerminal: (status) => status !== "running" })
 *       return yield* Effect.all([waiter.untilTerminal("a"), waiter.untilTerminal("b")], { concurrency: 2 })
 *     })
 *   )
 * ```
 */
export const make = <A, E>(polls: Polls<A, E>): Effect.Effect<Waiter<A, E>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const surroundings = yield* Effect.context<never>()
    const poller = yield* Effect.acquireRelease(
      Effect.sync(() => new Poller(polls, surroundings)),
      (poller) => poller.close
    )
    const standard = yield* PollSchedule.Current

    // nearly all waits look at once: one schedule for all of them
    let last: {
      readonly from: PollSchedule.PollSchedule
      readonly first: Duration.Input
      readonly to: PollSchedule.PollSchedule
    }
    const withFirst = (from: PollSchedule.PollSchedule, first: Duration.Input) => {
      if (last?.from !== from || last.first !== first) last = { from, first, to: PollSchedule.withFirst(from, first) }
      return last.to
    }

    /** Makes a member of the loop. */
    const arrive = (id: string, options: WaitOptions | undefined) =>
      Effect.contextWith((context: Context.Context<never>) => {
        checkTimes(options)
        const chosen = options?.schedule ?? Context.getOrUndefined(context, PollSchedule.Current) ?? standard
        const schedule = options?.first === undefined ? chosen : withFirst(chosen, options.first)
        // a loop that has an answer already shows it, so that its newcomers have no first poll to make
        const answered = poller.find(id)?.latest !== undefined
        return Effect.map(PollSchedule.next(schedule, { elapsed_ms: 0, polls: answered ? 1 : 0 }), (delay) => {
          const began_ms = Elapsed.nowUnsafe_ms(Context.get(context, Clock.Clock))
          const deadline_ms = began_ms + Duration.toMillis(Duration.fromInputUnsafe(options?.timeout ?? "30 minutes"))
          return { id, delay, context, schedule, began_ms, deadline_ms }
        })
      })

    type Arrived = Effect.Success<ReturnType<typeof arrive>>

    /** Lets a member wait; gives what takes it away. There may be thousands, so that it holds on to little. */
    const join = ({ id, delay, ...arrived }: Arrived, { onEnd, onValue }: Pick<Member<A, E>, "onValue" | "onEnd">) => {
      const member: Member<A, E> = { ...arrived, polls: 0, due_ms: 0, onValue, onEnd }
      poller.join(id, member, delay)
      return Effect.sync(() => poller.leave(id, member))
    }

    const ignore = () => undefined

    /** Passes on the values whose status differs from the one before. */
    const changes = (onChange: (value: A) => void) => {
      let last: string | undefined
      return (value: A) => {
        const status = statusOf(polls, value)
        if (status === last) return
        last = status
        onChange(value)
      }
    }

    return {
      untilTerminal: (id, options) =>
        Effect.flatMap(arrive(id, options), (arrived) =>
          Effect.callback<A, E | WaitTimeoutError>((resume) =>
            join(arrived, {
              onValue: options?.onChange === undefined ? ignore : changes(options.onChange),
              onEnd: resume
            })
          )
        ),
      // by hand: Stream.callback would put Effect's queues into every client, 1.4 kB
      watch: (id, options) =>
        Stream.unwrap(
          Effect.gen(function* () {
            const arrived = yield* arrive(id, options)
            let values: Array<A> = []
            let end: Exit.Exit<void, E | WaitTimeoutError> | undefined
            let wake = () => {}
            const pull = Effect.callback<Arr.NonEmptyReadonlyArray<A>, E | WaitTimeoutError | Cause.Done>((resume) => {
              wake = () => {
                if (values.length === 0 && end === undefined) return
                // what comes before the next pull waits for it
                wake = () => {}
                const ready = values
                values = []
                if (Arr.isReadonlyArrayNonEmpty(ready)) resume(Effect.succeed(ready))
                else resume(end === undefined || Exit.isSuccess(end) ? Cause.done() : Effect.failCause(end.cause))
              }
              wake()
            })
            const listener = {
              onValue: changes((value) => {
                values.push(value)
                wake()
              }),
              onEnd: (exit: Exit.Exit<A, E | WaitTimeoutError>) => {
                end = Exit.asVoid(exit)
                wake()
              }
            }
            yield* Effect.acquireRelease(
              Effect.sync(() => join(arrived, listener)),
              (leave) => leave
            )
            return Stream.fromPull(Effect.succeed(pull))
          })
        )
    }
  })

const single = <A, E, R>(wait: Wait<A, E, R>) =>
  Effect.contextWith((context: Context.Context<R>) =>
    make({ ...wait, check: () => Effect.provideContext(wait.check, context) })
  )

/**
 * Polls until a value is terminal. Failures that `retryable` accepts are retried, and any other failure ends the wait.
 *
 * @param wait - `check` reads the value, and `isTerminal` tells if it's final. `timeout` is 30 minutes by default.
 * @returns The terminal value.
 * @throws `WaitTimeoutError` if no value is terminal in time, and errors of `check` that aren't retried.
 * @example
 * ```ts
 * import { PollSchedule, Waiter } from "@webagent/polling"
 * import * as Effect from "effect/Effect"
 *
 * let looks = 0
 * export const program = Waiter.untilTerminal({
 *   check: Effect.sync(() => (++looks < 3 ? "running" : "completed")),
 *   isTerminal: (status) => status === "completed",
 *   schedule: PollSchedule.every("10 millis"),
 *   timeout: "1 minute"
 * })
 * ```
 */
export const untilTerminal = <A, E, R>(wait: Wait<A, E, R>): Effect.Effect<A, E | WaitTimeoutError, R> =>
  Effect.scoped(Effect.flatMap(single(wait), (waiter) => waiter.untilTerminal(wait.id ?? "", wait)))

/**
 * Polls as `untilTerminal` does, and emits every value whose status differs from the one before.
 *
 * @param wait - The same options as for `untilTerminal`.
 * @returns A stream that ends after the terminal value.
 * @throws `WaitTimeoutError` if no value is terminal in time, and errors of `check` that aren't retried.
 * @example
 * ```ts
 * import { PollSchedule, Waiter } from "@webagent/polling"
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 *
 * let looks = 0
 * export const statuses = Stream.runCollect(
 *   Waiter.watch({
 *     kind: "run",
 *     check: Effect.sync(() => (++looks < 3 ? "running" : "completed")),
 *     isTerminal: (status) => status === "completed",
 *     schedule: PollSchedule.every("10 millis")
 *   })
 * )
 * ```
 */
export const watch = <A, E, R>(wait: Wait<A, E, R>): Stream.Stream<A, E | WaitTimeoutError, R> =>
  Stream.unwrap(Effect.map(single(wait), (waiter) => waiter.watch(wait.id ?? "", wait)))
