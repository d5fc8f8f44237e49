import * as Context from "effect/Context"

/** The verdicts of the oracles in one trial. */
export interface OracleCount {
  held: number
  refuted: number
  /** The errors of those that could not look. */
  readonly unable: Array<unknown>
}

/** The count that `check.oracle` adds to; the runner gives every trial its own. */
export const OracleCount: Context.Reference<OracleCount> = Context.Reference("@webagent/scenario/OracleCount", {
  defaultValue: (): OracleCount => ({ held: 0, refuted: 0, unable: [] })
})
