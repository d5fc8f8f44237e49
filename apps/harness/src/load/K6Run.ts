import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as ChildProcess from "effect/process/ChildProcess"
import type * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Child from "./Child.ts"
import type { K6 } from "./K6.ts"

/** One execution of a script. */
export interface K6RunOptions {
  readonly k6: K6
  readonly script: string
  readonly address: string
  readonly apiKey: Redacted.Redacted
  readonly apiKeyHeader: string
  readonly rate: number
  readonly duration: Duration.Duration
  /** Where the script writes its summary. */
  readonly summary: string
}

/** How k6 ended. */
export interface K6End {
  /** Undefined when a signal ended it. */
  readonly exitCode: number | undefined
  /** Stopped by hand, and k6 has closed what it could. */
  readonly interrupted: boolean
  /** The last lines that k6 wrote to its standard error. */
  readonly said: ReadonlyArray<string>
}

// k6's own variables would change the load, the rest of the environment is nothing to a load test
const inherited = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "TMPDIR", "SYSTEMROOT"]

const environment = (options: K6RunOptions) => ({
  ...Object.fromEntries(
    inherited.flatMap((name) => [name, name.toLowerCase()]).map((name) => [name, process.env[name]])
  ),
  NO_COLOR: "1",
  K6_NO_USAGE_REPORT: "true",
  K6_AUTO_EXTENSION_RESOLUTION: "false",
  WEBAGENT_BASE_URL: options.address,
  WEBAGENT_API_KEY: options.apiKey,
  WEBAGENT_API_KEY_HEADER: options.apiKeyHeader,
  WEBAGENT_LOAD_RATE: String(options.rate),
  WEBAGENT_LOAD_DURATION: `${Duration.toMillis(options.duration)}ms`,
  WEBAGENT_LOAD_SUMMARY: options.summary
})

// k6 prints a line for every request that fails
const kept = 10

/** Runs a script to its end. An interruption asks k6 to stop, which ends its iterations and still sums up. */
export const run = Effect.fnUntraced(
  function* (options: K6RunOptions) {
    const said: Array<string> = []
    const handle = yield* Child.start(
      ChildProcess.make(options.k6.path, ["run", "--quiet", options.script], {
        env: environment(options),
        stdin: "ignore",
        // the script's own table; ours comes from the summary
        stdout: "ignore"
      })
    )
    const listening = yield* Child.lines(handle.stderr).pipe(
      Stream.runForEach((line) =>
        Effect.sync(() => {
          said.push(line)
          if (said.length > kept) said.shift()
        })
      ),
      Effect.ignore,
      Effect.forkScoped
    )
    const first = yield* Effect.exit(Effect.interruptible(handle.exitCode))
    const interrupted = Exit.isFailure(first) && Cause.hasInterrupts(first.cause)
    if (interrupted) yield* Effect.ignore(handle.kill({ killSignal: "SIGINT", forceKillAfter: "15 seconds" }))
    const exit = interrupted ? yield* Effect.exit(handle.exitCode) : first
    yield* Effect.exit(Fiber.join(listening))
    return { exitCode: Exit.isSuccess(exit) ? Number(exit.value) : undefined, interrupted, said } satisfies K6End
  },
  Effect.scoped,
  Effect.uninterruptible
)

const meanings: Readonly<Record<number, string>> = {
  100: "its setup took too long",
  101: "its teardown took too long",
  104: "it does not take its options",
  105: "something else stopped it",
  107: "the script could not be loaded, or threw an error",
  108: "the script gave up",
  109: "it has a bug and crashed",
  110: "the script called the test failed"
}

/** Why a run of k6 says nothing about its target, in a few words; undefined when it does. */
export const failure = ({ exitCode, interrupted }: K6End): string | undefined => {
  if (exitCode === 0 || exitCode === 99 || (interrupted && exitCode === 105)) return undefined
  if (exitCode === undefined) return "a signal ended it"
  return `${meanings[exitCode] ?? "it does not say why"} (exit code ${exitCode})`
}
