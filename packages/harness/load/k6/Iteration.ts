import type { Service } from "./Service.ts"
import type { Settings } from "./Settings.ts"

/** Results of `setup` for all iterations. */
export interface Prepared {
  /** A name that only this execution uses in the keys of its creates. */
  readonly execution: string
  /** The service returns the same browser for a repeated create with the same key. */
  readonly keysAreHonoured: boolean
  /** Runs to read the status of. */
  readonly runs: ReadonlyArray<string>
}

/** One start of a load test. */
export interface Iteration {
  /** Counts the starts of its flow in this k6. What a flow does in turns goes by it: the mix gives a flow every nth start. */
  readonly ordinal: number
  /** Its due time, in ms since 1970. A late start by k6 or a busy machine counts as waiting time. */
  readonly due_ms: number
  readonly service: Service
  readonly settings: Settings
  readonly prepared: Prepared
}

/** A way of using the service. */
export type Flow = (iteration: Iteration) => void
