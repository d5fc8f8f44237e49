import * as Data from "effect/Data"

/**
 * The store does not answer. `applied` is `no` when nothing was written, and `unknown` when a commit may have been
 * carried out. A read is always `no`.
 */
export class StoreUnavailable extends Data.TaggedError("StoreUnavailable")<{
  readonly applied: "no" | "unknown"
  readonly cause: unknown
}> {
  /** The first message of the database, its driver or the network. */
  override get message(): string {
    let first = this.cause
    while (first instanceof Error && first.cause !== undefined) first = first.cause
    // a host with several addresses refuses at each one
    if (first instanceof AggregateError) return first.errors.map(({ message }: Error) => message).join(", ")
    return first instanceof Error ? first.message : String(first)
  }
}
