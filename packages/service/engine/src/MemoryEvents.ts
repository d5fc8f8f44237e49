import { type Event, turnIdOf } from "./domain/Event.ts"
import type { StoredEvent } from "./ports/Store.ts"

/** Maximum number of remembered events. */
const maxEvents = 10_000

/** Makes an event log in memory. */
export const make = () => {
  let events: Array<StoredEvent> = []
  let cursor = 0

  /** Returns the place of the first event after a cursor. */
  const placeAfter = (after: number) => Math.max(0, after + 1 - (events[0]?.cursor ?? 1))

  return {
    addEvents: (added: ReadonlyArray<Event>): void => {
      for (const event of added) events.push({ cursor: ++cursor, event })
      if (events.length > 2 * maxEvents) events = events.slice(-maxEvents)
    },
    /** Returns the events after a cursor, at most `limit`. */
    eventsAfter: (after: number, limit: number): ReadonlyArray<StoredEvent> => {
      const from = placeAfter(after)
      return events.slice(from, from + limit)
    },
    /** Returns the events of a turn and its steps after a cursor, at most `limit`. */
    eventsOf: (turnId: string, after: number, limit: number): ReadonlyArray<StoredEvent> =>
      events
        .slice(placeAfter(after))
        .filter(({ event }) => turnIdOf(event) === turnId)
        .slice(0, limit),
    newestEvent: (): number => cursor,
    oldestEvent: (): number => events[0]?.cursor ?? cursor + 1,
    /** Deletes the oldest events up to a cursor, at most `limit`, and returns their number. */
    forgetEvents: (until: number, limit: number): number => {
      const count = events.filter(({ cursor: at }) => at <= until).slice(0, limit).length
      events = events.slice(count)
      return count
    }
  }
}
