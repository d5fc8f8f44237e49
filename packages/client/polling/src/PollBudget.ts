import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Elapsed from "./Elapsed.ts"

/** Limits the number of polls of all waits of a client. */
export interface PollBudgetOptions {
  /** Average number of polls per second. The default is 50. */
  readonly perSecond?: number | undefined
  /** Number of polls that may be sent at once after a pause. The default is 10. */
  readonly burst?: number | undefined
}

const make = ({ perSecond = 50, burst = 10 }: PollBudgetOptions = {}) =>
  Effect.sync(() => {
    // NaN would be no bound, and a rate below zero no poll at all
    if (!(perSecond > 0 && burst >= 0)) throw new RangeError("perSecond has to be above 0, and burst not below")
    const interval_ms = 1000 / perSecond
    // Generic cell rate: the instant at which the bucket would be full again. Reserving is one synchronous step, so
    // waits are served in the order in which they ask.
    let full_ms = Number.NEGATIVE_INFINITY
    return PollBudget.of({
      take: Effect.flatMap(Elapsed.now_ms, (now) => {
        full_ms = Math.max(full_ms, now) + interval_ms
        const wait_ms = full_ms - now - burst * interval_ms
        return wait_ms > 0 ? Effect.sleep(wait_ms) : Effect.void
      })
    })
  })

/**
 * Limits the rate of all polls together, however many waits there are. Share one budget per process, so that ten thousand
 * waits send no more polls per second than the service should receive.
 *
 * @example
 * ```ts
 * import { PollBudget } from "@webagent/polling"
 *
 * // one budget for every client that you provide this layer to
 * export const polls = PollBudget.layer({ perSecond: 10, burst: 20 })
 * ```
 */
export class PollBudget extends Context.Service<
  PollBudget,
  {
    /** Waits until the next poll may be sent. Waits are served in order. */
    readonly take: Effect.Effect<void>
  }
>()("@webagent/polling/PollBudget") {
  /**
   * Provides a budget.
   *
   * @param options - `perSecond` is the average rate, 50 by default. `burst` is the number of polls that may be sent at
   *   once after a pause, 10 by default.
   * @returns A layer with the budget.
   * @throws `RangeError` as a defect if `perSecond` isn't above 0, or if `burst` is below 0.
   * @example
   * ```ts
   * import { PollBudget } from "@webagent/polling"
   *
   * export const layer = PollBudget.layer({ perSecond: 10, burst: 20 })
   * ```
   */
  static readonly layer = (options?: PollBudgetOptions): Layer.Layer<PollBudget> => Layer.effect(this, make(options))

  /** Provides a budget without a limit, for tests and load tests. */
  static readonly layerUnlimited: Layer.Layer<PollBudget> = Layer.succeed(this, { take: Effect.void })

  /** Returns the budget of the context, or a new one with the default limits if there is none. */
  static readonly orDefault: Effect.Effect<PollBudget["Service"]> = Effect.withFiber(({ context }) => {
    const provided = Context.getOrUndefined(context, this)
    return provided === undefined ? make() : Effect.succeed(provided)
  })
}
