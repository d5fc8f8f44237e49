import { ConsoleSessions, MemoryConsoleSessions, type StoreUnavailable } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { hash, randomBytes } from "node:crypto"
import type { Caller, CallersService } from "../api/Caller.ts"

/** Time without a request after which a session ends. */
const idle_ms = 2 * 3_600_000

/** Time after which a session ends even if it's used. */
const most_ms = 7 * 86_400_000

/** Maximum number of sessions of a key; its oldest one ends first. */
const perKey = 100

/** A use is stored if the last one was this long ago, because a page sends many requests. */
const storedEvery_ms = 60_000

/** A token is as good as a key, so only its digest is stored. */
const digestOf = (token: string): string => hash("sha256", token, "hex")

/** The sign-ins to the console. Each ends with the key that it was made with. */
export interface SignIns {
  /** Opens a session and returns its token. */
  readonly open: (caller: Caller) => Effect.Effect<string, StoreUnavailable>
  /**
   * The caller with its key as it is now; undefined for a session that is over.
   *
   * @param isUse - False for a request that doesn't keep the session from being idle.
   */
  readonly find: (token: string, isUse?: boolean) => Effect.Effect<Caller | undefined, StoreUnavailable>
  readonly close: (token: string) => Effect.Effect<void, StoreUnavailable>
}

/** Makes the sign-ins of a server, in its store if that has a place for them. */
export const make = ({ named }: Pick<CallersService, "named">): Effect.Effect<SignIns> =>
  Effect.map(ConsoleSessions, (stored) => {
    const sessions = stored ?? MemoryConsoleSessions.make()
    return {
      open: Effect.fnUntraced(function* ({ key, name }) {
        const now_ms = yield* Clock.currentTimeMillis
        const token = randomBytes(32).toString("base64url")
        const keyCreatedAt_ms = key?.createdAt_ms ?? null
        yield* sessions.add(
          { hash: digestOf(token), key: name, keyCreatedAt_ms, begunAt_ms: now_ms, usedAt_ms: now_ms },
          { idleUntil_ms: now_ms - idle_ms, perKey }
        )
        return token
      }),
      find: Effect.fnUntraced(function* (token, isUse = true) {
        const digest = digestOf(token)
        const session = yield* sessions.get(digest)
        if (session === null) return undefined
        const now_ms = yield* Clock.currentTimeMillis
        const { begunAt_ms, key, keyCreatedAt_ms, usedAt_ms } = session
        const isOver = now_ms - usedAt_ms >= idle_ms || now_ms - begunAt_ms >= most_ms
        const caller = isOver ? undefined : yield* named(key)
        if (caller === undefined || (caller.key?.createdAt_ms ?? null) !== keyCreatedAt_ms) {
          yield* sessions.remove(digest)
          return undefined
        }
        if (isUse && now_ms - usedAt_ms >= storedEvery_ms) yield* sessions.use(digest, now_ms)
        return caller
      }),
      close: (token) => sessions.remove(digestOf(token))
    }
  })
