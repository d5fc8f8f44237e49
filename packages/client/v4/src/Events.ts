import type { JsonObject } from "@webagent/contract"
import { isTerminalRunStatus, type RunEvent, type RunEventType, type RunStatusView } from "@webagent/contract/v4"
import { type CallChoices, CallOptions, OperationUnavailableError, RetryPolicy, Trace, Transport } from "@webagent/core"
import { Elapsed, PollSchedule, Waiter, WaitTimeoutError } from "@webagent/polling"
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as EventPages from "./EventPages.ts"
import { type ReadStatus, type RunError, RunWaiter, StatusReads } from "./RunWaiter.ts"

/**
 * An event of a run. The type is `run.` and the run's new status, that a step began, succeeded or failed, or another one
 * that the service sends. `reset` means that events before the next one are no longer stored.
 */
export interface WatchedEvent {
  readonly runId: string
  /** The position of the event. Pass it as `after` to continue. Undefined if the service has no events. */
  readonly id: number | undefined
  readonly type: RunEventType | "reset"
  /** When it happened, as ISO 8601 text. */
  readonly ts?: string | undefined
  /** The `status` of the run or the step, and the step's number, from 1. */
  readonly data?: (JsonObject & { readonly status?: string; readonly step?: number }) | undefined
}

/** Options of watching the events of a run. */
export interface WatchOptions extends Waiter.WaitOptions, Omit<CallChoices, "timeout"> {
  /** Begins after the event with this `id`; by default, with the run's first event. */
  readonly after?: number | undefined
}

/** Errors that watching the events of a run can fail with. */
export type WatchError = RunError | WaitTimeoutError

/** The events of a poll. */
interface Batch {
  readonly events: ReadonlyArray<WatchedEvent>
  readonly isLast: boolean
  readonly number: number
}

const isFinal = ({ type }: WatchedEvent) => isTerminalRunStatus(EventPages.statusIn(type) ?? "")

/** An event that tells a status, for a service that doesn't send it. */
const eventOf = (runId: string, id: number | undefined, { status }: RunStatusView): WatchedEvent => ({
  runId,
  id,
  type: `run.${status}` as RunEventType,
  data: { status }
})

const shown =
  (runId: string) =>
  ({ data, ...event }: RunEvent): WatchedEvent => ({ runId, ...event, data: data as WatchedEvent["data"] })

// by hand: Stream.flatMap and Stream.catch would put Effect's queues into every client, 5 kB

/** Emits the events of batches, without empty batches. A wait that timed out names the status of the run. */
const flattened = <E>(
  batches: Stream.Stream<Batch, E | WaitTimeoutError>,
  lastStatus: () => string | undefined
): Stream.Stream<WatchedEvent, E | WaitTimeoutError> =>
  Stream.transformPull(batches, (pull) => {
    const next: Pull.Pull<Arr.NonEmptyReadonlyArray<WatchedEvent>, E | WaitTimeoutError> = Effect.flatMap(
      pull,
      (some) => {
        const events = some.flatMap((batch) => batch.events)
        return Arr.isReadonlyArrayNonEmpty(events) ? Effect.succeed(events) : next
      }
    )
    const named = Effect.mapError(next, (error) => {
      const status = lastStatus()
      return error instanceof WaitTimeoutError && status !== undefined
        ? new WaitTimeoutError({ ...error, kind: error.kind, id: error.id, lastStatus: status })
        : error
    })
    return Effect.succeed(named)
  })

/** Continues with another stream if the service doesn't offer the operation. */
const orElsePolled = <E>(
  events: Stream.Stream<WatchedEvent, E | OperationUnavailableError>,
  polled: () => Stream.Stream<WatchedEvent, E>
): Stream.Stream<WatchedEvent, E> =>
  Stream.transformPull(events, (pull, scope) => {
    type Next = Pull.Pull<Arr.NonEmptyReadonlyArray<WatchedEvent>, E>
    let next: Next = pull.pipe(
      Effect.catch((error): Next => {
        if (!(error instanceof OperationUnavailableError)) return Effect.fail(error)
        return Effect.flatMap(Scope.provide(Stream.toPull(polled()), scope), (other) => (next = other))
      })
    )
    return Effect.succeed(Effect.suspend(() => next))
  })

const make = Effect.gen(function* () {
  const pages = yield* EventPages.make
  const { requestId } = yield* Transport
  const waiter = yield* RunWaiter
  let isUnavailable = false

  const polled = (id: string, options: Waiter.WaitOptions) =>
    Stream.map(waiter.watch(id, Waiter.atOnce(options)), (view) => eventOf(id, undefined, view))

  /** Follows the events of a run, page by page. A request that is held stands for the pause between two polls. */
  const followed = (
    id: string,
    after: number,
    options: Waiter.WaitOptions,
    base: PollSchedule.PollSchedule,
    deadline_ms: number
  ) => {
    const place = EventPages.placeAt(after)
    // kept until a poll succeeds as a whole
    let events: Array<WatchedEvent> = []
    let lastStatus: string | undefined
    let isPaced = false
    let number = 0

    const read = Effect.gen(function* () {
      const page = yield* pages.next(id, place, deadline_ms)
      if (page.isReset) events.push({ runId: id, id: place.position, type: "reset" })
      events.push(...page.events.map(shown(id)))
      lastStatus = page.events.reduce((last, { type }) => EventPages.statusIn(type) ?? last, lastStatus)
      return page
    })

    const check = Effect.gen(function* () {
      isPaced = true
      const page = yield* read
      isPaced = !page.isHeld && !page.hasMore
      let isLast = events.some(isFinal)
      const isSilent = page.events.length === 0 || page.isReset || page.events.some(EventPages.isUnclear)
      if (!isLast && isSilent) {
        const view = yield* waiter.status(id)
        lastStatus = view.status
        isLast = isTerminalRunStatus(view.status)
        if (isLast) {
          // what happened between the two reads
          place.hold_s = 0
          while ((yield* read).hasMore) continue
          if (!events.some(isFinal)) events.push(eventOf(id, place.position, view))
        }
      }
      const batch: Batch = { events, isLast, number: ++number }
      events = []
      return batch
    })

    const batches = Waiter.watch({
      ...options,
      kind: "run",
      id,
      check: Effect.flatMap(requestId, (chosen) => CallOptions.poll(check, chosen)),
      isTerminal: ({ isLast }) => isLast,
      statusOf: (batch: Batch) => String(batch.number),
      retryable: (error: RunError | OperationUnavailableError, { answered, silent_ms }) =>
        RetryPolicy.forWait(error, answered, silent_ms),
      budget: waiter.budget,
      schedule: { delay_ms: (moment) => (isPaced ? base.delay_ms(moment) : 0), jitter: base.jitter },
      first: 0
    })
    return flattened(batches, () => lastStatus)
  }

  const watch = (id: string, given?: WatchOptions) => {
    const { after = 0, ...options } = given ?? {}
    return Stream.unwrap(
      Effect.gen(function* () {
        if (isUnavailable) return polled(id, options)
        Waiter.checkTimes(options)
        const schedule = options.schedule ?? (yield* PollSchedule.Current)
        const time_ms = Duration.toMillis(Duration.fromInputUnsafe(options.timeout ?? "30 minutes"))
        const events = followed(id, after, options, schedule, (yield* Elapsed.now_ms) + time_ms)
        return orElsePolled(events, () => {
          isUnavailable = true
          return polled(id, options)
        })
      })
    ).pipe(CallOptions.provideToWatch(options), Trace.streamSpan("v4.Events.watch", { attributes: { "run.id": id } }))
  }

  return Events.of({ watch })
})

/**
 * The events of runs as they happen: each status and each step.
 *
 * @example
 * ```ts
 * import { V4 } from "@webagent/v4"
 * import { Events } from "@webagent/v4/events"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as Stream from "effect/Stream"
 *
 * const layer = Layer.provideMerge(Events.layer, V4.layer())
 *
 * export const program = (id: string) =>
 *   Events.use((events) =>
 *     Stream.runForEach(events.watch(id), ({ data, type }) => Effect.log(type, data?.step))
 *   ).pipe(Effect.provide(layer))
 * ```
 */
export class Events extends Context.Service<
  Events,
  {
    /**
     * Emits the events of a run, from its first one or from the one after `after`, and ends with its final status. If the
     * connection is cut, it continues at its position, so no event is lost or repeated.
     *
     * If the service has no events, the status is polled instead, and each new status is an event without an `id`.
     *
     * @param id - The id of the run.
     * @param options - `after` is the `id` of the last event that you have. `timeout` limits the wait: 30 minutes by
     *   default.
     * @returns A stream of events that ends after the final status.
     * @throws `RunNotFoundError` if the service has no run with this id.
     * @throws `WaitTimeoutError` if the run doesn't finish in time.
     * @example
     * ```ts
     * import { Events } from "@webagent/v4/events"
     * import * as Stream from "effect/Stream"
     *
     * export const types = (id: string) =>
     *   Events.use((events) => events.watch(id).pipe(Stream.map(({ type }) => type), Stream.runCollect))
     * ```
     */
    readonly watch: (id: string, options?: WatchOptions) => Stream.Stream<WatchedEvent, WatchError>
  }
>()("@webagent/v4/Events") {
  static readonly layer: Layer.Layer<Events, never, Transport> = Layer.effect(this, make).pipe(
    Layer.provide(RunWaiter.layer)
  )
}

/**
 * Makes reads of the status that wait for news by the events of the run. Each one is a poll that its wait's budget
 * allows, and takes the place of the pause before the next poll while the service holds requests.
 */
const statusReads = Effect.gen(function* () {
  const pages = yield* EventPages.make
  const places = new WeakMap<object, EventPages.Place>()
  let isUnavailable = false

  const change = Effect.fnUntraced(function* (
    id: string,
    polled: Waiter.PolledState<RunStatusView>,
    latest: RunStatusView,
    read: Effect.Effect<RunStatusView, RunError>
  ) {
    const place = places.get(polled) ?? EventPages.placeAt(0)
    places.set(polled, place)
    if (place.hold_s === 0 || !pages.canHold()) return yield* read
    let status: string | undefined
    while (true) {
      const page = yield* pages.next(id, place, polled.deadline_ms())
      status = page.events.reduce((last, { type }) => EventPages.statusIn(type) ?? last, status)
      if (page.hasMore) continue
      polled.pause_ms = page.isHeld ? 0 : Number.POSITIVE_INFINITY
      if (page.events.length === 0 || page.isReset || page.events.some(EventPages.isUnclear)) return yield* read
      return status === undefined || status === latest.status ? latest : ({ status } as RunStatusView)
    }
  })

  const readStatus: ReadStatus = (id, polled, read) => {
    const { latest } = polled
    // a service that doesn't hold requests is polled at the schedule's pace
    polled.pause_ms = latest === undefined && !isUnavailable ? 0 : Number.POSITIVE_INFINITY
    if (latest === undefined || isUnavailable) return read
    return Effect.catchTag(change(id, polled, latest, read), "OperationUnavailableError", () => {
      isUnavailable = true
      return read
    })
  }
  return readStatus
})

/**
 * Lets all waits of a client follow events, so that they notice the end of a run at once and send fewer requests. Each
 * waited run takes a connection, up to 50 of them; further waits poll, as all do if the service has no events.
 *
 * @example
 * ```ts
 * import { V4 } from "@webagent/v4"
 * import { layerWaits } from "@webagent/v4/events"
 * import * as Layer from "effect/Layer"
 *
 * export const layer = Layer.provide(V4.layer(), layerWaits)
 * ```
 */
export const layerWaits: Layer.Layer<never> = Layer.succeed(StatusReads, statusReads)
