import type * as Duration from "effect/Duration"
import * as Layer from "effect/Layer"
import { PollBudget, type PollBudgetOptions } from "./PollBudget.ts"
import * as PollSchedule from "./PollSchedule.ts"

/** The pace of all waits of a client. */
export interface PollingOptions extends PollBudgetOptions {
  /** The time between two polls; `PollSchedule.standard` unless told. */
  readonly every?: Duration.Input | undefined
  /** The time before the first poll; `every` unless told. */
  readonly first?: Duration.Input | undefined
}

/** The pace and the budget of the clients that are built with it; what is not told is as without it. */
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
