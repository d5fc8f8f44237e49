/** A follow-up for a session. */
export interface FollowUp {
  readonly text: string
  /** False, as unless told, runs it as the next turn; true runs it immediately. */
  readonly interrupt?: boolean | undefined
  /**
   * With `exact-text-v1`, a pending message of the session with the same text and mode is returned, and no second one
   * is queued.
   */
  readonly deduplicate?: "exact-text-v1" | undefined
}
