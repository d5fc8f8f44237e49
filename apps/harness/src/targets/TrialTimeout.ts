import * as Duration from "effect/Duration"
import type { Target } from "./Target.ts"

/** The longest a trial may take unless told otherwise. */
export const defaultTimeout = ({ simulated }: Pick<Target, "simulated">): Duration.Duration =>
  simulated ? Duration.seconds(30) : Duration.minutes(10)
