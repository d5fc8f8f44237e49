import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { checkTimes, type ProgressOptions, type WaitOptions } from "./Waiter.ts"
import { WaitTimeoutError } from "./WaitTimeoutError.ts"

/** The reason why a wait ended before the resource was finished. */
export type WaitEnd =
  /** The deadline has passed. */
  | "timeout"
  | "interrupted"
  /** A read has failed for good, as when the key was revoked. */
  | "failed"

/** Treatment of a resource whose wait ends first: it's canceled at the service, or it continues and may cost. */
export type EndAction = "cancel" | "continue"

/** Options for a wait that ends before its resource does. */
export interface EndOptions {
  /**
   * With `cancel`, a resource whose wait ends first, because of the timeout, a failure or an interruption, is canceled
   * at the service. By default it continues, and may cost.
   */
  readonly onEnd?: EndAction | undefined
  /** The same for an interruption alone; by default as `onEnd`. */
  readonly onAbort?: EndAction | undefined
}

/** Options of a wait for a resource that the caller created. */
export interface OwnWaitOptions<C, R = never, S = never> extends WaitOptions, EndOptions {
  /** Receives each value whose status is new, the final one last. The wait doesn't wait for what it does. */
  readonly onStatus?: ((value: S) => Effect.Effect<unknown, never, R>) | undefined
  /**
   * Cancels the resource in a way of your own, whenever the wait ends first; `onEnd` and `onAbort` then have no effect.
   * It's given a minute. When it succeeds, the resource is read for 5 more seconds, and if it has finished, it's the
   * result of the wait in place of the timeout. A wait with a schema for the result fails with the timeout instead if the
   * resource was cancelled.
   */
  readonly cancel?: ((created: C, why: WaitEnd) => Effect.Effect<unknown, unknown, R>) | undefined
}

/** Throws if an option that says what happens at the end is misspelt: the resource would continue, and cost. */
const checkEnd = (options: EndOptions): void => {
  for (const [name, action] of Object.entries(options)) {
    if (action !== undefined && action !== "cancel" && action !== "continue") {
      throw new TypeError(`${name} must be "cancel" or "continue"; got ${JSON.stringify(action)}.`)
    }
  }
}

/** Describes how to create a resource and wait for it. */
export interface Own<C, A, EC, E, R, S = never> {
  /** The kind of resource in one word for messages: `run`, `session`. */
  readonly kind: string
  /**
   * Creates the resource. It runs inside an uninterruptible region, so that the id of a created resource isn't lost.
   *
   * @param restore - Makes a part interruptible again.
   * @param isCancelled - True if the wait cancels what was created, so that the response to a sent request must be
   *   read.
   * @returns The created resource.
   * @example
   * ```ts
   * import { RetryPolicy } from "@webagent/core"
   * import type { OwnWait } from "@webagent/polling"
   * import type { Runs } from "@webagent/v4"
   *
   * type Own = OwnWait.Own<{ readonly id: string }, unknown, unknown, unknown, never>
   * export const create = (runs: Runs["Service"]): Own["create"] =>
   *   RetryPolicy.interruptibleOwn(runs.create({ task: "Find a red mug" }))
   * ```
   */
  readonly create: (restore: Restore, isCancelled: boolean) => Effect.Effect<C, EC>
  /**
   * Waits for the created resource.
   *
   * @param id - The id of the resource.
   * @param options - The timeout and the schedule of the wait, and a function that receives each new status.
   * @param created - The response to its create.
   * @returns The finished resource.
   * @throws `WaitTimeoutError` if it doesn't finish in time.
   * @example
   * ```ts
   * import { OwnWait } from "@webagent/polling"
   * import { Runs } from "@webagent/v4"
   *
   * export const buy = Runs.use((runs) =>
   *   OwnWait.createAndWait({
   *     kind: "run",
   *     create: () => runs.create({ task: "Buy the red mug" }),
   *     wait: (id, { timeout }) => runs.untilTerminal(id, { timeout })
   *   })
   * )
   * ```
   */
  readonly wait: (id: string, options: ProgressOptions<S>, created: C) => Effect.Effect<A, E | WaitTimeoutError>
  /** Cancels what was created, for `onEnd` and `onAbort`. */
  readonly cancel?: ((created: C) => Effect.Effect<unknown, unknown>) | undefined
  /** Returns true if a value has no result because it was cancelled: then a wait that cancelled it fails with its timeout. */
  readonly isCancelled?: ((value: A) => boolean) | undefined
  /** Makes the wait interruptible in an uninterruptible region around it, which passes what its mask gives. */
  readonly restore?: Restore | undefined
  /** Is told what was created before the wait begins. */
  readonly onCreated?: ((created: C) => Effect.Effect<unknown, never, R>) | undefined
  /** Is told what it has become, even when the caller is not. */
  readonly onEnd?: ((value: A) => Effect.Effect<unknown>) | undefined
  /** Is told the id that a warning has named, because an interruption has ended its wait. */
  readonly onNamed?: ((id: string) => void) | undefined
  /** Tells a failure that says nothing of what was created, such as that of a gateway: nothing is cancelled for it. */
  readonly isForeign?: ((error: unknown) => boolean) | undefined
}

/** Makes an effect interruptible again, as `Effect.uninterruptibleMask` gives it. */
export type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * Returns the typed error of a failed exit.
 *
 * @param exit - The exit of an effect.
 * @returns The error, or undefined if the effect succeeded, died or was interrupted.
 * @example
 * ```ts
 * import { OwnWait, WaitTimeoutError } from "@webagent/polling"
 * import type * as Exit from "effect/Exit"
 *
 * export const isLate = (exit: Exit.Exit<unknown, unknown>) => OwnWait.errorOf(exit) instanceof WaitTimeoutError
 * ```
 */
export const errorOf = (exit: Exit.Exit<unknown, unknown>): unknown =>
  Exit.isFailure(exit) ? Option.getOrUndefined(Cause.findErrorOption(exit.cause)) : undefined

const goesOn = "it may continue and cost money"

/** Runs a caller's function for each value, without waiting for it. */
const reporting = <R, S>(onStatus: (value: S) => Effect.Effect<unknown, never, R>, context: Context.Context<R>) => {
  const fork = Effect.runForkWith(context)
  return (value: S) =>
    void fork(
      Effect.catchCause(
        Effect.suspend(() => onStatus(value)),
        (cause) => Effect.logWarning("onStatus has thrown", cause)
      )
    )
}

/**
 * Creates something and waits until it finishes. Whatever was created is accounted for: it finishes, it is canceled, or
 * its id is in the error or in a warning.
 *
 * @param own - Creates something, waits for it, and cancels it.
 * @param options - The timeout and the schedule of the wait. With `onEnd: "cancel"`, the resource is canceled if the
 *   wait ends first.
 * @returns The finished value.
 * @throws `WaitTimeoutError` if the resource doesn't finish in time, and the errors of the create and of the wait.
 * @throws `TypeError` as a defect if `timeout`, `onEnd` or another option is invalid. Nothing was created then.
 * @example
 * ```ts
 * import { OwnWait } from "@webagent/polling"
 * import { Runs } from "@webagent/v4"
 *
 * export const buy = Runs.use((runs) =>
 *   OwnWait.createAndWait(
 *     {
 *       kind: "run",
 *       create: () => runs.create({ task: "Buy the red mug" }),
 *       wait: (id, { timeout }) => runs.untilTerminal(id, { timeout }),
 *       cancel: ({ id }) => runs.cancel(id)
 *     },
 *     { timeout: "10 minutes", onEnd: "cancel" }
 *   )
 * )
 * ```
 */
export const createAndWait = <C extends { readonly id: string }, A, EC, E, R = never, S = never>(
  { cancel: cancelOwn, onCreated = () => Effect.void, onEnd = () => Effect.void, ...own }: Own<C, A, EC, E, R, S>,
  given?: OwnWaitOptions<C, R, S>
): Effect.Effect<A, EC | E | WaitTimeoutError, R> =>
  Effect.uninterruptibleMask((ownRestore) =>
    Effect.gen(function* () {
      const { create, isCancelled, isForeign, kind, restore = ownRestore, wait } = own
      // from plain JavaScript, null is none
      const { cancel: cancelGiven, onAbort, onEnd: action, onStatus, ...times } = given ?? {}
      checkTimes(times)
      const context = yield* Effect.context<R>()
      const options = { ...times, onChange: onStatus === undefined ? undefined : reporting(onStatus, context) }
      checkEnd({ onAbort, onEnd: action })
      const cancelFor = (why: WaitEnd) =>
        cancelGiven ?? ((why === "interrupted" ? (onAbort ?? action) : action) === "cancel" ? cancelOwn : undefined)
      const created = yield* Effect.tapCause(create(restore, cancelFor("interrupted") !== undefined), (cause) =>
        // who has interrupted a create doesn't see how it has failed
        Effect.onInterrupt(restore(Effect.void), () => Effect.logWarning(`Creating a ${kind} has failed`, cause))
      )
      const { id } = created
      yield* Effect.annotateCurrentSpan(`${kind}.id`, id)
      const exit = yield* Effect.exit(
        restore(
          Effect.andThen(
            Effect.suspend(() => onCreated(created)),
            wait(id, options, created)
          )
        )
      )
      if (Exit.isSuccess(exit)) {
        yield* onEnd(exit.value)
        return exit.value
      }
      const error = errorOf(exit)
      const how = error instanceof WaitTimeoutError ? "timeout" : "failed"
      const why: WaitEnd = Exit.hasInterrupts(exit) ? "interrupted" : how
      const cancel = cancelFor(why)
      if (cancel === undefined || (why === "failed" && isForeign?.(error) === true)) {
        // the error of a deadline says so itself, and knows the id
        if (why !== "timeout") yield* Effect.logWarning(`The wait for ${kind} ${id} has ended: ${goesOn}`)
        if (why === "interrupted") own.onNamed?.(id)
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
      const look = wait(id, { ...options, first: 0, timeout: "5 seconds" }, created)
      const last = yield* Effect.exit(Effect.timeout(look, "10 seconds"))
      if (Exit.isSuccess(last)) {
        yield* onEnd(last.value)
        if (why === "timeout") {
          if (isCancelled?.(last.value) !== true) return last.value
          return yield* new WaitTimeoutError({ ...(error as WaitTimeoutError), isCancelled: true })
        }
      } else yield* Effect.logWarning(`The ${kind} ${id} was cancelled, but has not ended: ${goesOn}`)
      return yield* exit
    })
  )
