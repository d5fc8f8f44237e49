import * as Schema from "effect/Schema"
import * as Runtime from "effect/Runtime"

/**
 * Something the user can put right, said on stderr: one sentence first, below it what shows it. Exit code 2: how the program
 * was called; 3: the target does not respond as the service, or refuses the key; 4: a program that is needed is not there.
 */
export class UserError extends Schema.TaggedError<UserError>()("UserError", {
  message: Schema.String,
  exitCode: Schema.Literals([2, 3, 4])
}) {
  override readonly [Runtime.errorExitCode] = this.exitCode
}

/** A mistake in how the program was called; exit code 2. */
export const usage = (message: string) => new UserError({ message, exitCode: 2 })

/** A target that does not respond as the service does, or refuses the key; exit code 3. */
export const unreachable = (message: string) => new UserError({ message, exitCode: 3 })

/** A program that is needed and cannot be had; exit code 4. */
export const missing = (message: string) => new UserError({ message, exitCode: 4 })
