import { ApiKeys } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { hash, randomBytes } from "node:crypto"
import type { Caller } from "../api/Caller.ts"

/** Time without a request after which a session ends. */
const idle_ms = 2 * 3_600_000

/** Time after which a session ends even if it's used. */
const most_ms = 7 * 86_400_000

/** Maximum number of sessions; the one that is idle for longest ends first. */
const mostSessions = 10_000

/** For how long the list of keys is used again: a revoked key ends its sessions within this time. */
const keysFresh = "1 second"

interface Session {
  readonly caller: Caller
  readonly begun_ms: number
  used_ms: number
}

/** A token is as good as a key, so only its digest is stored. */
const digestOf = (token: string): string => hash("sha256", token, "hex")

/** Sessions of the console. Each ends with the key that it was opened with. */
export interface ConsoleSessions {
  /** Opens a session and returns its token. */
  readonly open: (caller: Caller) => Effect.Effect<string>
  /** Finds the caller with a token, with the scopes and limits that its key has now. */
  readonly find: (token: string) => Effect.Effect<Caller | undefined>
  readonly close: (token: string) => Effect.Effect<void>
}

/** Makes the sessions of this process. */
export const make: Effect.Effect<ConsoleSessions> = Effect.gen(function* () {
  const keys = Option.getOrUndefined(yield* Effect.serviceOption(ApiKeys))
  const [listed, forget] = yield* Effect.cachedInvalidateWithTTL(keys?.list ?? Effect.succeed([]), keysFresh)
  /** By the digest of their token, the one that was used longest ago first. */
  const sessions = new Map<string, Session>()

  /** The caller with its key as it is now; undefined once the key is revoked. */
  const current = Effect.fnUntraced(function* (caller: Caller) {
    const { key } = caller
    // a key that was given to the server is valid for as long as the server runs
    if (key === null) return caller
    const all = yield* Effect.orElseSucceed(listed, () => undefined)
    // without the store nothing can be done anyway, and the sessions are there when it's back
    if (all === undefined) return caller
    const now = all.find(({ createdAt_ms, name }) => name === key.name && createdAt_ms === key.createdAt_ms)
    return now === undefined || now.revokedAt_ms !== null
      ? undefined
      : { ...caller, key: now, isAdmin: now.scopes.includes("admin") }
  })

  return {
    open: (caller) =>
      // the list may be older than the key
      Effect.map(Effect.andThen(forget, Clock.currentTimeMillis), (now_ms) => {
        const token = randomBytes(32).toString("base64url")
        sessions.set(digestOf(token), { caller, begun_ms: now_ms, used_ms: now_ms })
        const [oldest] = sessions.keys()
        if (sessions.size > mostSessions && oldest !== undefined) sessions.delete(oldest)
        return token
      }),
    find: Effect.fnUntraced(function* (token) {
      const digest = digestOf(token)
      const session = sessions.get(digest)
      if (session === undefined) return undefined
      const now_ms = yield* Clock.currentTimeMillis
      const isOver = now_ms - session.used_ms >= idle_ms || now_ms - session.begun_ms >= most_ms
      const caller = isOver ? undefined : yield* current(session.caller)
      sessions.delete(digest)
      if (caller === undefined) return undefined
      session.used_ms = now_ms
      sessions.set(digest, session)
      return caller
    }),
    close: (token) => Effect.sync(() => void sessions.delete(digestOf(token)))
  }
})
