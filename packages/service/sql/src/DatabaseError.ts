import * as Data from "effect/Data"

/** The database cannot be used as it is: what is wrong, and what to do about it. */
export class DatabaseError extends Data.TaggedError("DatabaseError")<{
  /** The file, or the address without its password. */
  readonly database: string
  readonly message: string
  /** True if it may recover without any action here, for example a server that restarts. */
  readonly isAway?: boolean
}> {}
