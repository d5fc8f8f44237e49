import type { Service } from "./Service.ts"
import type { Settings } from "./Settings.ts"

/** Results of `setup` for all iterations. */
export interface Prepared {
  /** A word of this execution alone, for the keys of its creates. */
  readonly execution: string
  /** True if the service answers a repeated create with the same key with the same browser. */
  readonly keysAreHonoured: boolean
  /** Runs to read the status of. */
  readonly runs: ReadonlyArray<string>
}

/** One start of a load test. */
export interface Iteration {
  /** Counts the starts of its flow in this k6. What a flow does in turns goes by it: the mix gives a flow every nth start. */
  readonly ordinal: number
  /** When it was due, in ms since 1970: what k6 or a busy machine starts late counts as time waited. */
  readonly due_ms: number
  readonly service: Service
  readonly settings: Settings
  readonly prepared: Prepared
}

/** Something that people do with the service. */
export type Flow = (iteration: Iteration) => void
