import * as Data from "effect/Data"

/** The database cannot be used as it is: what is wrong, and what to do about it. */
export class DatabaseError extends Data.TaggedError("DatabaseError")<{
  /** The file, or the address without its password. */
  readonly database: string
  readonly message: string
  /** Whether it may be usable again with nothing done to it here, as a server that restarts. */
  readonly isAway?: boolean
}> {}
