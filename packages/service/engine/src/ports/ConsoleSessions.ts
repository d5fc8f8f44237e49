import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StoreUnavailable } from "./StoreUnavailable.ts"

/** A session of the web console, which a sign-in with a key opened. */
export interface ConsoleSession {
  /** The SHA-256 of its token, in hex: the token itself is as good as a key. */
  readonly hash: string
  /** Name of the key. */
  readonly key: string
  /** Time at which the key was created, so that a later key of this name is another one; null for a key that isn't stored. */
  readonly keyCreatedAt_ms: number | null
  readonly begunAt_ms: number
  readonly usedAt_ms: number
}

/** The sessions that end when another one begins. */
export interface ConsoleSessionLimits {
  /** Sessions that were last used at this time or before. */
  readonly idleUntil_ms: number
  /** All sessions of the new one's key but the newest ones, of this number. */
  readonly perKey: number
}

/** Storage of the console's sessions, shared by the nodes of a store. */
export interface ConsoleSessionsService {
  /** Adds a session, and deletes those that end. */
  readonly add: (session: ConsoleSession, limits: ConsoleSessionLimits) => Effect.Effect<void, StoreUnavailable>
  readonly get: (hash: string) => Effect.Effect<ConsoleSession | null, StoreUnavailable>
  readonly use: (hash: string, at_ms: number) => Effect.Effect<void, StoreUnavailable>
  readonly remove: (hash: string) => Effect.Effect<void, StoreUnavailable>
}

/** The port to the console's sessions; null where only the server's own memory has them. */
export const ConsoleSessions: Context.Reference<ConsoleSessionsService | null> = Context.Reference(
  "@webagent/engine/ConsoleSessions",
  { defaultValue: (): ConsoleSessionsService | null => null }
)
