/** A move that a state machine does not have. */
export interface RefusedMove {
  readonly _tag: "RefusedMove"
  readonly from: string
  readonly event: string
}

/** The refusal of `event` in the state `from`. */
export const refused = (from: string, event: string): RefusedMove => ({ _tag: "RefusedMove", from, event })
