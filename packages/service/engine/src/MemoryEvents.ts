import { type Event, turnIdOf } from "./domain/Event.ts"
import type { StoredEvent } from "./ports/Store.ts"

/** Maximum number of remembered events. */
const maxEvents = 10_000

/** Makes an event log in memory. */
export const make = () => {
  let events: Array<Event> = []
  let cursor = 0

  const oldestEvent = () => cursor - events.length + 1

  /** Returns the events after a cursor, at most `limit`. Cursors have no gaps, so events need not have them. */
  const eventsAfter = (after: number, limit: number): ReadonlyArray<StoredEvent> => {
    const from = Math.max(0, after + 1 - oldestEvent())
    const first = oldestEvent() + from
    return events.slice(from, from + limit).map((event, index) => ({ cursor: first + index, event }))
  }

  return {
    addEvents: (added: ReadonlyArray<Event>): void => {
      for (const event of added) events.push(event)
      cursor += added.length
      if (events.length > 2 * maxEvents) events = events.slice(-maxEvents)
    },
    eventsAfter,
    /** Returns the events of a turn and its steps after a cursor, at most `limit`. */
    eventsOf: (turnId: string, after: number, limit: number): ReadonlyArray<StoredEvent> => {
      const matching: Array<StoredEvent> = []
      const oldest = oldestEvent()
      for (let index = Math.max(0, after + 1 - oldest); index < events.length && matching.length < limit; index++) {
        const event = events[index]
        if (event !== undefined && turnIdOf(event) === turnId) matching.push({ cursor: oldest + index, event })
      }
      return matching
    },
    newestEvent: (): number => cursor,
    oldestEvent,
    /** Deletes the oldest events up to a cursor, at most `limit`, and returns their number. */
    forgetEvents: (until: number, limit: number): number => {
      const count = Math.max(0, Math.min(until + 1 - oldestEvent(), limit, events.length))
      events = events.slice(count)
      return count
    }
  }
}
