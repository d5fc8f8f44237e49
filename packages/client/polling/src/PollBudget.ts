import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Elapsed from "./Elapsed.ts"

/** Limits the number of polls of all waits of a client. */
export interface PollBudgetOptions {
  /** Polls a second in the long run; 50 unless told. */
  readonly perSecond?: number | undefined
  /** Polls that may be made at one instant after a pause; 10 unless told. */
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
 * Bounds the rate of polls of all waits together, so that ten thousand of them are as polite as one.
 *
 * @example
 * ```ts
 * import { PollBudget } from "@webagent/polling"
 *
 * // one budget for every client that is given this layer
 * export const polls = PollBudget.layer({ perSecond: 10, burst: 20 })
 * ```
 */
export class PollBudget extends Context.Service<
  PollBudget,
  {
    /** Waits until a poll may be made. */
    readonly take: Effect.Effect<void>
  }
>()("@webagent/polling/PollBudget") {
  /** 50 polls a second and a burst of 10, unless told otherwise. */
  static readonly layer = (options?: PollBudgetOptions): Layer.Layer<PollBudget> => Layer.effect(this, make(options))

  /** No bound: for tests and for load on purpose. */
  static readonly layerUnlimited: Layer.Layer<PollBudget> = Layer.succeed(this, { take: Effect.void })

  /** The budget that the surroundings provide, else a new one of the default size. */
  static readonly orDefault: Effect.Effect<PollBudget["Service"]> = Effect.withFiber(({ context }) => {
    const provided = Context.getOrUndefined(context, this)
    return provided === undefined ? make() : Effect.succeed(provided)
  })
}
