import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as BrowserControl from "./BrowserControl.ts"
import * as BrowserCreates from "./BrowserCreates.ts"
import * as BrowserLaunches from "./BrowserLaunches.ts"
import * as BrowserStops from "./BrowserStops.ts"
import * as Browser from "./domain/Browser.ts"
import type * as Decimal from "./domain/Decimal.ts"
import { BrowserNotFound, type BrowserStopped, ProfileUnusable } from "./domain/Errors.ts"
import { owned } from "./Owned.ts"
import { expiringBrowser } from "./expiringBrowser.ts"
import * as PoolLaunches from "./PoolLaunches.ts"
import * as ProfileLoans from "./ProfileLoans.ts"
import { BrowserPool, type CdpTransport } from "./ports/BrowserPool.ts"
import { NodeId } from "./ports/NodeId.ts"
import { Store, type StoreUnavailable } from "./ports/Store.ts"
import type { Work } from "./ports/Work.ts"
import * as RunningBrowsers from "./RunningBrowsers.ts"
import * as SessionBrowsers from "./SessionBrowsers.ts"

/** The part of the engine that owns browsers. */
export interface Browsers
  extends
    Pick<BrowserCreates.BrowserCreates, "create" | "isLaunched">,
    Pick<BrowserStops.BrowserStops, "stopLater">,
    Pick<SessionBrowsers.SessionBrowsers, "allowDomains" | "ofSession">,
    Pick<PoolLaunches.PoolLaunches, "setDraining"> {
  /** Notes that a profile of the caller is used; fails if browsers can't use it. */
  readonly useProfile: ProfileLoans.ProfileLoans["use"]
  /** Finds a browser that the caller may see. */
  readonly find: (id: string) => Effect.Effect<Browser.Browser, BrowserNotFound | StoreUnavailable>
  readonly connect: (
    id: string,
    page?: string
  ) => Effect.Effect<CdpTransport, BrowserNotFound | BrowserStopped | StoreUnavailable, Scope.Scope>
  /** Saves the profile of a browser that runs here and that the caller may see. */
  readonly save: (id: string) => Effect.Effect<Browser.Browser, BrowserNotFound | ProfileUnusable | StoreUnavailable>
  /** Stops a browser that the caller may see. */
  readonly stop: (id: string) => Effect.Effect<Browser.Browser, BrowserNotFound | StoreUnavailable>
  /**
   * Number of megabytes that a browser has sent and received, if it is counted, and if the browser ran on a node that
   * counts.
   */
  readonly usedMb: (id: string | null) => Effect.Effect<Decimal.Decimal, StoreUnavailable>
  /** Stores that a browser is gone with its node: one that is lost, or an earlier start of this one. */
  readonly reap: (id: string) => Effect.Effect<void, StoreUnavailable>
  /** Opens a browser that an earlier engine of this node left in the store; stores the end of any other. */
  readonly resume: (id: string) => Effect.Effect<void, StoreUnavailable>
  /** Stops browsers here that were stopped at another node. It reads the store at most every 5 seconds. */
  readonly look: Effect.Effect<void>
  /** As `look`, but reads the store immediately, and fails if it can't. */
  readonly lookNow: Effect.Effect<void, StoreUnavailable>
  /** Stops all browsers here. Another node writes their records. */
  readonly abandon: Effect.Effect<void>
  /** Fails the launches under way, and all later ones. */
  readonly cutLaunches: Effect.Effect<void>
  /** Number of browsers here that give way to launches, because their sessions have no running turn. */
  readonly idle: () => number
}

/** Hands out browsers. Closing its scope stops those that still run here. */
export const make = Effect.fnUntraced(function* (
  isLost: Work["Service"]["isLost"],
  control: BrowserControl.BrowserControl = BrowserControl.make()
) {
  const pool = yield* BrowserPool
  const store = yield* Store
  const node = yield* NodeId
  let closing = false
  const isClosing = () => closing
  const running = RunningBrowsers.make(control.isHeld)
  const stops = yield* BrowserStops.make(running, isClosing, control.forget)
  const loans = yield* ProfileLoans.make(running, stops)
  const poolLaunches = yield* PoolLaunches.make({ running, stops, loans })
  const launches = yield* BrowserLaunches.make({ isClosing, pool: poolLaunches, running, stops })
  const creates = yield* BrowserCreates.make({ ...stops, isLost, launch: launches.launch, loans, running })
  const connections = SessionBrowsers.make({ create: creates.create, pool: poolLaunches, running, stops })

  const find = (id: string) => owned(store.browser(id), () => new BrowserNotFound({ id }))

  const reap = Effect.fnUntraced(function* (id: string) {
    const browser = Option.getOrUndefined(yield* store.browser(id))
    if (browser === undefined || running.get(id) !== undefined || creates.isLaunching(id)) return
    const isGone = browser.node === null || browser.node === node || (yield* isLost(browser.node))
    if (isGone) yield* stops.end(id, browser.status === "starting" ? "launch_failed" : "node_lost")
  })

  const [lookAtStore, invalidateLook] = yield* Effect.cachedInvalidateWithTTL(
    Effect.suspend(() =>
      Effect.forEach(running.all(), ([id, launched]) =>
        Effect.flatMap(store.browser(id), (stored) => {
          const isStopped = Option.exists(stored, ({ status }) => status === "stopped")
          if (!isStopped || stops.isStopping(id) || running.get(id) !== launched) return Effect.void
          running.remove(id)
          control.forget(id)
          return launched.stop
        })
      )
    ),
    "5 seconds"
  )
  /** A failed read is repeated by the next look. */
  const look = Effect.suspend(() =>
    running.all().length === 0 ? Effect.void : Effect.tapError(lookAtStore, () => invalidateLook)
  )

  const atOnce = { discard: true, concurrency: "unbounded" } as const
  // a node that is closed meanwhile stops only those that are still in `running`
  const abandon = Effect.uninterruptible(
    Effect.suspend(() => Effect.forEach(running.removeAll(), ({ stop }) => stop, atOnce))
  )

  yield* Effect.addFinalizer(() => {
    closing = true
    const stopped = Effect.forEach(running.all(), ([id]) => Effect.ignore(stops.stop(id, "node_closed")), atOnce)
    // includes browsers whose end could not be stored
    return Effect.andThen(stopped, abandon)
  })

  const browsers: Browsers = {
    create: creates.create,
    isLaunched: creates.isLaunched,
    ofSession: connections.ofSession,
    allowDomains: connections.allowDomains,
    setDraining: poolLaunches.setDraining,
    useProfile: loans.use,
    find,
    connect: (id, page) => Effect.andThen(find(id), connections.connectTo(id, page)),
    stop: (id) => Effect.uninterruptible(Effect.andThen(find(id), stops.stop(id, "asked"))),
    stopLater: stops.stopLater,
    save: (id) =>
      Effect.tap(
        find(id),
        () =>
          running.get(id)?.save ??
          new ProfileUnusable({ message: "The browser doesn't run, or isn't the one that saves its profile" })
      ),
    usedMb: (id) => {
      if (id === null) return Effect.succeed("0")
      const launched = running.get(id)
      const stored = Effect.map(store.browser(id), (browser) => Option.getOrNull(browser)?.bytes)
      const bytes: Effect.Effect<number | null | undefined, StoreUnavailable> =
        launched === undefined ? stored : BrowserStops.bytesOf(launched)
      return Effect.map(bytes, (size) => Browser.megabytes(size ?? 0))
    },
    reap,
    resume: Effect.fnUntraced(function* (id) {
      const browser = Option.getOrUndefined(yield* store.browser(id))
      if (pool.resume === undefined || browser?.node !== node || browser.status !== "active") return yield* reap(id)
      const resumed = yield* pool.resume(browser)
      const expiring = pool.lifetime_ms === undefined ? expiringBrowser(browser, resumed) : resumed
      const launched = loans.endingWith(browser, expiring)
      running.add(id, launched)
      stops.watch(id, launched)
    }),
    look: Effect.ignore(look),
    lookNow: Effect.andThen(invalidateLook, look),
    abandon,
    cutLaunches: launches.cut,
    idle: running.unused
  }
  return browsers
})
