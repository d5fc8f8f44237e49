/** A transition that a state machine does not have. */
export interface InvalidTransition {
  readonly _tag: "InvalidTransition"
  readonly from: string
  readonly event: string
}

/** The state `from` has no transition for `event`. */
export const invalidTransition = (from: string, event: string): InvalidTransition => ({
  _tag: "InvalidTransition",
  from,
  event
})
