import type { PlatformError } from "effect/PlatformError"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import { describePlatformError } from "./PlatformErrorText.ts"

/**
 * An error that the user can fix: one sentence first, then details on further lines. Exit code 2: the program was called
 * wrongly; 3: the target doesn't respond as the service does, or refuses the key; 4: a required program is missing.
 */
export class UserError extends Schema.TaggedError<UserError>()("UserError", {
  message: Schema.String,
  exitCode: Schema.Literals([2, 3, 4]),
  /** The problem alone, without advice and without a period; absent if the message doesn't separate the two. */
  problem: Schema.optionalKey(Schema.String)
}) {
  override readonly [Runtime.errorExitCode] = this.exitCode
  // the command line prints the sentence alone, without a stack
  override readonly [Runtime.errorReported] = false
}

/** Makes the error of a port that another program listens on; `flag` sets the port. */
export const portInUse = (port: number, flag = "--port") =>
  usage(`Port ${port} is in use. Choose another with ${flag}, or 0 for any free port.`)

/** A mistake in how the program was called; exit code 2. */
export const usage = (message: string) => new UserError({ message, exitCode: 2 })

/** The same for an error of the system: what can't be done with a file, the reason, and advice if there is any. */
export const usageOf = (problem: string, advice = "") => {
  const after = advice === "" ? "" : ` ${advice}`
  return (error: PlatformError): UserError => usage(`${problem}: ${describePlatformError(error)}.${after}`)
}

/**
 * A target that does not respond as the service does, or refuses the key; exit code 3.
 *
 * @param advice the rest of the message, which tells the user how to fix the problem
 */
export const unreachable = (problem: string, advice = "") =>
  new UserError({ message: `${problem}${advice}`, exitCode: 3, problem })

/** A program that is needed and cannot be had; exit code 4. */
export const missing = (message: string) => new UserError({ message, exitCode: 4 })
