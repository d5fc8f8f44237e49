import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Browser } from "./domain/Browser.ts"
import type { LaunchedBrowser } from "./ports/BrowserPool.ts"

/** Stops a launched browser at its time limit, for pools that don't. Its stop also ends the wait. */
export const expiringBrowser = ({ expiresAt_ms }: Browser, launched: LaunchedBrowser): LaunchedBrowser => {
  if (expiresAt_ms === null) return launched
  const isStopped = Deferred.makeUnsafe<void>()
  const time = Effect.flatMap(Clock.currentTimeMillis, (now_ms) => Effect.sleep(Math.max(0, expiresAt_ms - now_ms)))
  const expires = Effect.raceFirst(Effect.as(time, true), Effect.as(Deferred.await(isStopped), false)).pipe(
    Effect.flatMap((isOver) => (isOver ? Effect.as(launched.stop, "expired" as const) : Effect.never))
  )
  return {
    ...launched,
    stop: Effect.ensuring(launched.stop, Deferred.succeed(isStopped, undefined)),
    ended: Effect.raceFirst(launched.ended ?? Effect.never, expires)
  }
}
