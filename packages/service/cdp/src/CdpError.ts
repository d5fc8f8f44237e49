import * as Data from "effect/Data"

/** A command failed, or the connection could not be opened. */
export class CdpError extends Data.TaggedError("CdpError")<{
  /** The command, or `connect`. */
  readonly method: string
  readonly message: string
  /**
   * - `refused`: the browser returned an error; `code` is its JSON-RPC code
   * - `timeout`: the browser returned nothing in time
   * - `detached`: the page was closed, so further commands to it fail
   * - `closed`: there is no connection, so all further commands fail
   */
  readonly reason: "refused" | "timeout" | "detached" | "closed"
  readonly code?: number
}> {}
