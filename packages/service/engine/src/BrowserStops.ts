import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { flow } from "effect/Function"
import { endBrowser, forgetBrowser } from "./browserEnd.ts"
import type * as Browser from "./domain/Browser.ts"
import { BrowserNotFound } from "./domain/Errors.ts"
import type { LaunchedBrowser } from "./ports/BrowserPool.ts"
import { Hints } from "./ports/Hints.ts"
import { NodeId } from "./ports/NodeId.ts"
import { Store, type StoreUnavailable } from "./ports/Store.ts"
import type { RunningBrowsers } from "./RunningBrowsers.ts"
import { storeRetries } from "./storeRetries.ts"

/** Stops browsers and stores why they stopped. */
export interface BrowserStops {
  /** Stops a browser. Calls during a stop share that stop, and its time. */
  readonly stop: (
    id: string,
    reason: Browser.StopReason
  ) => Effect.Effect<Browser.Browser, BrowserNotFound | StoreUnavailable>
  /** Stops an unused browser, which makes room for another one. */
  readonly giveWay: (id: string) => Effect.Effect<void, StoreUnavailable>
  /** Stops a browser in the background, and retries for as long as the store is away, as `endLater` does. */
  readonly stopLater: (id: string, reason: Browser.StopReason) => void
  readonly isStopping: (id: string) => boolean
  /** Stores the end of a browser, unless it has ended. */
  readonly end: ReturnType<typeof endBrowser>
  /** Retries `end` for as long as the store is away, unless the node closes: then a later start finds the record. */
  readonly endLater: (...end: Parameters<BrowserStops["end"]>) => void
  /** Deletes a browser that never got a place; later while the store is away, as `endLater` does. */
  readonly forget: (browser: Browser.Browser) => Effect.Effect<void>
  /** Stores why a browser stopped by itself. */
  readonly watch: (id: string, launched: LaunchedBrowser) => void
}

/** Returns the bytes that a browser has sent and received; null if they are not counted. */
export const bytesOf = (browser: LaunchedBrowser | undefined): Effect.Effect<number | null> =>
  browser?.bytes ?? Effect.succeed(null)

/** Makes the stops of a node; `onStopped` receives each browser that has stopped here. */
export const make = Effect.fnUntraced(function* (
  running: RunningBrowsers,
  isClosing: () => boolean,
  onStopped: (id: string) => void
) {
  const store = yield* Store
  const node = yield* NodeId
  const hints = yield* Hints
  const fork = Effect.runForkWith(yield* Effect.context())
  const stopping = new Map<string, Deferred.Deferred<Browser.Browser, BrowserNotFound | StoreUnavailable>>()
  const end = flow(endBrowser(store), Effect.uninterruptible)

  const later = (attempt: Effect.Effect<void, StoreUnavailable>): void =>
    void fork(Effect.ignore(Effect.retry(attempt, { schedule: storeRetries, while: () => !isClosing() })))

  const endLater: BrowserStops["endLater"] = (id, reason, changes) =>
    later(Effect.suspend(() => (running.get(id) === undefined ? Effect.asVoid(end(id, reason, changes)) : Effect.void)))

  const forgetNow = flow(forgetBrowser(store, end), Effect.uninterruptible)

  const stopNow = Effect.fnUntraced(function* (id: string, reason: Browser.StopReason) {
    const [browser, launched] = yield* Effect.uninterruptible(
      Effect.suspend(() => {
        const handle = running.get(id)
        const addAgain = running.remove(id)
        return Effect.flatMap(bytesOf(handle), (bytes) => end(id, reason, { bytes })).pipe(
          Effect.map((stopped) => [stopped, handle] as const),
          // it runs on, and can be stopped again
          Effect.tapError(() => Effect.sync(addAgain))
        )
      })
    )
    if (launched !== undefined) {
      onStopped(id)
      yield* launched.stop
    }
    const at = browser?.node ?? null
    if (at !== null && at !== node) fork(hints.tell(at))
    return browser ?? (yield* new BrowserNotFound({ id }))
  })

  const stop: BrowserStops["stop"] = (id, reason) =>
    Effect.suspend(() => {
      const begun = stopping.get(id)
      if (begun !== undefined) return Deferred.await(begun)
      const done = Deferred.makeUnsafe<Browser.Browser, BrowserNotFound | StoreUnavailable>()
      stopping.set(id, done)
      return Effect.onExit(stopNow(id, reason), (exit) => {
        stopping.delete(id)
        return Deferred.done(done, exit)
      })
    })

  const stopIfThere = (id: string, reason: Browser.StopReason) =>
    Effect.uninterruptible(Effect.catchTag(Effect.asVoid(stop(id, reason)), "BrowserNotFound", () => Effect.void))

  const stops: BrowserStops = {
    stop,
    giveWay: (id) => stopIfThere(id, "idle"),
    stopLater: (id, reason) => later(stopIfThere(id, reason)),
    isStopping: (id) => stopping.has(id),
    end,
    endLater,
    forget: (browser) => forgetNow(browser).pipe(Effect.catch(() => Effect.sync(() => later(forgetNow(browser))))),
    watch: (id, launched) => {
      if (launched.ended === undefined) return
      fork(
        Effect.flatMap(launched.ended, (reason) =>
          Effect.map(bytesOf(launched), (bytes) => {
            if (running.get(id) !== launched) return
            running.remove(id)
            onStopped(id)
            endLater(id, reason, { bytes })
          })
        )
      )
    }
  }
  return stops
})
