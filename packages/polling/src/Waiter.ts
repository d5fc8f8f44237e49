import * as Context from "effect/Context"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type Member, type Polled, PollLoop } from "./PollLoop.ts"
import * as PollSchedule from "./PollSchedule.ts"
import type { WaitTimeoutError } from "./WaitTimeoutError.ts"

/** What a single wait may choose. */
export interface WaitOptions {
  /** Cadence of the polls; `PollSchedule.Current` unless told. */
  readonly schedule?: PollSchedule.PollSchedule | undefined
  /** Delay before the first poll in place of the schedule's own; zero looks at once. */
  readonly first?: Duration.Input | undefined
  /** The longest time to wait; 30 minutes unless told. The last poll is made at the deadline. */
  readonly timeout?: Duration.Input | undefined
}

/** For what may have ended long ago, such as what someone else created: the first poll is made at once, unless told. */
export const atOnce = (options: WaitOptions = {}): WaitOptions => ({ ...options, first: options.first ?? 0 })

/** Waits for things that have ids. Waits for one id share one poll loop, however many there are. */
export interface Waiter<A, E> {
  /** Succeeds with the first terminal value; a terminal value seen late still wins over the deadline. */
  readonly untilTerminal: (id: string, options?: WaitOptions) => Effect.Effect<A, E | WaitTimeoutError>
  /** Every value whose status differs from the one before, ending with the terminal one. */
  readonly watch: (id: string, options?: WaitOptions) => Stream.Stream<A, E | WaitTimeoutError>
}

/** Everything about one wait for one thing. */
export interface Wait<A, E, R> extends Polled<A, E>, WaitOptions {
  /** Named in the error of a wait that timed out. */
  readonly id?: string
  readonly check: Effect.Effect<A, E, R>
}

/** A waiter whose poll loops live in the surrounding scope. */
export const make = <A, E>(
  polled: Polled<A, E> & { readonly check: (id: string) => Effect.Effect<A, E> }
): Effect.Effect<Waiter<A, E>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const surroundings = yield* PollSchedule.Current
    const loops = new Map<string, { readonly loop: PollLoop<A, E>; fiber?: Fiber.Fiber<void> }>()

    const start = (id: string) => {
      const loop = new PollLoop(id, polled.check(id), polled)
      const running: { readonly loop: PollLoop<A, E>; fiber?: Fiber.Fiber<void> } = { loop }
      loops.set(id, running)
      const forked = Effect.map(Effect.forkIn(loop.run(), scope), (fiber) => {
        running.fiber = fiber
        fiber.addObserver((exit) => {
          loop.over = true
          if (loops.get(id) === running) loops.delete(id)
          if (Exit.isFailure(exit)) loop.endAll(Exit.failCause(exit.cause))
        })
      })
      return { loop, forked }
    }

    const leave = (id: string, member: Member<A, E>) =>
      Effect.sync(() => {
        const running = loops.get(id)
        if (running === undefined || !running.loop.members.delete(member)) return
        if (running.loop.members.size > 0) return
        loops.delete(id)
        running.fiber?.interruptUnsafe()
      })

    const join = (
      id: string,
      options: WaitOptions | undefined,
      listener: Pick<Member<A, E>, "onValue" | "onEnd">
    ): Effect.Effect<void, never, Scope.Scope> =>
      Effect.acquireRelease(
        Effect.gen(function* () {
          const context = yield* Effect.context<never>()
          const chosen = options?.schedule ?? Context.getOrUndefined(context, PollSchedule.Current) ?? surroundings
          const schedule = options?.first === undefined ? chosen : PollSchedule.withFirst(chosen, options.first)
          // a loop that has an answer already shows it, so that its newcomers have no first poll to make
          const polls = loops.get(id)?.loop.latest === undefined ? 0 : 1
          const delay = yield* PollSchedule.next(schedule, { elapsed_ms: 0, polls })
          const began_ms = yield* Clock.currentTimeMillis
          const deadline_ms = began_ms + Duration.toMillis(options?.timeout ?? "30 minutes")
          const member: Member<A, E> = { schedule, began_ms, deadline_ms, ...listener }
          // looking up, starting and taking a seat is one synchronous step: two waits never start two loops
          const running = loops.get(id)
          const { loop, forked } =
            running === undefined || running.loop.over ? start(id) : { loop: running.loop, forked: Effect.void }
          loop.seat(member, delay)
          yield* forked
          return member
        }),
        (member) => leave(id, member)
      )

    const statusOf = (value: A) => polled.statusOf?.(value) ?? String(value)

    return {
      untilTerminal: (id, options) =>
        Effect.scoped(
          Effect.gen(function* () {
            const end = yield* Queue.unbounded<Exit.Exit<A, E | WaitTimeoutError>>()
            yield* join(id, options, {
              onValue: () => undefined,
              onEnd: (exit) => void Queue.offerUnsafe(end, exit)
            })
            return yield* yield* Queue.take(end)
          })
        ),
      watch: (id, options) =>
        Stream.callback<A, E | WaitTimeoutError>((queue) =>
          join(id, options, {
            onValue: (value) => void Queue.offerUnsafe(queue, value),
            onEnd: (exit) =>
              void (Exit.isSuccess(exit) ? Queue.endUnsafe(queue) : Queue.failCauseUnsafe(queue, exit.cause))
          })
        ).pipe(Stream.changesWith((self, that) => statusOf(self) === statusOf(that)))
    }
  })

const single = <A, E, R>(wait: Wait<A, E, R>) =>
  Effect.contextWith((context: Context.Context<R>) =>
    make({ ...wait, check: () => Effect.provideContext(wait.check, context) })
  )

/**
 * Polls until a terminal value. Survives failures that `retryable` tells, ends at once on any other, and fails with a
 * WaitTimeoutError at the deadline.
 *
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

/** Polls as `untilTerminal` does and emits every value whose status differs from the one before. */
export const watch = <A, E, R>(wait: Wait<A, E, R>): Stream.Stream<A, E | WaitTimeoutError, R> =>
  Stream.unwrap(Effect.map(single(wait), (waiter) => waiter.watch(wait.id ?? "", wait)))
