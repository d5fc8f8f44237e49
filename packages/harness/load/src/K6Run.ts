import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as ChildProcess from "effect/process/ChildProcess"
import type * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import * as Process from "./Process.ts"
import * as K6Log from "./K6Log.ts"
import type { K6 } from "./K6.ts"
import * as K6Control from "./K6Control.ts"
import type { Output } from "./Output.ts"

/** One execution of a script. */
export interface K6RunOptions {
  readonly k6: K6
  readonly script: string
  /** The variables of the script. */
  readonly variables: Readonly<Record<string, string | Redacted.Redacted>>
  /** Number of processes that share the load; they start together. */
  readonly segments: number
  /** Folder for the scripts' summaries. */
  readonly folder: string
  /** File for k6's own dashboard; none by default. */
  readonly dashboard?: string | undefined
  /** Additional destinations of k6's metrics. */
  readonly outputs?: ReadonlyArray<Output>
  /** Takes each line of k6's standard output: the points, as CSV. */
  readonly onLine: (line: string) => void
}

/** The end of a k6 process. */
interface K6End {
  /** Undefined when a signal ended it. */
  readonly exitCode: number | undefined
  /** Stopped by the user, and k6 has closed what it could. */
  readonly interrupted: boolean
  /** It has crossed a threshold that ends the test. */
  readonly aborted: boolean
  /** Stopped because another process did. */
  readonly stopped: boolean
  /** The last lines that k6 wrote to standard error. */
  readonly stderr: ReadonlyArray<string>
  /** Its warnings and errors. */
  readonly log: ReadonlyArray<K6Log.LogMessage>
}

// k6's own variables would change the load, the rest of the environment is nothing to a load test
const inherited = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "TMPDIR", "SYSTEMROOT"]

/** The file of the summary that a segment writes. */
export const summaryFile = (folder: string, segment: number): string => join(folder, `summary-${segment}.json`)

/** The file of k6's own settings: none, and not those of the working directory, which could send the load elsewhere. */
export const configFile = (folder: string): string => join(folder, "config.json")

const environment = ({ dashboard, folder, outputs = [], variables }: K6RunOptions, segment: number, word: string) => ({
  ...Object.fromEntries(
    inherited.flatMap((name) => [name, name.toLowerCase()]).map((name) => [name, process.env[name]])
  ),
  NO_COLOR: "1",
  K6_CONFIG: configFile(folder),
  K6_NO_USAGE_REPORT: "true",
  K6_AUTO_EXTENSION_RESOLUTION: "false",
  K6_CSV_TIME_FORMAT: "unix_milli",
  ...(dashboard === undefined
    ? {}
    : {
        K6_WEB_DASHBOARD: "true",
        K6_WEB_DASHBOARD_PORT: "-1",
        K6_WEB_DASHBOARD_PERIOD: "1s",
        K6_WEB_DASHBOARD_EXPORT: dashboard
      }),
  ...Object.fromEntries(outputs.flatMap((output) => Object.entries(output.variables))),
  ...variables,
  WEBAGENT_LOAD_SUMMARY: summaryFile(folder, segment),
  WEBAGENT_LOAD_EXECUTION: `${word}-${segment}`
})

/** The flags that give a process its share, paused until all are ready. */
const segmentFlags = (segment: number, segments: number, address: string) => {
  const bound = (index: number) => (index === 0 ? "0" : index === segments ? "1" : `${index}/${segments}`)
  const sequence = Array.from({ length: segments + 1 }, (_, index) => bound(index)).join(",")
  return [
    "--execution-segment",
    `${bound(segment)}:${bound(segment + 1)}`,
    "--execution-segment-sequence",
    sequence,
    "--paused",
    "--address",
    address
  ]
}

// the script looks at its end for browsers that were cut off; a second Ctrl-C does not wait for it
const patience = "2 minutes"

// k6 prints a line for every request that fails
const kept = 10

const start = Effect.fnUntraced(function* (options: K6RunOptions, segment: number, word: string) {
  const { k6, onLine, outputs = [], script, segments } = options
  const address = segments === 1 ? undefined : yield* K6Control.freeAddress
  const handle = yield* Process.start(
    ChildProcess.make(
      k6.path,
      [
        "run",
        "--quiet",
        script,
        ...["csv=-", ...outputs.map(({ flag }) => flag)].flatMap((output) => ["--out", output]),
        ...(address === undefined ? [] : segmentFlags(segment, segments, address))
      ],
      { env: environment(options, segment, word), stdin: "ignore" }
    )
  )
  const stderr: Array<string> = []
  const log = K6Log.make()
  const listen = [
    Stream.runForEach(Process.lines(handle.stdout), (line) => Effect.sync(() => onLine(line))),
    Stream.runForEach(Process.lines(handle.stderr), (line) =>
      Effect.sync(() => {
        log.take(line)
        stderr.push(line)
        if (stderr.length > kept) stderr.shift()
      })
    )
  ]
  const listening = yield* Effect.all(listen, { concurrency: "unbounded" }).pipe(Effect.ignore, Effect.forkScoped)
  return { address, handle, listening, stderr, log }
})

/** The exit code of a process; undefined when a signal ended it. */
const codeOf = (exit: Exit.Exit<number, unknown> | undefined): number | undefined =>
  exit !== undefined && Exit.isSuccess(exit) ? Number(exit.value) : undefined

/**
 * Returns whether k6 stopped early because of a threshold; a threshold that is judged at the end has the same exit
 * code.
 */
const isAborted = (stderr: ReadonlyArray<string>) => stderr.some((line) => line.includes("abortOnFail enabled"))

/** Runs a script once, in processes whose addresses were free just before. */
const runOnce = Effect.fnUntraced(function* (options: K6RunOptions) {
  const segments = Array.from({ length: options.segments }, (_, segment) => segment)
  // names the creates of this load alone
  const word = randomUUID()
  const processes = yield* Effect.forEach(segments, (segment) => start(options, segment, word))
  const addresses = processes.flatMap(({ address }) => address ?? [])
  const all = { concurrency: "unbounded" } as const
  type Process = (typeof processes)[number]
  const stopping = new Set<Process>()
  const exited = new Set<Process>()
  let working = false
  const signal = ({ handle }: Process) => Effect.ignore(handle.kill({ killSignal: "SIGINT", forceKillAfter: patience }))
  // a second request makes k6 exit at once, without its summary
  const once = (process: Process, stop: (process: Process) => Effect.Effect<unknown>) =>
    Effect.suspend(() => {
      if (stopping.has(process) || exited.has(process)) return Effect.void
      stopping.add(process)
      return stop(process)
    })
  const interrupt = (process: Process) => once(process, signal)
  // from its last iteration on k6 takes a signal no longer as a wish, and would end before it has summed up
  const ask = (process: Process) =>
    once(process, ({ address, handle }) =>
      working && address !== undefined
        ? K6Control.stop(address).pipe(
            Effect.ignore,
            Effect.andThen(Effect.exit(handle.exitCode)),
            Effect.timeoutOrElse({ duration: patience, orElse: () => signal(process) })
          )
        : signal(process)
    )
  const endOf = Effect.fnUntraced(function* (process: Process) {
    const exit = yield* Effect.exit(process.handle.exitCode)
    exited.add(process)
    yield* Effect.exit(Fiber.join(process.listening))
    // without its share the load is another one, and says nothing
    const isMissing =
      failure({ exitCode: codeOf(exit), interrupted: false, stopped: stopping.has(process) }) !== undefined
    if (isAborted(process.stderr) || isMissing) yield* Effect.forEach(processes, ask, all)
    return exit
  })
  const allExits = Effect.forEach(processes, endOf, all)
  // one that ends before it is ready will not be, and the others do not begin
  const ready = Effect.forEach(addresses, (address) => Effect.ignore(K6Control.awaitReady(address)), all)
  const begin = Effect.suspend(() => {
    working = true
    return Effect.forEach(addresses, (address) => Effect.ignore(K6Control.begin(address)), all)
  })
  const becameReady = Effect.raceFirst(
    Effect.as(ready, true),
    Effect.raceAllFirst(processes.map(({ handle }) => Effect.as(Effect.exit(handle.exitCode), false)))
  )
  const load = Effect.andThen(
    Effect.flatMap(becameReady, (areReady) => (areReady ? begin : Effect.void)),
    allExits
  )
  const first = yield* Effect.exit(Effect.interruptible(load))
  const interrupted = Exit.isFailure(first) && Cause.hasInterrupts(first.cause)
  if (interrupted) yield* Effect.forEach(processes, interrupt, all)
  const exits = Exit.isSuccess(first) ? first.value : yield* allExits
  return processes.map((process, segment): K6End => {
    const { stderr } = process
    const exit = exits[segment]
    return {
      exitCode: codeOf(exit),
      interrupted,
      aborted: isAborted(stderr),
      stopped: stopping.has(process),
      stderr,
      log: process.log.messages()
    }
  })
}, Effect.scoped)

// k6's CannotStartRESTAPI
const addressTaken = 106

// a port that is free when k6 starts can be another program's when k6 gets to it
const attempts = 5

/**
 * Runs a script to its end, in one process or in several that begin together. A threshold that ends one of them ends the
 * test, and so does one that fails: the others are asked to stop. An interruption asks each k6 to
 * stop, which ends its iterations and still writes the summary.
 */
export const run = (options: K6RunOptions): ReturnType<typeof runOnce> => {
  const attempt = (left: number): ReturnType<typeof runOnce> =>
    Effect.flatMap(runOnce(options), (ends) =>
      left > 1 && ends.some(({ exitCode, interrupted }) => exitCode === addressTaken && !interrupted)
        ? attempt(left - 1)
        : Effect.succeed(ends)
    )
  return Effect.uninterruptible(attempt(attempts))
}

const meanings: Readonly<Record<number, string>> = {
  100: "its setup timed out",
  101: "its teardown timed out",
  104: "its options are not valid",
  105: "another program stopped it",
  106: "another program took its address each time",
  107: "the script failed to load or threw an error",
  108: "the script aborted the test",
  109: "it crashed, which is a bug of k6",
  110: "the script marked the test as failed"
}

/** Returns the reason why a k6 run has no result about its target, in a few words; undefined if it has one. */
export const failure = ({
  exitCode,
  interrupted,
  stopped
}: Pick<K6End, "exitCode" | "interrupted" | "stopped">): string | undefined => {
  if (exitCode === 0 || exitCode === 99) return undefined
  // a k6 that is already ending ignores the request, and the signal ends it; its summary has the results so far
  if ((interrupted || stopped) && (exitCode === 103 || exitCode === 105 || exitCode === undefined)) return undefined
  if (exitCode === undefined) return "a signal killed it"
  return `${meanings[exitCode] ?? "unknown reason"} (exit code ${exitCode})`
}
