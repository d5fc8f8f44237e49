import {
  type BrowserNotFound,
  Engine,
  type Event,
  Owner,
  type SessionNotFound,
  type StoreUnavailable,
  turnIdOf,
  type TurnNotFound
} from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { EventHub, type HubItem } from "../../api/EventHub.ts"
import { makeWorkOf } from "./BrowserHandlers.ts"
import { browserOf, callOf, runOf, sessionOf, stepOf } from "./Conversion.ts"

/** A change of a record, with the record as it is now. */
export interface LiveEventView {
  /** The position with which a client continues. */
  readonly id: string
  readonly event: string
  readonly data: unknown
}

type Change = Pick<LiveEventView, "event" | "data">

type Missing = BrowserNotFound | SessionNotFound | TurnNotFound

/** The changes that a client asks for. */
export interface LiveRequest {
  /** The position of the client's last event; null is from now on. */
  readonly after: string | null
  /** The run whose steps and model calls to send; null for none. */
  readonly run: string | null
}

/** Changes that arrive within this time are read together: a record that changed twice is read once. */
const together = "50 millis"

/** Maximum number of changes that are read together. */
const most = 500

/** Number of records that are read at the same time. */
const atOnce = 16

/** Sockets and streams are real, even if the clock of the service is simulated. */
const realClock = Clock.Clock.defaultValue()

const subjectOf = ({ id, of, step = 0 }: Event) => `${of} ${id} ${step}`

/** The position of a client as a number; a text that is none starts over with a reset. */
const positionOf = (after: string | null): number | null => {
  if (after === null) return null
  return /^\d{1,15}$/u.test(after) ? Number(after) : Number.MAX_SAFE_INTEGER
}

/** Streams changes with their records, for the owner of the current request. */
export const make = Effect.gen(function* () {
  const engine = yield* Engine
  const hub = yield* EventHub
  const workOf = makeWorkOf(engine)

  const run = (id: string) => Effect.map(engine.turn(id), (turn) => [{ event: "run", data: runOf(turn) }])
  const session = (id: string) =>
    Effect.map(engine.session(id), (state) => [{ event: "session", data: sessionOf(state.session) }])
  const browser = (id: string) =>
    Effect.flatMap(engine.browser(id), (one) =>
      Effect.map(workOf(one), (work) => [{ event: "browser", data: browserOf(one, work) }])
    )
  /** A step, and the run, because its number of steps and cost have changed with it. */
  const step = Effect.fnUntraced(function* (id: string, ordinal: number, withDetails: boolean) {
    const turn = yield* engine.turn(id)
    const row = { event: "run", data: runOf(turn) }
    if (!withDetails) return [row]
    const [steps, calls] = yield* Effect.all([engine.steps(id), engine.modelCalls(id)])
    return [
      row,
      ...steps.filter((one) => one.ordinal === ordinal).map((one) => ({ event: "step", data: stepOf(turn)(one) })),
      ...calls.filter((call) => call.step === ordinal).map((call) => ({ event: "modelCall", data: callOf(call) }))
    ]
  })

  const recordsOf = (
    { id, of, step: ordinal = 0 }: Event,
    inView: string | null
  ): Effect.Effect<ReadonlyArray<Change>, Missing | StoreUnavailable> => {
    switch (of) {
      case "turn":
        return run(id)
      case "session":
        return session(id)
      case "browser":
        return browser(id)
      case "step":
        return step(id, ordinal, id === inView)
    }
  }

  /** The records of changes, each once. One that was deleted, or that belongs to another owner, is left out. */
  const read = Effect.fnUntraced(function* (items: ReadonlyArray<HubItem>, inView: string | null) {
    const cursor = items.at(-1)?.cursor ?? 0
    const id = String(cursor)
    const changed = new Map<string, Event>()
    for (const item of items) if (item._tag === "Event") changed.set(subjectOf(item.event), item.event)
    const records = yield* Effect.forEach(
      changed.values(),
      (event) =>
        recordsOf(event, inView).pipe(
          Effect.catchTags({
            TurnNotFound: () => Effect.succeed([]),
            SessionNotFound: () => Effect.succeed([]),
            BrowserNotFound: () => Effect.succeed([])
          })
        ),
      { concurrency: atOnce }
    )
    const isReset = items.some(({ _tag }) => _tag === "Reset")
    const views: ReadonlyArray<LiveEventView> = [
      ...(isReset ? [{ id, event: "reset", data: {} }] : []),
      ...records.flat().map((record) => ({ id, ...record }))
    ]
    // the client's position moves even if nothing of the changes is for it
    return views.length === 0 ? [{ id, event: "ping", data: {} }] : views
  })

  return ({ after, run: inView }: LiveRequest): Stream.Stream<LiveEventView, unknown> =>
    Stream.unwrap(
      Effect.gen(function* () {
        const owner = yield* Owner
        // steps of other runs change their figures only, which the end of the run brings as well
        const fits = (event: Event) =>
          (owner === null || event.owner === owner) && (event.of !== "step" || turnIdOf(event) === inView)
        const newest = yield* engine.events.newestEvent
        const position = positionOf(after) ?? newest
        const first: LiveEventView = { id: String(Math.min(position, newest)), event: "ping", data: {} }
        const changes = hub.events(position, { fits }).pipe(
          Stream.groupedWithin(most, together),
          Stream.mapEffect((items) => read(items, inView)),
          Stream.flatMap(Stream.fromIterable)
        )
        return Stream.concat(Stream.make(first), changes)
      })
    ).pipe(Stream.provideService(Clock.Clock, realClock))
})
