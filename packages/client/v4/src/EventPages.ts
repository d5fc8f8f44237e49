import { RunNotFoundError } from "@webagent/contract"
import { listEvents, type RunEvent, type RunEventType } from "@webagent/contract/v4"
import { runStatuses } from "@webagent/contract/Wire"
import { CallOptions, ContractClient, type OperationUnavailableError, Transport, TransportError } from "@webagent/core"
import { Elapsed } from "@webagent/polling"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { RunError } from "./RunWaiter.ts"

/** A reader's position in the events of a run. */
export interface Place {
  position: number
  /** The longest that the service may hold a request until there is an event, in seconds; 0 if it doesn't hold any. */
  hold_s: number
}

/** The events after a position that a reader doesn't have yet. */
export interface Page {
  readonly events: ReadonlyArray<RunEvent>
  readonly hasMore: boolean
  /** True if events before these are no longer stored. */
  readonly isReset: boolean
  /** True if the service held the request until it had news, or for most of the time. */
  readonly isHeld: boolean
}

/** Returns the place of a reader that has the events up to a position. Proxies give up idle requests after a minute. */
export const placeAt = (position: number): Place => ({ position, hold_s: 20 })

/** Maximum number of requests that one client has the service hold. Each one takes a connection. */
export const mostHeld = 50

/** Time for the response to a request that was held, on top of `hold_s`. */
const response_s = 5

const statuses = new Map<string, string>(runStatuses.map((status) => [`run.${status}`, status]))

/** Returns the status in the type of an event; undefined if it has none, or one that isn't known. */
export const statusIn = (type: RunEventType | "reset"): string | undefined => statuses.get(type)

/** Returns whether an event may have changed the status in a way that only the run itself shows. */
export const isUnclear = ({ type }: RunEvent): boolean => statusIn(type) === undefined && !type.startsWith("run.step.")

/** Reads pages of events, of the runs of one client. */
export interface EventPages {
  /** Reads the next page, and moves the place behind it. The request is held until the deadline at most. */
  readonly next: (
    id: string,
    place: Place,
    deadline_ms: number
  ) => Effect.Effect<Page, RunError | OperationUnavailableError>
  /** Returns whether one more request can be held now. */
  readonly canHold: () => boolean
}

/** Makes the reads of events over a Transport. */
export const make: Effect.Effect<EventPages, never, Transport> = Effect.gen(function* () {
  const { list } = yield* ContractClient.makeOptional("v4", "Events", { list: listEvents })
  const { grace } = yield* Transport
  let held = 0

  const read = (id: string, after: number, hold_s: number) =>
    Effect.withFiber((fiber) => {
      const { headers } = fiber.getRef(CallOptions.Current)
      const options =
        hold_s === 0
          ? undefined
          : {
              headers: { ...headers, prefer: `wait=${hold_s}` },
              timeout: Duration.seconds(hold_s + response_s)
            }
      return list({ params: { run_id: id }, query: { after, limit: 100 } }, options)
    })

  const next: EventPages["next"] = Effect.fnUntraced(function* (id, place, deadline_ms) {
    const began_ms = yield* Elapsed.now_ms
    const left_s = Math.max(0, Math.floor((deadline_ms - began_ms) / 1000))
    const hold_s = held < mostHeld ? Math.min(place.hold_s, left_s) : 0
    if (hold_s > 0) held++
    const page = yield* grace
      .forgive(id, read(id, place.position, hold_s), (error) => error instanceof RunNotFoundError)
      .pipe(
        Effect.tapError((error) =>
          Effect.sync(() => {
            // a proxy may give up sooner than the service answers
            if (error instanceof TransportError) place.hold_s = Math.floor(hold_s / 2)
          })
        ),
        Effect.ensuring(
          Effect.sync(() => {
            if (hold_s > 0) held--
          })
        )
      )
    const { position } = place
    // after a reset, positions may start again
    const events = page.reset === true ? page.events : page.events.filter((event) => event.id > position)
    const reached = page.nextAfter ?? events.at(-1)?.id ?? position
    place.position = page.reset === true ? reached : Math.max(position, reached)
    // a service that repeats a reset without a new position has no news
    const isReset = page.reset === true && place.position !== position
    // a service that has no news before half of the time is over doesn't hold requests, however slow it is
    const isLate = (yield* Elapsed.now_ms) - began_ms >= 500 * hold_s
    const isHeld = hold_s > 0 && (events.length > 0 || isReset || isLate)
    if (hold_s > 0 && !isHeld) place.hold_s = 0
    return { events, hasMore: page.hasMore === true && events.length > 0, isReset, isHeld }
  })

  return { next, canHold: () => held < mostHeld }
})
