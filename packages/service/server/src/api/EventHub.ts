import {
  AdmissionRefused,
  Engine,
  type Event,
  type StoredEvent,
  type StoreUnavailable,
  turnIdOf
} from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as PubSub from "effect/PubSub"
import * as Queue from "effect/Queue"
import * as RcRef from "effect/RcRef"
import * as Stream from "effect/Stream"
import { Caller } from "./Caller.ts"
import { LinkOwners } from "./LinkOwners.ts"

/** An element of a stream of events. Its cursor is the position with which a client continues. */
export type HubItem =
  | ({ readonly _tag: "Event" } & StoredEvent)
  /** The events up to this position are no longer stored: the client has to read its records again. */
  | { readonly _tag: "Reset"; readonly cursor: number }
  /** Nothing happened for a while: the position that the client has reached, even if no event fits its filter. */
  | { readonly _tag: "Position"; readonly cursor: number }

/** The events that a client gets. Others count toward its position. */
export interface EventFilter {
  /** The events of this turn and of its steps. */
  readonly turnId?: string | undefined
  /** The events for which this is true, for example those of one owner. */
  readonly fits?: ((event: Event) => boolean) | undefined
}

/** The intervals of a hub. */
interface Intervals {
  /** Between two reads of the log without a hint, while there are clients. */
  readonly poll: Duration.Input
  /** From a hint to the read, so that the events of a moment are read together. */
  readonly gather: Duration.Input
  /** Between two positions that a client gets. */
  readonly keepAlive: Duration.Input
}

/** The intervals of a hub. */
export const EventIntervals: Context.Reference<Intervals> = Context.Reference("@webagent/server/EventIntervals", {
  defaultValue: (): Intervals => ({ poll: "1 second", gather: "10 millis", keepAlive: "15 seconds" })
})

/**
 * The changes of all records as they happen, at any node. One reader per process reads the log, and only while there
 * are clients. A client gets each event once and in order: a slow client's missed events are read from the store.
 *
 * @example
 * const program = Effect.gen(function* () {
 *   const hub = yield* EventHub
 *   const ofOwner = hub.events(null, { fits: ({ owner }) => owner === "ci" })
 *   yield* Stream.runForEach(ofOwner, (item) => Effect.log(item._tag, item.cursor))
 * })
 */
export class EventHub extends Context.Service<
  EventHub,
  {
    /** The events after a position; null is from now on. The stream ends when the server stops. */
    readonly events: (after: number | null, filter?: EventFilter) => Stream.Stream<HubItem, StoreUnavailable>
    /**
     * Makes a stream the caller's: it ends when the key is revoked, and after ten minutes, so that the client comes back
     * with a key that is still valid. Fails if the key has too many open streams, because each one costs memory.
     */
    readonly ofCaller: <A, E, R>(
      stream: Stream.Stream<A, E, R>
    ) => Effect.Effect<Stream.Stream<A, E, R>, AdmissionRefused>
  }
>()("@webagent/server/EventHub") {
  /** The hub of a server, over the log of its engine. */
  static get layer(): Layer.Layer<EventHub, never, Engine> {
    return Layer.effect(this, make)
  }
}

/** Maximum number of event streams that one key has open at this server. */
export const mostStreams = 200

/** Duration of a stream. A key that was rotated, or that lost a scope, has its streams no longer than this. */
const longestStream = "10 minutes"

/** Delay before a client with too many streams tries again. */
const streamRetryAfter_ms = 5000

/** Maximum number of events that a client may lag behind before it reads from the store. */
const capacity = 4096

/** Number of events that are read at a time. */
const pageSize = 500

/** A part of the log as the reader publishes it; a log that starts over, after a restore for example, is a reset. */
type Published = StoredEvent | { readonly reset: number }

const isReset = (published: Published): published is { readonly reset: number } => "reset" in published

const reset = (cursor: number): HubItem => ({ _tag: "Reset", cursor })

/** Reads the log and publishes its new events, until the scope closes. */
const makeReader = Effect.fnUntraced(function* (
  log: Engine["Service"]["events"],
  { gather, poll }: Omit<Intervals, "keepAlive">
) {
  const hinted = yield* Queue.sliding<unknown>(1)
  yield* Effect.forkScoped(Stream.runForEach(log.hints, () => Queue.offer(hinted, undefined)))
  const published = yield* Effect.acquireRelease(PubSub.sliding<Published>({ capacity }), PubSub.shutdown)
  let position = yield* log.newestEvent

  const read = Effect.gen(function* () {
    const newest = yield* log.newestEvent
    if (newest < position) {
      position = newest
      yield* PubSub.publish(published, { reset: newest })
    }
    while (newest > position) {
      const page = yield* log.eventsAfter(position, pageSize)
      const last = page.at(-1)
      if (last === undefined) break
      position = last.cursor
      yield* PubSub.publishAll(published, page)
    }
  })

  yield* read.pipe(
    Effect.catch((error) => Effect.logDebug("The event log cannot be read right now", error)),
    // hints may be lost, and other programs give none
    Effect.andThen(Effect.raceFirst(Effect.andThen(Queue.take(hinted), Effect.sleep(gather)), Effect.sleep(poll))),
    Effect.forever,
    Effect.provideService(Clock.Clock, realClock),
    Effect.forkScoped
  )
  return { published, position: () => position }
})

/** Sockets are real, even if the clock of the service is simulated. */
const realClock = Clock.Clock.defaultValue()

/** Counts the open streams of each key. */
const makeOfCaller = (): EventHub["Service"]["ofCaller"] => {
  const open = new Map<string, number>()
  return (stream) =>
    Effect.gen(function* () {
      const { key, name } = yield* Caller
      const owners = yield* LinkOwners
      const isFull = () => (open.get(name) ?? 0) >= mostStreams
      if (isFull()) {
        return yield* new AdmissionRefused({
          message: `This API key has ${mostStreams} open event streams, as many as it may have. Close some of them`,
          retryAfter_ms: streamRetryAfter_ms
        })
      }
      // counted while it runs: a response to HEAD, or to a client that is gone, never does
      return Stream.suspend(() => {
        if (isFull()) return Stream.empty
        open.set(name, (open.get(name) ?? 0) + 1)
        const leave = Effect.sync(() => {
          const left = (open.get(name) ?? 1) - 1
          if (left === 0) open.delete(name)
          else open.set(name, left)
        })
        const over = Effect.provideService(Effect.sleep(longestStream), Clock.Clock, realClock)
        const isOver = Effect.raceFirst(over, owners.revoked(key?.name ?? null))
        return Stream.ensuring(Stream.interruptWhen(stream, isOver), leave)
      })
    })
}

const make = Effect.gen(function* () {
  const { keepAlive, ...intervals } = yield* EventIntervals
  const { events: log } = yield* Engine
  const shared = yield* RcRef.make({ acquire: makeReader(log, intervals) })

  /** Reads the stored events after a position, up to another one. */
  const stored = (
    after: number,
    until: number,
    page: (cursor: number) => Effect.Effect<ReadonlyArray<StoredEvent>, StoreUnavailable>
  ): Stream.Stream<StoredEvent, StoreUnavailable> =>
    Stream.paginate(after, (cursor) =>
      Effect.map(page(cursor), (events) => {
        const fresh = events.filter((event) => event.cursor <= until)
        const last = fresh.at(-1)
        const isLast = last === undefined || fresh.length < pageSize || last.cursor >= until
        return [fresh, isLast ? Option.none<number>() : Option.some(last.cursor)] as const
      })
    )

  /** Reads what a client missed. Cursors have no gaps, so a gap shows that events were pruned. */
  const missed = (after: number, until: number): Stream.Stream<HubItem, StoreUnavailable> =>
    Stream.suspend(() => {
      let last = after
      return Stream.concat(
        Stream.flatMap(
          stored(after, until, (cursor) => log.eventsAfter(cursor, pageSize)),
          (event) => {
            const items: Array<HubItem> = [{ _tag: "Event", ...event }]
            if (event.cursor > last + 1) items.unshift(reset(event.cursor - 1))
            last = event.cursor
            return Stream.fromIterable(items)
          }
        ),
        Stream.suspend(() => (last < until ? Stream.make(reset(until)) : Stream.empty))
      )
    })

  /** Reads what a client of one turn missed, by index. */
  const missedOf = (turnId: string, after: number, until: number): Stream.Stream<HubItem, StoreUnavailable> =>
    Stream.unwrap(
      Effect.map(log.oldestEvent, (oldest) => {
        let isComplete = oldest <= after + 1
        const events = Stream.flatMap(
          stored(after, until, (cursor) => log.eventsOf(turnId, cursor, pageSize)),
          (event) => {
            // nothing was pruned before the event that created the turn
            const isGap = !isComplete && !(event.event.of === "turn" && event.event.from === null)
            isComplete = true
            const item: HubItem = { _tag: "Event", ...event }
            return isGap ? Stream.make(reset(event.cursor - 1), item) : Stream.make(item)
          }
        )
        return Stream.concat(
          events,
          Stream.suspend(() => (isComplete ? Stream.empty : Stream.make(reset(until))))
        )
      })
    )

  const events: EventHub["Service"]["events"] = (after, { fits = () => true, turnId } = {}) =>
    Stream.unwrap(
      Effect.gen(function* () {
        const reader = yield* RcRef.get(shared)
        // before the first read, so that no event falls between
        const live = yield* PubSub.subscribe(reader.published)
        const newest = after === null ? reader.position() : yield* log.newestEvent
        const start = after ?? newest
        let position = Math.min(start, newest)
        const isWanted = (item: HubItem) =>
          item._tag !== "Event" || ((turnId === undefined || turnIdOf(item.event) === turnId) && fits(item.event))

        const catchUp = (until: number, isFirst: boolean): Stream.Stream<HubItem, StoreUnavailable> => {
          const from = position
          position = until
          if (from >= until) return Stream.empty
          return isFirst && turnId !== undefined ? missedOf(turnId, from, until) : missed(from, until)
        }

        const next = (published: Published | "tick"): Stream.Stream<HubItem, StoreUnavailable> => {
          if (published === "tick") return Stream.make({ _tag: "Position", cursor: position })
          if (isReset(published)) {
            position = published.reset
            return Stream.make(reset(position))
          }
          if (published.cursor <= position) return Stream.empty
          const behind = catchUp(published.cursor - 1, false)
          position = published.cursor
          return Stream.concat(behind, Stream.make({ _tag: "Event", ...published }))
        }

        // positions are merged before they are counted: one must not overtake an event that is still on its way
        const ticks = Stream.tick(keepAlive).pipe(
          Stream.drop(1),
          Stream.map(() => "tick" as const),
          Stream.provideService(Clock.Clock, realClock)
        )
        const merged: Stream.Stream<Published | "tick"> = Stream.merge(Stream.fromSubscription(live), ticks, {
          haltStrategy: "left"
        })
        // a position of another log, such as that of a server before a restore
        const first = start > newest ? Stream.make(reset(newest)) : catchUp(newest, true)
        return Stream.filter(Stream.concat(first, Stream.flatMap(merged, next)), isWanted)
      })
    )

  return EventHub.of({ events, ofCaller: makeOfCaller() })
})
