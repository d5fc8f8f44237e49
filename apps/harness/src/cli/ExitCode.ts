import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"

/** Ends a command whose result was reported. Exit code 1: failed or worse; 5: cannot tell, or slower by an unclear amount; 6: better; 130: stopped with Ctrl-C. */
export class ExitError extends Data.TaggedError("ExitError")<{ readonly exitCode: 1 | 5 | 6 | 130 }> {
  override readonly [Runtime.errorExitCode] = this.exitCode
  override readonly [Runtime.errorReported] = false
}

const exitCodes = {
  worse: 1,
  slower: 5,
  "cannot tell": 5,
  better: 6,
  faster: undefined,
  "within tolerance": undefined,
  "no difference seen": undefined
} as const

/** Ends a comparison, of nights or of services: each verdict has its own exit code. */
export const endWith = (verdict: keyof typeof exitCodes) => {
  const exitCode = exitCodes[verdict]
  return exitCode === undefined ? Effect.void : Effect.fail(new ExitError({ exitCode }))
}

/** True for a command that serves until Ctrl-C, so that Ctrl-C is not a failure. */
export const servesUntilStopped = { now: false }
