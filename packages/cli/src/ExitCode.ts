import * as Data from "effect/Data"
import * as Runtime from "effect/Runtime"

/** Ends a command whose result was reported. Exit code 1: failed or worse; 5: cannot tell, or slower by an unclear amount; 6: better; 130: stopped with Ctrl-C. */
export class ExitError extends Data.TaggedError("ExitError")<{ readonly exitCode: 1 | 5 | 6 | 130 }> {
  override readonly [Runtime.errorExitCode] = this.exitCode
  override readonly [Runtime.errorReported] = false
}

/** True for a command that serves until Ctrl-C, so that Ctrl-C is not a failure; it then ends with this exit code. */
export const servesUntilStopped = { now: false, exitCode: 0 }
