import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { flow } from "effect/Function"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { commitBrowser } from "./browserEnd.ts"
import type { BrowserStops } from "./BrowserStops.ts"
import * as Browser from "./domain/Browser.ts"
import type { LaunchQueue, PoolLaunches } from "./PoolLaunches.ts"
import { LaunchFailed } from "./ports/BrowserPool.ts"
import { Store, StoreUnavailable } from "./ports/Store.ts"
import type { RunningBrowsers } from "./RunningBrowsers.ts"
import { storeRetries } from "./storeRetries.ts"

/** Lets callers interrupt a part of an uninterruptible effect, if they could interrupt the whole. */
export type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Launches browsers and stores them as active. */
export interface BrowserLaunches {
  /**
   * Launches a browser that is stored as starting. With `queue`, it may wait for room in the pool. A long outage of the
   * store stops the browser. One with a key calls `onSilence` instead and runs on, because a repeat may already have it.
   */
  readonly launch: (
    browser: Browser.Browser,
    restore: Restore,
    queue: LaunchQueue | null,
    onSilence: (error: StoreUnavailable) => void
  ) => Effect.Effect<Browser.Browser, LaunchFailed | StoreUnavailable>
  /** Fails the launches under way, and all later ones. */
  readonly cut: Effect.Effect<void>
}

interface LaunchesOptions {
  readonly isClosing: () => boolean
  readonly pool: Pick<PoolLaunches, "launch">
  readonly running: RunningBrowsers
  readonly stops: Pick<BrowserStops, "end" | "endLater" | "forget" | "watch">
}

/** The failure of launches that are under way when this node stops. Runs go back to the queue. */
const cutOff = new LaunchFailed({ reason: "draining", message: "The server is being stopped. Try again in a moment" })

/** True if a launch failed before its browser had a place in the pool. */
const isUnplaced = (cause: Cause.Cause<LaunchFailed>) => {
  const failure = Cause.findError(cause)
  return Result.isSuccess(failure) && failure.success.reason !== "failed" && failure.success !== cutOff
}

/** Makes the launches of a node. */
export const make = Effect.fnUntraced(function* ({ isClosing, pool, running, stops }: LaunchesOptions) {
  const { end, endLater, forget, watch } = stops
  const store = yield* Store
  /** Done once this node launches no more browsers. */
  const cut = yield* Deferred.make<void>()
  const stopped = Effect.andThen(Deferred.await(cut), cutOff)
  const commit = flow(commitBrowser(store), Effect.uninterruptible)

  /** Stores a launched browser as active; false if it was stopped during its launch. */
  const activate = (active: Browser.Browser) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => commit(active, null, now)).pipe(
      Effect.as(true),
      Effect.catchTags({
        // an earlier commit may have been carried out without a response
        Conflict: () =>
          Effect.map(
            store.browser(active.id),
            Option.exists(({ status }) => status === "active")
          ),
        AdmissionRefused: Effect.die,
        KeyTaken: Effect.die
      })
    )

  const launch: BrowserLaunches["launch"] = Effect.fnUntraced(function* (browser, restore, queue, onSilence) {
    const removals = running.removals()
    const isOver = () => running.removals() !== removals || isClosing()
    const { id, idempotencyKey: key } = browser
    const endsLater = Effect.sync(() => endLater(id, "launch_failed"))
    const unborn = Effect.catchTag(end(id, "launch_failed"), "StoreUnavailable", () => endsLater)
    const launched = yield* Effect.onError(
      // a create cannot be interrupted, but the end of this node does not wait for a browser that hangs as it starts
      restore(Effect.raceFirst(Effect.interruptible(pool.launch(browser, queue)), stopped)),
      (cause) => (isUnplaced(cause) ? forget(browser) : unborn)
    )
    const active = Browser.launched(browser)
    const gone = Effect.suspend(() => {
      if (running.get(browser.id) === launched) running.remove(browser.id)
      return launched.stop
    })
    const kept = yield* Effect.onError(
      Effect.uninterruptible(
        Effect.suspend(() => {
          if (isOver()) return Effect.succeed(false)
          running.add(browser.id, launched)
          const insist = (error: StoreUnavailable) => {
            if (key === null) return Effect.fail(error)
            onSilence(new StoreUnavailable({ applied: "unknown", cause: error.cause }))
            return Effect.retry(activate(active), { schedule: storeRetries, while: () => !isOver() })
          }
          return Effect.retry(activate(active), { schedule: storeRetries, times: 10 }).pipe(Effect.catch(insist))
        })
      ),
      // one with a key ends with this node, and a repeat may have it
      () => Effect.andThen(gone, key === null ? unborn : Effect.void)
    )
    if (kept) {
      watch(browser.id, launched)
      return active
    }
    yield* gone
    // this node closes, and its store may be closed already
    if (isClosing()) return active
    // another node gives it up, or has done so, and its key with it: then a repeat makes another one
    const stored = yield* store.browser(browser.id)
    if (Option.exists(stored, ({ status, stopReason }) => status === "starting" || stopReason === "launch_failed")) {
      return yield* new LaunchFailed({ reason: "lost", message: "The browser was not ready in time. Create it again." })
    }
    // it was stopped or reset meanwhile, so it ends like the others
    return active
  })

  const launches: BrowserLaunches = { launch, cut: Effect.asVoid(Deferred.succeed(cut, undefined)) }
  return launches
})
