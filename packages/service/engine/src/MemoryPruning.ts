import * as Effect from "effect/Effect"
import type { MemoryTables } from "./MemoryTables.ts"
import type { Store } from "./ports/Store.ts"

/** Makes the deletion of one session. */
export const purging =
  ({ busy, forgetTurns, idsOf, places, sessions, turnIds, turns }: MemoryTables): Store["Service"]["purge"] =>
  (id) =>
    Effect.sync(() => {
      if (sessions.get(id)?.status !== "stopped" || busy.has(id)) return false
      forgetTurns(idsOf(id))
      turnIds.delete(id)
      sessions.delete(id)
      places.sessions.forget((each) => sessions.has(each))
      places.turns.forget((each) => turns.has(each))
      return true
    })

/** Makes the deletion of old records. */
export const make =
  ({
    places,
    browsers,
    busy,
    forgetEvents,
    forgetTurns,
    idsOf,
    keys,
    sessions,
    turnIds,
    turns
  }: MemoryTables): Store["Service"]["prune"] =>
  ({
    eventsLimit,
    eventsUntil = 0,
    finishedUntil_ms = -Infinity,
    keysUntil_ms = -Infinity,
    limit,
    turnsUntilId,
    turnsUntil_ms = -Infinity
  }) =>
    Effect.sync(() => {
      const isOver = (record: { readonly finishedAt_ms: number | null }, until_ms: number) =>
        record.finishedAt_ms !== null && record.finishedAt_ms <= until_ms
      const oldest = <A extends { readonly id: string; readonly finishedAt_ms: number | null }>(
        all: Iterable<A>,
        until_ms: number
      ) =>
        [...all]
          .filter((record) => isOver(record, until_ms))
          .toSorted(
            (left, right) => (left.finishedAt_ms ?? 0) - (right.finishedAt_ms ?? 0) || (left.id < right.id ? -1 : 1)
          )
          .slice(0, limit)
      const gone = oldest(sessions.values(), finishedUntil_ms).filter(({ id }) => !busy.has(id))
      for (const { id } of gone) {
        forgetTurns(idsOf(id))
        turnIds.delete(id)
        sessions.delete(id)
      }
      const old = oldest(turns.values(), turnsUntil_ms).filter(
        ({ finishedAt_ms, id, sessionId }) =>
          sessions.get(sessionId)?.lease?.turnId !== id &&
          (turnsUntilId === undefined || finishedAt_ms !== turnsUntil_ms || id <= turnsUntilId)
      )
      forgetTurns(old.map(({ id }) => id))
      for (const { sessionId } of old)
        turnIds.set(
          sessionId,
          idsOf(sessionId).filter((id) => turns.has(id))
        )
      const stopped = oldest(browsers.values(), finishedUntil_ms)
      for (const { id } of stopped) browsers.delete(id)
      if (gone.length > 0) places.sessions.forget((id) => sessions.has(id))
      if (gone.length + old.length > 0) places.turns.forget((id) => turns.has(id))
      if (stopped.length > 0) places.browsers.forget((id) => browsers.has(id))
      return {
        sessions: gone.length,
        turns: old.length,
        browsers: stopped.length,
        keys: keys.forget(keysUntil_ms, limit),
        events: forgetEvents(eventsUntil, eventsLimit ?? limit)
      }
    })
