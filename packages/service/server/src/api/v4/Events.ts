import { RunNotFoundError } from "@webagent/contract"
import type { RunEvent, RunEvents, RunEventType } from "@webagent/contract/v4"
import { Engine, type Event, Turn } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as LazyGroup from "../LazyGroup.ts"
import { EventHub, type HubItem } from "../EventHub.ts"
import { invalid } from "../Invalid.ts"
import * as ServerSentEvents from "../ServerSentEvents.ts"
import { Served } from "./Served.ts"

/** Number of events of a page, unless the query has a `limit`. */
const defaultLimit = 50

/** Number of a finished run's events that are read at a time. */
const pageSize = 500

/** The longest that a page waits for an event, in seconds. Proxies give up idle requests after a minute. */
const longestWait_s = 30

/** Returns the time in a request's `Prefer: wait=SECONDS`, in milliseconds; 0 without one. */
const waitOf = (prefer: string | undefined): number => {
  const [, seconds = "0"] = /(?:^|[,;])\s*wait=(\d{1,4})(?![^,;\s])/u.exec(prefer ?? "") ?? []
  return Math.min(Number(seconds), longestWait_s) * 1000
}

const stepTypes = { running: "run.step.started", succeeded: "run.step.succeeded", failed: "run.step.failed" } as const

const typeOf = ({ browserQueue, control, of, question, to }: Event): RunEventType => {
  if (question !== undefined) return `run.${question.change}`
  if (browserQueue !== undefined) return "run.browser.waiting"
  if (control !== undefined) return `run.control.${control}`
  return (of === "step" ? stepTypes[to as keyof typeof stepTypes] : `run.${to}`) as RunEventType
}

/** An event as v4 shows it. */
export const fromDomain = (id: number, event: Event): RunEvent => ({
  runId: event.id,
  id,
  ts: new Date(event.at_ms).toISOString(),
  type: typeOf(event),
  data: {
    status: event.to,
    ...(event.step === undefined ? {} : { step: event.step }),
    ...(event.browserQueue === undefined ? {} : { browserQueue: event.browserQueue }),
    ...(event.question === undefined ? {} : { questionId: event.question.id })
  }
})

const isLast = ({ event }: { readonly event: Event }) => event.of === "turn" && Turn.isTerminal(event.to)

/** The event with which a run finished, at a position: the log no longer has it. */
const finishOf = (turn: Turn.Turn, cursor: number): HubItem => ({
  _tag: "Event",
  cursor,
  event: {
    at_ms: turn.finishedAt_ms ?? turn.createdAt_ms,
    of: "turn",
    id: turn.id,
    sessionId: turn.sessionId,
    owner: turn.owner,
    from: null,
    to: turn.status
  }
})

const shown = (item: HubItem): ServerSentEvents.ServerSentEvent => {
  const { cursor: id } = item
  if (item._tag !== "Event") return { id, event: item._tag === "Reset" ? "reset" : "ping", data: {} }
  const data = fromDomain(id, item.event)
  return { id, event: data.type, data }
}

/** Makes the reads of a run's events. */
const make = Effect.gen(function* () {
  const engine = yield* Engine
  const hub = yield* EventHub
  const { eventsOf, newestEvent, oldestEvent } = engine.events

  /** The event with which a run finished, if it and all later events are gone. */
  const lostFinish = Effect.fnUntraced(function* (turn: Turn.Turn, after: number) {
    const oldest = yield* oldestEvent
    return after < oldest - 1 && Turn.isTerminal(turn.status) ? finishOf(turn, oldest - 1) : undefined
  })

  /** Returns whether events of the run after a position are gone. Its first event says that none was before it. */
  const isGap = Effect.fnUntraced(function* (after: number, first: Event | undefined) {
    const isFirst = first?.of === "turn" && first.from === null
    return !isFirst && after < (yield* oldestEvent) - 1
  })

  const list = Effect.fnUntraced(function* (turn: Turn.Turn, position: number, limit: number) {
    // read first, so that no event of the run up to it is missing on the page
    const newest = yield* newestEvent
    // a position of another log, such as that of a server before a restore
    const after = Math.min(position, newest)
    const stored = yield* eventsOf(turn.id, after, limit + 1)
    const reset = after < position || (yield* isGap(after, stored[0]?.event))
    const finish = stored.length === 0 ? yield* lostFinish(turn, after) : undefined
    const page = finish?._tag === "Event" ? [finish] : stored.slice(0, limit)
    const hasMore = stored.length > limit
    const last = page.at(-1)?.cursor ?? after
    const events: RunEvents = {
      events: page.map(({ cursor, event }) => fromDomain(cursor, event)),
      nextAfter: hasMore ? last : Math.max(last, newest),
      hasMore,
      reset
    }
    return events
  })

  /** As `list`, after waiting for an event of a run that has none yet and goes on. */
  const awaited = Effect.fnUntraced(function* (turn: Turn.Turn, after: number, limit: number, wait_ms: number) {
    const page = yield* list(turn, after, limit)
    if (page.events.length > 0 || page.reset || Turn.isTerminal(turn.status) || wait_ms === 0) return page
    const first = Stream.filter(hub.events(after, { turnId: turn.id }), ({ _tag }) => _tag !== "Position")
    const came = yield* Stream.runHead(first).pipe(
      Effect.timeoutOption(wait_ms),
      // the client's patience is real, even if the clock of the service is simulated
      Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
    )
    return Option.isNone(came) ? page : yield* list(turn, after, limit)
  })

  /** Returns the event with which the run finished, if a reset says that it is gone, too. */
  const afterReset = Effect.fnUntraced(function* (turnId: string, cursor: number) {
    const turn = yield* engine.turn(turnId)
    if (!Turn.isTerminal(turn.status)) return []
    const stored = yield* eventsOf(turnId, cursor, pageSize)
    return stored.some(isLast) ? [] : [finishOf(turn, cursor)]
  })

  /** The events of a run as they happen, until it has finished. */
  const stream = Effect.fnUntraced(function* (turn: Turn.Turn, after: number) {
    if (Turn.isTerminal(turn.status)) {
      const rest = yield* eventsOf(turn.id, after, pageSize)
      const finish = rest.length === 0 ? yield* lostFinish(turn, after) : undefined
      // an EventSource comes back unless it gets this status
      if (rest.length === 0 && finish === undefined) return HttpServerResponse.empty({ status: 204 })
    }
    const events = hub.events(after, { turnId: turn.id }).pipe(
      Stream.flatMap((item): Stream.Stream<HubItem, unknown> =>
        item._tag === "Reset"
          ? Stream.concat(Stream.make(item), Stream.fromIterableEffect(afterReset(turn.id, item.cursor)))
          : Stream.make(item)
      ),
      Stream.takeUntil((item) => item._tag === "Event" && isLast(item)),
      Stream.map(shown),
      // the client comes back for the rest
      Stream.catch((error) => Stream.fromEffectDrain(Effect.logDebug("A stream of events ended", error)))
    )
    return ServerSentEvents.respond(yield* hub.ofCaller(events))
  })

  return { list: awaited, stream }
})

/** The v4 operation on the events of a run. */
export const layer = LazyGroup.make(Served, "events", function* (handlers) {
  const engine = yield* Engine
  const { list, stream } = yield* make
  return handlers.handle("list", ({ params, query, request }) =>
    Effect.gen(function* () {
      const turn = yield* engine.turn(params.run_id.toLowerCase())
      const { after = 0, limit = defaultLimit } = query
      const { accept, "last-event-id": lastEventId, prefer } = request.headers
      if (!ServerSentEvents.isWanted(accept)) return yield* list(turn, after, limit, waitOf(prefer))
      const position = ServerSentEvents.positionOf(lastEventId)
      if (position === null) {
        return yield* invalid(["header", "last-event-id"], "Expected the id of an event of this server")
      }
      return yield* stream(turn, position ?? after)
    }).pipe(Effect.catchTag("TurnNotFound", () => Effect.fail(new RunNotFoundError({ detail: "Run not found" }))))
  )
})
