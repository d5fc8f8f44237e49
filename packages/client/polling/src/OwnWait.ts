import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { checkTimes, type WaitOptions } from "./Waiter.ts"
import { WaitTimeoutError } from "./WaitTimeoutError.ts"

/** The reason why a wait ended before the resource was finished. */
export type WaitEnd =
  /** The deadline has passed. */
  | "timeout"
  | "interrupted"
  /** A read has failed for good, as when the key was revoked. */
  | "failed"

/** Options of a wait for a resource that the caller created. */
export interface OwnWaitOptions<C, R = never> extends WaitOptions {
  /**
   * Ends at the service what was created, when the wait ends before it does. The service's description has no
   * operation for that: without one it goes on, and may cost. It is given a minute; when it succeeds there is one more
   * look, for 5 seconds, and what is over by then is the wait's value in place of the deadline.
   */
  readonly cancel?: ((created: C, why: WaitEnd) => Effect.Effect<unknown, unknown, R>) | undefined
}

/** Describes how to create a resource and wait for it. */
export interface Own<C, A, EC, E, R> {
  /** The kind of resource in one word for messages: `run`, `session`. */
  readonly kind: string
  /**
   * Creates it, inside an uninterruptible region: once it is created, its id is not lost. `restore` is for the parts
   * that can be interrupted; `isCancelled` says that an answer in flight is to be waited for, for whatever it has made is
   * cancelled.
   */
  readonly create: (restore: Restore, isCancelled: boolean) => Effect.Effect<C, EC>
  readonly wait: (id: string, options: WaitOptions) => Effect.Effect<A, E | WaitTimeoutError>
  /** Is told what was created before the wait begins. */
  readonly onCreated?: ((created: C) => Effect.Effect<unknown, never, R>) | undefined
  /** Is told what it has become, even when the caller is not. */
  readonly onEnd?: ((value: A) => Effect.Effect<unknown>) | undefined
  /** Tells a failure that says nothing of what was created, such as that of a gateway: nothing is cancelled for it. */
  readonly isForeign?: ((error: unknown) => boolean) | undefined
}

/** Makes an effect interruptible again, as `Effect.uninterruptibleMask` gives it. */
export type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

const whyOf = (cause: Cause.Cause<unknown>): WaitEnd => {
  if (Cause.hasInterrupts(cause)) return "interrupted"
  return Option.getOrUndefined(Cause.findErrorOption(cause)) instanceof WaitTimeoutError ? "timeout" : "failed"
}

const goesOn = "it may go on at the service, and cost"

/**
 * Creates something and waits for its end. What was created is never let go of in silence: it ends, or it is
 * cancelled, or its id is in the error or in a warning.
 */
export const createAndWait = <C extends { readonly id: string }, A, EC, E, R = never>(
  { create, isForeign, kind, onCreated = () => Effect.void, onEnd = () => Effect.void, wait }: Own<C, A, EC, E, R>,
  { cancel, ...options }: OwnWaitOptions<C, R> = {}
): Effect.Effect<A, EC | E | WaitTimeoutError, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      checkTimes(options)
      const created = yield* create(restore, cancel !== undefined)
      const { id } = created
      yield* Effect.annotateCurrentSpan(`${kind}.id`, id)
      const exit = yield* Effect.exit(
        restore(
          Effect.andThen(
            Effect.suspend(() => onCreated(created)),
            wait(id, options)
          )
        )
      )
      if (Exit.isSuccess(exit)) {
        yield* onEnd(exit.value)
        return exit.value
      }
      const why = whyOf(exit.cause)
      const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
      if (cancel === undefined || (why === "failed" && isForeign?.(error) === true)) {
        // the error of a deadline says so itself, and knows the id
        if (why !== "timeout") yield* Effect.logWarning(`The wait for ${kind} ${id} has ended: ${goesOn}`)
        return yield* exit
      }
      const cancelled = yield* Effect.exit(
        Effect.timeout(
          Effect.suspend(() => cancel(created, why)),
          "1 minute"
        )
      )
      if (Exit.isFailure(cancelled)) {
        yield* Effect.logWarning(`The ${kind} ${id} could not be cancelled: ${goesOn}`, cancelled.cause)
        return yield* exit
      }
      const look = wait(id, { ...options, first: 0, timeout: "5 seconds" })
      const last = yield* Effect.exit(Effect.timeout(look, "10 seconds"))
      if (Exit.isSuccess(last)) yield* onEnd(last.value)
      else yield* Effect.logWarning(`The ${kind} ${id} was cancelled, but has not ended: ${goesOn}`)
      return Exit.isSuccess(last) && why === "timeout" ? last.value : yield* exit
    })
  )
