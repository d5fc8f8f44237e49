import { apiKeyHeader } from "@webagent/contract/Wire"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as ChildProcess from "effect/process/ChildProcess"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { type UserError, usage } from "@webagent/report/UserError"
import { describePlatformError } from "@webagent/report/PlatformErrorText"
import * as Child from "./Child.ts"

/** The service that a load test is sent to. */
export interface LoadTarget {
  readonly name: string
  readonly address: string
  readonly apiKey: Redacted.Redacted
  readonly apiKeyHeader: string
  readonly simulated: boolean
}

/** Whether an address is on this machine. No name is looked up: what cannot be said for sure is another machine. */
export const isThisMachine = (address: string): boolean =>
  /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/u.test(URL.parse(address)?.hostname ?? "")

/** The key of a simulated service that only this machine can reach. */
const apiKey = "wak_test"

const cannotStart = (why: string) => usage(`The simulated service cannot start: ${why}`)

/**
 * Starts `serve` of this program in another process, so that the load and the service do not wait for each other in one
 * event loop; it ends with the scope. `profile` says how it behaves.
 */
export const simulated = Effect.fnUntraced(
  function* (profile: string | undefined) {
    const main = process.argv[1] ?? ""
    const handle = yield* Child.start(
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
    const stdout = Stream.runForEach(Child.lines(handle.stdout), (line) => {
      const address = /^simulated service on (http:\S+?),/u.exec(line)?.[1]
      return address === undefined ? Effect.void : Deferred.succeed(ready, address)
    })
    const ended = Effect.all([Stream.mkString(Stream.decodeText(handle.stderr)), stdout], { concurrency: 2 }).pipe(
      Effect.flatMap(([said]) => Deferred.fail(ready, cannotStart(said.trim())))
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
