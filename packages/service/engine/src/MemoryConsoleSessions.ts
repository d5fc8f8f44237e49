import * as Effect from "effect/Effect"
import type { ConsoleSession, ConsoleSessionsService } from "./ports/ConsoleSessions.ts"

/** Keeps the console's sessions in memory. */
export const make = (): ConsoleSessionsService => {
  const sessions = new Map<string, ConsoleSession>()
  return {
    add: (session, { idleUntil_ms, perKey }) =>
      Effect.sync(() => {
        sessions.set(session.hash, session)
        for (const { hash, usedAt_ms } of sessions.values()) if (usedAt_ms <= idleUntil_ms) sessions.delete(hash)
        const ofKey = [...sessions.values()].filter(({ key }) => key === session.key)
        for (const { hash } of ofKey.toSorted((left, right) => right.begunAt_ms - left.begunAt_ms).slice(perKey))
          sessions.delete(hash)
      }),
    get: (hash) => Effect.sync(() => sessions.get(hash) ?? null),
    use: (hash, usedAt_ms) =>
      Effect.sync(() => {
        const session = sessions.get(hash)
        if (session !== undefined) sessions.set(hash, { ...session, usedAt_ms })
      }),
    remove: (hash) => Effect.sync(() => void sessions.delete(hash))
  }
}
