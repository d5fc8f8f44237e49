import { CannotError, type LiveMessage, type MissingError, RefusedError, type StartRun } from "@webagent/harness-api"
import * as Money from "@webagent/cli/Money"
import type { UserError } from "@webagent/cli/UserError"
import * as ByteSize from "effect/ByteSize"
import * as Cause from "effect/Cause"
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
import { type RunOptions, startedAs } from "../cli/RunFlags.ts"
import type * as ModuleFile from "../config/ModuleFile.ts"
import { ExchangeListener } from "../observe/ExchangeListener.ts"
import type { Seen } from "../observe/Seen.ts"
import * as EventLog from "../run/events/EventLog.ts"
import { PictureListener } from "../run/LiveSteps.ts"
import { PastReader } from "../run/NightHistory.ts"

/** A message about a running trial of this process, which no file has. */
export type OwnMessage = Extract<LiveMessage, { readonly _tag: "Exchange" | "Picture" }>

/** Latest messages of a run that a page gets when it begins to follow. */
const mostKept = 2000

/** The runs that this process carries out: one at a time. */
export interface OwnRuns {
  /** Starts a run, and returns its id as soon as it has begun. */
  readonly start: (request: StartRun) => Effect.Effect<string, CannotError | RefusedError>
  /** Stops a run, and waits until its report is written. */
  readonly stop: (run: string) => Effect.Effect<void, MissingError | CannotError>
  readonly isOurs: (run: string) => boolean
  /** The latest messages about a running run, and those to come. A page that follows both may get a message twice. */
  readonly messages: (run: string) => Stream.Stream<OwnMessage>
}

interface OwnRunsOptions {
  /** The options of the command line, which a request changes. */
  readonly options: RunOptions
  /** The names and addresses of targets. */
  readonly targetOf: (name: string) => Partial<RunOptions> | undefined
  readonly edition: Effect.Effect<ModuleFile.Edition>
  /** The most that a finished run may have cost, in USD; undefined if it has no report, or cost nothing that counts. */
  readonly costOf: (run: string) => Effect.Effect<string | undefined>
  readonly pastForRun: typeof PastReader.Service
}

const pause = "50 millis"

/** The files of a run: those of the command line, without its terminal. */
const reporters = ["json", "html", "junit", "markdown", "ndjson"] as const

const isPaidTarget = (target: string) => target !== "simulated"

const sentenceOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof Error ? error.message : String(error)
}

/** Makes the runs of a process. They end with the scope: each is stopped, and writes its report. */
export const make = Effect.fnUntraced(function* ({ costOf, edition, options, pastForRun, targetOf }: OwnRunsOptions) {
  const fs = yield* FileSystem.FileSystem
  const published = yield* PubSub.sliding<OwnMessage>(1024)
  /** Messages by their subject, the oldest first. */
  const kept = new Map<string, OwnMessage>()
  const put = (key: string, message: OwnMessage) => {
    kept.delete(key)
    kept.set(key, message)
    const [oldest] = kept.keys()
    if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest)
    PubSub.publishUnsafe(published, message)
  }
  const { runSuites } = yield* Effect.promise(() => import("../cli/run/runSuites.ts"))
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof runSuites>>>()
  let active: { readonly run: string; readonly fiber: Fiber.Fiber<void, unknown> } | undefined
  let spent_usd = "0"

  const isActive = () => active !== undefined && active.fiber.pollUnsafe() === undefined

  /** The options of a run: what a request names replaces what the command line has. */
  const optionsFor = Effect.fnUntraced(function* (request: StartRun, reportDir: string) {
    const { record, scenarios, suites, target, trial, trials, ...others } = request
    const named = target === undefined ? {} : targetOf(target)
    if (named === undefined) {
      return yield* new CannotError({ detail: `There is no target "${target}". Choose one of the project's targets.` })
    }
    const wanted = { ...startedAs(options, { record, trial, trials }), ...named, ...others, reportDir, reporters }
    const isPaid = wanted.allowPaid && isPaidTarget(wanted.target)
    const left_usd = options.maxCost === undefined ? undefined : Money.difference(options.maxCost, spent_usd)
    if (isPaid && left_usd !== undefined && Number(left_usd) <= 0) {
      return yield* new RefusedError({
        detail: `Earlier runs in this process have used up --max-cost ${options.maxCost}. Start the command again to run more.`
      })
    }
    return {
      ...wanted,
      ...(suites === undefined ? {} : { suites: [...suites], builtIn: false }),
      ...(scenarios === undefined ? {} : { scenarios }),
      ...(isPaid && left_usd !== undefined ? { maxCost: left_usd } : {})
    }
  })

  const ids = new WeakMap<Seen, number>()
  let exchanges = 0
  const listener =
    (run: string): NonNullable<typeof ExchangeListener.Service> =>
    (seen, { index, name }) => {
      const id = ids.get(seen) ?? ++exchanges
      ids.set(seen, id)
      put(`exchange ${id}`, {
        _tag: "Exchange",
        run,
        exchange: {
          id,
          title: name,
          index,
          at_ms: seen.at_ms,
          duration_ms: seen.endedAt_ms === undefined ? null : seen.endedAt_ms - seen.at_ms,
          method: seen.request.method,
          path: URL.parse(seen.request.url)?.pathname ?? "",
          status: seen.status ?? null,
          failure: seen.failure ?? null
        }
      })
    }
  const pictureListener =
    (run: string): PictureListener =>
    (trial, picture) =>
      Effect.sync(() =>
        put(`picture ${JSON.stringify(trial)} ${picture.runId}`, { _tag: "Picture", run, ...trial, picture })
      )

  /** Succeeds when the first event of a run is in its file. */
  const begun = (directory: string) =>
    fs.stat(join(directory, EventLog.fileName)).pipe(
      Effect.flatMap(({ size }) => (ByteSize.isZero(size) ? Effect.fail("empty" as const) : Effect.void)),
      Effect.retry(Schedule.spaced(pause)),
      Effect.ignore
    )

  // two pages may start one at the same time
  const oneAtATime = Semaphore.makeUnsafe(1)
  const start = Effect.fnUntraced(
    function* (request: StartRun) {
      if (isActive()) {
        return yield* new CannotError({ detail: `Run ${active?.run} is still running. Stop it, or wait for its end.` })
      }
      const directory = yield* Effect.mapError(
        Effect.provideService(ReportDirectory.create(undefined), FileSystem.FileSystem, fs),
        ({ message }: UserError) => new CannotError({ detail: message })
      )
      const run = basename(directory)
      const abandon = Effect.ignore(fs.remove(directory, { recursive: true }))
      const wanted = yield* Effect.tapError(optionsFor(request, directory), () => abandon)
      const body = runSuites(wanted, [], undefined, yield* edition).pipe(
        Effect.provideService(ExchangeListener, listener(run)),
        Effect.provideService(PastReader, pastForRun),
        Effect.provideService(PictureListener, pictureListener(run))
      )
      kept.clear()
      // the request's own services, such as its trace, are not those of the run
      const fiber = Effect.runForkWith(context)(
        Effect.ensuring(
          body,
          Effect.flatMap(costOf(run), (cost) =>
            Effect.sync(() => {
              if (cost !== undefined) spent_usd = Money.sum([spent_usd, cost])
            })
          )
        )
      )
      active = { run, fiber }
      const exit = yield* Effect.raceFirst(Effect.as(begun(directory), undefined), Fiber.await(fiber))
      if (exit === undefined || (yield* Effect.orElseSucceed(fs.exists(join(directory, "report.json")), () => false)))
        return run
      yield* abandon
      return yield* new CannotError({
        detail: Exit.isFailure(exit) ? sentenceOf(exit.cause) : "The run ended before it began."
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
