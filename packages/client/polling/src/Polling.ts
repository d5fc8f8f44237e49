import type * as Duration from "effect/Duration"
import * as Layer from "effect/Layer"
import { PollBudget, type PollBudgetOptions } from "./PollBudget.ts"
import * as PollSchedule from "./PollSchedule.ts"

/** Settings of the polls of a client: their schedule and their rate. */
export interface PollingOptions extends PollBudgetOptions {
  /** The time between two polls. The default is `PollSchedule.standard`, which adapts to the length of the run. */
  readonly every?: Duration.Input | undefined
  /** The time before the first poll. The default is the schedule's own. */
  readonly first?: Duration.Input | undefined
}

/**
 * Provides the poll schedule and the poll budget of a client in plain values.
 *
 * @param options - `every` and `first` are times between polls, and `perSecond` and `burst` limit the rate of all polls
 *   together. Options that you leave out keep their defaults.
 * @returns A layer to provide to the layer of a client.
 * @example
 * ```ts
 * import { Polling } from "@webagent/polling"
 * import { V4 } from "@webagent/v4"
 * import * as Layer from "effect/Layer"
 *
 * export const client = V4.layer().pipe(Layer.provide(Polling.layer({ every: "5 seconds", perSecond: 10 })))
 * ```
 */
export const layer = ({ burst, every, first, perSecond }: PollingOptions = {}): Layer.Layer<never> => {
  const paced = every === undefined ? PollSchedule.standard : PollSchedule.every(every)
  const schedule = first === undefined ? paced : PollSchedule.withFirst(paced, first)
  return Layer.mergeAll(
    every === undefined && first === undefined ? Layer.empty : Layer.succeed(PollSchedule.Current, schedule),
    perSecond === undefined && burst === undefined
      ? Layer.empty
      : (PollBudget.layer({ perSecond, burst }) as Layer.Layer<never>)
  )
}
