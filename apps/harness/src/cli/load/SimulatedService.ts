import { apiKeyHeader } from "@webagent/contract/Wire"
import type { LoadTarget } from "@webagent/load/LoadPlan"
import * as Process from "@webagent/load/Process"
import { describePlatformError } from "@webagent/cli/PlatformErrorText"
import { usage, type UserError } from "@webagent/cli/UserError"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as ChildProcess from "effect/process/ChildProcess"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"

/** The key of a simulated service that only this machine can reach. */
const apiKey = "wak_test"

const cannotStart = (why: string) => usage(`Cannot start the simulated service: ${why}`)

/**
 * Starts `serve` of this program in another process, so that the load and the service do not wait for each other in one
 * event loop; it ends with the scope. `profile` says how it behaves.
 */
export const start = Effect.fnUntraced(
  function* (profile: string | undefined) {
    const main = process.argv[1] ?? ""
    const handle = yield* Process.start(
      ChildProcess.make(
        process.execPath,
        [
          ...process.execArgv,
          main,
          "serve",
          "--port",
          "0",
          "--api-key",
          apiKey,
          ...(profile === undefined ? [] : ["--profile", profile])
        ],
        { stdin: "ignore", forceKillAfter: "10 seconds" }
      )
    )
    const ready = yield* Deferred.make<string, UserError>()
    // both are read to their end: a process that writes into a full pipe waits
    const stdout = Stream.runForEach(Process.lines(handle.stdout), (line) => {
      const address = /^simulated service on (http:\S+?),/u.exec(line)?.[1]
      return address === undefined ? Effect.void : Deferred.succeed(ready, address)
    })
    const ended = Effect.all([Stream.mkString(Stream.decodeText(handle.stderr)), stdout], { concurrency: 2 }).pipe(
      Effect.flatMap(([stderr]) => Deferred.fail(ready, cannotStart(stderr.trim())))
    )
    yield* Effect.forkScoped(Effect.ignore(ended))
    return {
      name: "simulated service",
      address: yield* Deferred.await(ready),
      apiKey: Redacted.make(apiKey),
      apiKeyHeader,
      simulated: true
    } satisfies LoadTarget
  },
  Effect.catchTag("PlatformError", (error) => Effect.fail(cannotStart(`${describePlatformError(error)}.`)))
)
