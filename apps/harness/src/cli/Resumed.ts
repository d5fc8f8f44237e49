import type { Resumption } from "../run/events/Resumption.ts"

/** A run that was killed and goes on in this process. */
export interface Resumed extends Resumption {
  /** Its report directory. */
  readonly directory: string
  /** When it goes on. */
  readonly at: string
}
