import * as Data from "effect/Data"
import * as Runtime from "effect/Runtime"

/** Not everything passed, and the user has been told. Exit code 1, or 130 for what was stopped by hand. */
export class NotGreen extends Data.TaggedError("NotGreen")<{ readonly exitCode: 1 | 130 }> {
  override readonly [Runtime.errorExitCode] = this.exitCode
  override readonly [Runtime.errorReported] = false
}
