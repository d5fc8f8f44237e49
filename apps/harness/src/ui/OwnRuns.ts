import { CannotError, type MissingError, RefusedError, type StartRun } from "@webagent/harness-api"
import * as Money from "@webagent/cli/Money"
import type { UserError } from "@webagent/cli/UserError"
import * as ByteSize from "effect/ByteSize"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as PubSub from "effect/PubSub"
import * as Schedule from "effect/Schedule"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { basename, join } from "node:path"
import * as ReportDirectory from "../cli/reports/ReportDirectory.ts"
import type { RunOptions } from "../cli/RunFlags.ts"
import * as EventLog from "../run/events/EventLog.ts"
import * as RunProcess from "./RunProcess.ts"

/** Latest messages of a run that a page gets when it begins to follow. */
const mostKept = 2000

/** The runs that this process starts: one at a time, each in a process of its own. */
export interface OwnRuns {
  /** Starts a run, and returns its id as soon as it has begun. */
  readonly start: (request: StartRun) => Effect.Effect<string, CannotError | RefusedError>
  /** Stops a run, and waits until its report is written. */
  readonly stop: (run: string) => Effect.Effect<void, MissingError | CannotError>
  readonly isOurs: (run: string) => boolean
  /** The latest messages about a running run, and those to come. A page that follows both may get a message twice. */
  readonly messages: (run: string) => Stream.Stream<RunProcess.OwnMessage>
}

interface OwnRunsOptions {
  /** The options of the command line, which a request changes. */
  readonly options: RunOptions
  /** The names and addresses of targets. */
  readonly targetOf: (name: string) => Partial<RunOptions> | undefined
  /** The most that a finished run may have cost, in USD; undefined if it has no report, or cost nothing that counts. */
  readonly costOf: (run: string) => Effect.Effect<string | undefined>
}

const pause = "50 millis"

/** The files of a run: those of the command line, without its terminal. */
const reporters = ["json", "html", "junit", "markdown", "ndjson"] as const

const isPaidTarget = (target: string) => target !== "simulated"

const sentenceOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof Error ? error.message : String(error)
}

/** The subject of a message: only its latest message is kept. */
const keyOf = (message: RunProcess.OwnMessage): string =>
  message._tag === "Exchange"
    ? `exchange ${message.exchange.id}`
    : `picture ${JSON.stringify([message.suite, message.scenario, message.index])} ${message.picture.runId}`

/** Makes the runs of a process. They end with the scope: each is stopped, and writes its report. */
export const make = Effect.fnUntraced(function* ({ costOf, options, targetOf }: OwnRunsOptions) {
  const fs = yield* FileSystem.FileSystem
  const published = yield* PubSub.sliding<RunProcess.OwnMessage>(1024)
  /** Messages by their subject, the oldest first. */
  const kept = new Map<string, RunProcess.OwnMessage>()
  const put = (message: RunProcess.OwnMessage) => {
    const key = keyOf(message)
    kept.delete(key)
    kept.set(key, message)
    const [oldest] = kept.keys()
    if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest)
    PubSub.publishUnsafe(published, message)
  }
  let active:
    | { readonly run: string; readonly directory: string; readonly fiber: Fiber.Fiber<void, CannotError> }
    | undefined
  let spent_usd = "0"

  const isActive = () => active !== undefined && active.fiber.pollUnsafe() === undefined

  /** Returns the changes to the options of the command line that a request makes. The limits are those of this process. */
  const changesFor = Effect.fnUntraced(function* (request: StartRun, reportDir: string) {
    const { suites, target: name, ...others } = request
    const named = name === undefined ? {} : targetOf(name)
    if (named === undefined) {
      return yield* new CannotError({ detail: `There is no target "${name}". Choose one of the project's targets.` })
    }
    const { allowPaid } = options
    const target = named.target ?? options.target
    const isPaid = allowPaid && isPaidTarget(target)
    const left_usd = options.maxCost === undefined ? undefined : Money.difference(options.maxCost, spent_usd)
    if (isPaid && left_usd !== undefined && Number(left_usd) <= 0) {
      return yield* new RefusedError({
        detail: `Earlier runs in this process have used up --max-cost ${options.maxCost}. Start the command again to run more.`
      })
    }
    const { apiKeyEnv, apiKeyHeader, control, v2SessionId } = options
    return {
      apiKeyEnv,
      ...(apiKeyHeader === undefined ? {} : { apiKeyHeader }),
      ...(control === undefined ? {} : { control }),
      ...(v2SessionId === undefined ? {} : { v2SessionId }),
      ...named,
      ...others,
      allowPaid,
      target,
      reportDir,
      reporters,
      ...(suites === undefined ? {} : { suites: [...suites], builtIn: false }),
      ...(isPaid && left_usd !== undefined ? { maxCost: left_usd } : {})
    } satisfies RunProcess.Changes
  })

  /** True if the first event of a run is in its file. */
  const hasBegun = (directory: string) =>
    Effect.match(fs.stat(join(directory, EventLog.fileName)), {
      onFailure: () => false,
      onSuccess: ({ size }) => !ByteSize.isZero(size)
    })
  const begun = (directory: string) =>
    Effect.repeat(hasBegun(directory), { schedule: Schedule.spaced(pause), until: Boolean })

  const hasReport = (directory: string) => Effect.orElseSucceed(fs.exists(join(directory, "report.json")), () => false)

  /** The most that a run may have cost: what it was allowed to if its process ended without a report. */
  const mostCostOf = Effect.fnUntraced(function* (directory: string, { maxCost }: RunProcess.Changes) {
    if (yield* hasReport(directory)) return yield* costOf(basename(directory))
    return (yield* hasBegun(directory)) ? maxCost : undefined
  })

  // two pages may start one at the same time
  const oneAtATime = Semaphore.makeUnsafe(1)
  const start = Effect.fnUntraced(
    function* (request: StartRun) {
      // its page has its report already
      if (active !== undefined && (yield* hasReport(active.directory))) yield* Fiber.await(active.fiber)
      if (isActive()) {
        return yield* new CannotError({ detail: `Run ${active?.run} is still running. Stop it, or wait for its end.` })
      }
      const directory = yield* Effect.mapError(
        Effect.provideService(ReportDirectory.create(undefined), FileSystem.FileSystem, fs),
        ({ message }: UserError) => new CannotError({ detail: message })
      )
      const run = basename(directory)
      const abandon = Effect.ignore(fs.remove(directory, { recursive: true }))
      const changes = yield* Effect.tapError(changesFor(request, directory), () => abandon)
      kept.clear()
      const fiber = Effect.runFork(
        RunProcess.run(changes, put).pipe(
          // a suite may have called process.exit()
          Effect.andThen(
            Effect.flatMap(hasReport(directory), (hasEnded) =>
              hasEnded
                ? Effect.void
                : Effect.fail(new CannotError({ detail: "The run's process exited before it wrote its report." }))
            )
          ),
          Effect.tapError(({ detail }) =>
            Effect.flatMap(hasBegun(directory), (begun) =>
              begun ? Console.error(`Run ${run}: ${detail}`) : Effect.void
            )
          ),
          Effect.ensuring(
            Effect.flatMap(mostCostOf(directory, changes), (cost) =>
              Effect.sync(() => {
                if (cost !== undefined) spent_usd = Money.sum([spent_usd, cost])
              })
            )
          )
        )
      )
      active = { run, directory, fiber }
      const exit = yield* Effect.raceFirst(Effect.as(begun(directory), undefined), Fiber.await(fiber))
      if (exit === undefined || (yield* hasBegun(directory))) return run
      yield* abandon
      return yield* new CannotError({
        detail: exit !== undefined && Exit.isFailure(exit) ? sentenceOf(exit.cause) : "The run ended before it began."
      })
    },
    (effect) => oneAtATime.withPermit(effect)
  )

  const stop = Effect.fnUntraced(function* (run: string) {
    if (active?.run !== run) {
      return yield* new CannotError({
        detail: `Run ${run} is not a run of this process. Stop it with Ctrl-C where it was started.`
      })
    }
    if (!isActive()) return yield* new CannotError({ detail: `Run ${run} has already finished.` })
    yield* Fiber.interrupt(active.fiber)
  })

  const messages = (run: string) =>
    Stream.merge(Stream.fromIterable([...kept.values()]), Stream.fromPubSub(published)).pipe(
      Stream.filter((message) => message.run === run)
    )

  yield* Effect.addFinalizer(() => (active === undefined ? Effect.void : Fiber.interrupt(active.fiber)))
  return { start, stop, isOurs: (run) => active?.run === run && isActive(), messages } satisfies OwnRuns
})
