import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Browser from "./domain/Browser.ts"
import type { BrowserStops } from "./BrowserStops.ts"
import { expiringBrowser } from "./expiringBrowser.ts"
import { BrowserPool, type LaunchedBrowser, LaunchFailed, type LaunchWait } from "./ports/BrowserPool.ts"
import type { RunningBrowsers } from "./RunningBrowsers.ts"

/** Launches browsers in the pool. In a full pool, the browser of a session without a running turn makes room. */
export interface PoolLaunches {
  /** Launches a browser. With `waits`, the launch waits for room in the pool, until this node drains. */
  readonly launch: (browser: Browser.Browser, waits: boolean) => Effect.Effect<LaunchedBrowser, LaunchFailed>
  /** Stops unused browsers for launches that wait, at most one for each. */
  readonly makeRoom: () => void
  /** Sets whether this node drains. If it does, no launch waits for room, and waiting ones fail. */
  readonly setDraining: (isDraining: boolean) => void
}

/** A launch that waits for room: the latest reason that there was none, and its failure. */
interface WaitingLaunch {
  full: LaunchFailed
  readonly over: Deferred.Deferred<never, LaunchFailed>
}

const drained = Effect.fail(
  new LaunchFailed({
    reason: "draining",
    message: "This server drains, and the run has no browser yet. It goes back to the queue"
  })
)

/** Makes the launches of a node. */
export const make = Effect.fnUntraced(function* (running: RunningBrowsers, { stop }: Pick<BrowserStops, "stop">) {
  const pool = yield* BrowserPool
  const fork = Effect.runForkWith(yield* Effect.context())
  const waiting = new Set<WaitingLaunch>()
  /** Number of unused browsers that are being stopped for them. */
  let freeing = 0
  let draining = false

  const makeRoom = (): void => {
    for (const { full } of waiting) {
      const id = freeing < waiting.size ? running.takeUnused(full.owner) : undefined
      if (id === undefined) continue
      freeing += 1
      const freed = Effect.sync(() => void (freeing -= 1))
      fork(Effect.ensuring(Effect.ignore(Effect.uninterruptible(stop(id, "idle"))), freed))
    }
  }

  const launchWaiting = (browser: Browser.Browser): Effect.Effect<LaunchedBrowser, LaunchFailed> =>
    Effect.suspend(() => {
      let entry: WaitingLaunch | undefined
      const over = Deferred.makeUnsafe<never, LaunchFailed>()
      const leave = () => void (entry !== undefined && waiting.delete(entry))
      const wait: LaunchWait = {
        over: Deferred.await(over),
        onPlace: leave,
        onRefused: (full) => {
          if (draining) return void Deferred.doneUnsafe(over, drained)
          if (entry === undefined) waiting.add((entry = { full, over }))
          else entry.full = full
          makeRoom()
        }
      }
      return Effect.ensuring(pool.launch(browser, wait), Effect.sync(leave))
    })

  const launchOnce: PoolLaunches["launch"] = (browser, waits) =>
    Effect.catchIf(
      waits ? launchWaiting(browser) : pool.launch(browser),
      ({ reason }) => reason === "full",
      (full) => {
        const oldest = running.takeUnused(full.owner)
        if (oldest === undefined) return Effect.fail(full)
        const made = Effect.ignore(Effect.uninterruptible(stop(oldest, "idle")))
        return Effect.flatMap(made, () => launchOnce(browser, waits))
      }
    )

  const launches: PoolLaunches = {
    launch: (browser, waits) =>
      pool.lifetime_ms === undefined
        ? Effect.map(launchOnce(browser, waits), (launched) => expiringBrowser(browser, launched))
        : launchOnce(browser, waits),
    makeRoom,
    setDraining: (isDraining) => {
      draining = isDraining
      if (draining) for (const { over } of waiting) Deferred.doneUnsafe(over, drained)
    }
  }
  return launches
})
