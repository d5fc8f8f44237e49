import { RunNotFoundError } from "@webagent/contract"
import { isTerminalRunStatus, type Run, RunExtensions, type RunStatusView, V4Operations } from "@webagent/contract/v4"
import { runStatuses } from "@webagent/contract/Wire"
import {
  type CallError,
  CallOptions,
  ContractClient,
  Leaving,
  type OperationUnavailableError,
  RetryPolicy,
  Trace,
  Transport
} from "@webagent/core"
import { Elapsed, PollBudget, PollSchedule, Waiter, WaitTimeoutError } from "@webagent/polling"
import type * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"

/** Errors that reading a run can fail with. */
export type RunError = RunNotFoundError | CallError

/** Reads the next status of a run that is waited for. It may wait for a change. */
export type ReadStatus = (
  id: string,
  polled: Waiter.PolledState<RunStatusView>,
  read: Effect.Effect<RunStatusView, RunError>
) => Effect.Effect<RunStatusView, RunError>

/** Makes the reads of a client's waits, if a program provides any. By default, waits poll the cheap status. */
export const StatusReads = Context.Reference<Effect.Effect<ReadStatus, never, Transport> | undefined>(
  "@webagent/v4/StatusReads",
  { defaultValue: () => undefined }
)

const describedStatuses = new Set<string>(runStatuses)

/** Errors that canceling a run can fail with. */
export type CancelError = RunError | OperationUnavailableError

/** The service has just created the run: what hides it from us is no sign of a wrong address. */
const isAbsent = (error: unknown) => error instanceof RunNotFoundError || RetryPolicy.isOdd(error)

/** A run that is known to be over is read for at least this long, also when its wait's deadline is near or past. */
const lastRead_ms = 30_000

const rereads = PollSchedule.jittered(PollSchedule.every("1 second"))

const make = Effect.gen(function* () {
  const { runs: api } = yield* ContractClient.make("v4", V4Operations)
  const { cancel: cancelOnce } = yield* ContractClient.makeOptional("v4", "Runs", RunExtensions)
  const { closed, grace, onPoll, requestId } = yield* Transport
  const budget = yield* PollBudget.orDefault
  const reads = yield* StatusReads
  const readNext: ReadStatus = reads ? yield* reads : (_id, _polled, read) => read

  /** Removes a finished run from the ledger. */
  const settle = <A extends { readonly status: string }, E>(id: string, read: Effect.Effect<A, E>) =>
    Effect.flatMap(read, (seen) =>
      isTerminalRunStatus(seen.status) ? Effect.map(closed("run", id), () => seen) : Effect.succeed(seen)
    )

  const readStatus = (id: string) => api.status({ params: { run_id: id } })
  const readRun = (id: string) =>
    Trace.span("v4.Runs.get", { attributes: { "run.id": id } })(api.get({ params: { run_id: id } }))

  const retryable = (error: unknown, { answered, id, now_ms, silent_ms }: Waiter.Silence) =>
    RetryPolicy.forWait(error, answered, silent_ms) ??
    (isAbsent(error) && grace.isFresh(id, now_ms) ? { pause: RetryPolicy.standard.base } : undefined)

  const common = {
    kind: "run",
    requestId,
    budget,
    isTerminal: ({ status }: RunStatusView) => isTerminalRunStatus(status),
    statusOf: ({ status }: RunStatusView) => status
  }

  const waiter = yield* Waiter.make({
    ...common,
    check: (id, requestId, polled) =>
      Effect.tap(settle(id, CallOptions.poll(readNext(id, polled, readStatus(id)), requestId)), ({ status }) =>
        Effect.sync(() => onPoll({ kind: "run", id, status }))
      ),
    isKnown: ({ status }) => describedStatuses.has(status),
    retryable
  })

  /** Reads the full run once its status is terminal: an outage, or a copy that is behind, does not lose it. */
  const reader = yield* Waiter.make({
    ...common,
    check: (id, requestId) => CallOptions.poll(readRun(id), requestId),
    // three times as fast: what lasts is told before the least time for a last read is over
    retryable: (error, silence) => retryable(error, { ...silence, answered: true, silent_ms: 3 * silence.silent_ms })
  })

  /** One read for all who wait. */
  const readEnded = Effect.fnUntraced(function* (id: string, status: string, began_ms: number, timeout_ms: number) {
    const left_ms = began_ms + timeout_ms - (yield* Elapsed.now_ms)
    return yield* reader
      .untilTerminal(id, { first: 0, schedule: rereads, timeout: Math.max(left_ms, lastRead_ms) })
      .pipe(
        Effect.mapError((error) =>
          error instanceof WaitTimeoutError ? new WaitTimeoutError({ ...error, lastStatus: status }) : error
        )
      )
  })

  const cancel = (id: string) =>
    grace.forgive(id, cancelOnce({ params: { run_id: id } }), isAbsent).pipe(
      // whatever JSON a success brings, the run is canceled, and can be read
      Effect.catch((error) => (RetryPolicy.isOddSuccess(error) ? readRun(id) : Effect.fail(error)))
    )

  const release = (id: string) => CallOptions.forSure(settle(id, cancel(id)))
  const onNamed = yield* Leaving.onInterrupt("run", release)

  // no generator: it would stand for as long as the wait, and there may be thousands
  const untilTerminal = (id: string, options?: Waiter.ProgressOptions<RunStatusView>) =>
    Effect.flatMap(Elapsed.now_ms, (began_ms) =>
      Effect.flatMap(
        settle(id, waiter.untilTerminal(id, { ...options, first: options?.first ?? (reads && 0) })),
        ({ status }) => readEnded(id, status, began_ms, Duration.toMillis(options?.timeout ?? "30 minutes"))
      )
    )

  return RunWaiter.of({
    status: (id) => settle(id, grace.forgive(id, readStatus(id), isAbsent)),
    get: (id) => settle(id, grace.forgive(id, readRun(id), isAbsent)),
    cancel: (id) => settle(id, cancel(id)),
    release,
    onNamed,
    untilTerminal,
    watch: waiter.watch,
    budget
  })
})

/**
 * Reads runs, and waits for them by their cheap status: one poll loop a run for everyone who waits, all within one
 * budget.
 */
export class RunWaiter extends Context.Service<
  RunWaiter,
  {
    readonly status: (id: string) => Effect.Effect<RunStatusView, RunError>
    readonly get: (id: string) => Effect.Effect<Run, RunError>
    /** Cancels a run. Repeating it does no harm, so it's retried as a read is. */
    readonly cancel: (id: string) => Effect.Effect<Run, CancelError>
    /** Cancels a run that its wait leaves: for a minute, whatever the caller has chosen for calls. */
    readonly release: (id: string) => Effect.Effect<Run, CancelError | Cause.TimeoutError>
    /** Notes that a warning has named a run that goes on. */
    readonly onNamed: (id: string) => void
    /** The full run, read once its status is terminal. */
    readonly untilTerminal: (
      id: string,
      options?: Waiter.ProgressOptions<RunStatusView>
    ) => Effect.Effect<Run, RunError | WaitTimeoutError>
    readonly watch: (
      id: string,
      options?: Waiter.WaitOptions
    ) => Stream.Stream<RunStatusView, RunError | WaitTimeoutError>
    /** The poll budget that all waits share. */
    readonly budget: PollBudget["Service"]
  }
>()("@webagent/v4/RunWaiter") {
  static readonly layer: Layer.Layer<RunWaiter, never, Transport> = Layer.effect(this, make)
}
