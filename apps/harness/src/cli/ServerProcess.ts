import { describePlatformError } from "@webagent/cli/PlatformErrorText"
import type { UserError } from "@webagent/cli/UserError"
import * as Process from "@webagent/load/Process"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as ChildProcess from "effect/process/ChildProcess"
import * as Stream from "effect/Stream"

/** A server that a command starts in another process. */
interface ServerProcess {
  readonly program: string
  /** Its flags, besides the port. */
  readonly flags: ReadonlyArray<string>
  /** Matches the line that it prints once it listens, with the address in the first group. */
  readonly listening: RegExp
  /** The error for a server that doesn't start. */
  readonly cannotStart: (why: string) => UserError
  /** Advice if it exits without a reason. */
  readonly advice: string
}

/**
 * Starts `serve` of a program on a free port, in a process of its own that ends with the scope. Returns its address. Its
 * own sentence says why it can't start.
 */
export const start = ({ advice, cannotStart, flags, listening, program }: ServerProcess) =>
  Effect.gen(function* () {
    const handle = yield* Process.start(
      ChildProcess.make(process.execPath, [...process.execArgv, program, "serve", "--port", "0", ...flags], {
        stdin: "ignore",
        forceKillAfter: "10 seconds"
      })
    )
    const ready = yield* Deferred.make<string, UserError>()
    // both are read to their end: a process that writes into a full pipe waits
    const stdout = Stream.runForEach(Process.lines(handle.stdout), (line) => {
      const address = listening.exec(line)?.[1]
      return address === undefined ? Effect.void : Deferred.succeed(ready, address)
    })
    const ended = Effect.all([Stream.mkString(Stream.decodeText(handle.stderr)), stdout, handle.exitCode], {
      concurrency: 3
    }).pipe(
      Effect.flatMap(([stderr, , code]) => {
        const why = stderr.trim() || `It exited with code ${code} before it listened. ${advice}`
        return Deferred.fail(ready, cannotStart(why))
      })
    )
    yield* Effect.forkScoped(Effect.ignore(ended))
    return yield* Deferred.await(ready)
  }).pipe(Effect.catchTag("PlatformError", (error) => Effect.fail(cannotStart(`${describePlatformError(error)}.`))))
