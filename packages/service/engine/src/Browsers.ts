import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { flow, identity } from "effect/Function"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import {
  BrowserPool,
  type CdpTransport,
  LaunchFailed,
  type LaunchedBrowser,
  type LaunchWait
} from "./ports/BrowserPool.ts"
import * as Browser from "./domain/Browser.ts"
import type * as Decimal from "./domain/Decimal.ts"
import type { Session } from "./domain/Session.ts"
import { BrowserNotFound, BrowserStopped, CountryUnavailable } from "./domain/Errors.ts"
import type { SessionBrowser } from "./ports/Agent.ts"
import { Admission } from "./ports/Admission.ts"
import { Hints } from "./ports/Hints.ts"
import { NodeId } from "./ports/NodeId.ts"
import { Owner } from "./ports/Owner.ts"
import { Conflict, Store, type StoreUnavailable } from "./ports/Store.ts"
import type { Work } from "./ports/Work.ts"
import { commitBrowser, endBrowser } from "./browserEnd.ts"
import { owned } from "./Owned.ts"
import { IdSource } from "./ports/IdSource.ts"
import { withFreshIds } from "./freshIds.ts"
import type { MadeOf, Record } from "./SafeCreates.ts"
import { storeRetries } from "./storeRetries.ts"

/** A browser to create. */
export interface BrowserRequest {
  readonly proxyCountryCode: string | null
  /** True if its picture is recorded; false by default. */
  readonly recording?: boolean
  /** The domains that it may connect to; all unless given. */
  readonly allowedDomains?: ReadonlyArray<string>
  /** The languages that it announces to pages; those of the server unless given. */
  readonly languages?: ReadonlyArray<string>
}

/** Lets callers interrupt a part of an uninterruptible effect, if they could interrupt the whole. */
type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * Interval and number of checks with which a repeated create waits for a browser that another node launches: for a
 * minute.
 */
const lookEvery_ms = 100
const maxLooks = 600

const bytesOf = (running: LaunchedBrowser | undefined): Effect.Effect<number | null> =>
  running?.bytes ?? Effect.succeed(null)

/** A launch that waits for room: the last reason that there was none, and its end. */
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

/** The part of the engine that owns browsers. */
export type Browsers = Effect.Success<ReturnType<typeof make>>

/** Hands out browsers. Closing its scope stops those that still run here. */
export const make = Effect.fnUntraced(function* (isLost: Work["Service"]["isLost"]) {
  const pool = yield* BrowserPool
  const store = yield* Store
  const ids = yield* IdSource
  const node = yield* NodeId
  const hints = yield* Hints
  const fork = Effect.runForkWith(yield* Effect.context())
  let running = new Map<string, LaunchedBrowser>()
  let closing = false
  const stopping = new Map<string, Deferred.Deferred<Browser.Browser, BrowserNotFound | StoreUnavailable>>()
  /** The browsers of sessions without a running turn, with their owners, the least recently used first. */
  const unused = new Map<string, string | null>()
  /** Launches of runs that wait for room in the pool. */
  const waiting = new Set<WaitingLaunch>()
  /** Number of unused browsers that are being stopped for them. */
  let freeing = 0
  let draining = false
  /** Launches under way here, for duplicates that wait for them. */
  const launching = new Map<string, Deferred.Deferred<void>>()

  /** Done once this node launches nothing more, whatever a launch waits for. */
  const cut = yield* Deferred.make<void>()
  const stopped = Effect.andThen(
    Deferred.await(cut),
    new LaunchFailed({ reason: "failed", message: "The server is being stopped. Try again in a moment" })
  )

  const find = (id: string) => owned(store.browser(id), () => new BrowserNotFound({ id }))

  const commit = flow(commitBrowser(store), Effect.uninterruptible)
  const ended = flow(endBrowser(store), Effect.uninterruptible)

  /** Stores an end for as long as the store is away, unless the node closes: then a later start finds the record. */
  const endLater = (id: string, reason: Browser.StopReason, changes?: Parameters<typeof ended>[2]): void => {
    const attempt = Effect.suspend(() => (running.has(id) ? Effect.void : Effect.asVoid(ended(id, reason, changes))))
    fork(Effect.ignore(Effect.retry(attempt, { schedule: storeRetries, while: () => !closing })))
  }

  /** Stores why a browser ended by itself. */
  const watch = (id: string, launched: LaunchedBrowser) => {
    if (launched.ended === undefined) return
    fork(
      Effect.flatMap(launched.ended, (reason) =>
        Effect.map(bytesOf(launched), (bytes) => {
          if (running.get(id) !== launched) return
          running.delete(id)
          unused.delete(id)
          endLater(id, reason, { bytes })
        })
      )
    )
  }

  /** Takes the least recently used browser whose end makes room. */
  const takeUnused = ({ owner: whose }: LaunchFailed): string | undefined => {
    for (const [id, owner] of unused) {
      if (whose !== undefined && owner !== whose) continue
      unused.delete(id)
      return id
    }
    return undefined
  }

  /** Stops unused browsers for launches that wait, at most one for each. */
  const makeRoom = (): void => {
    for (const { full } of waiting) {
      const id = freeing < waiting.size ? takeUnused(full) : undefined
      if (id === undefined) continue
      freeing += 1
      const freed = Effect.sync(() => void (freeing -= 1))
      fork(Effect.ensuring(Effect.ignore(Effect.uninterruptible(stop(id, "idle"))), freed))
    }
  }

  /** A launch in the pool that waits for room, until this node drains. */
  const waitForPool = (browser: Browser.Browser): Effect.Effect<LaunchedBrowser, LaunchFailed> =>
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

  /** A browser of the pool. Where that is full, the browser of a session without a running turn makes room. */
  const fromPool = (browser: Browser.Browser, waits: boolean): Effect.Effect<LaunchedBrowser, LaunchFailed> =>
    Effect.catchIf(
      waits ? waitForPool(browser) : pool.launch(browser),
      ({ reason }) => reason === "full",
      (full) => {
        const oldest = takeUnused(full)
        if (oldest === undefined) return Effect.fail(full)
        const made = Effect.ignore(Effect.uninterruptible(stop(oldest, "idle")))
        return Effect.flatMap(made, () => fromPool(browser, waits))
      }
    )

  /** Launches a browser that is stored as starting. */
  const launch = Effect.fnUntraced(function* (browser: Browser.Browser, restore: Restore, waits: boolean) {
    const launchedIn = running
    const key = browser.idempotencyKey
    const unborn = ended(browser.id, "launch_failed", { key }).pipe(
      Effect.catch(() => Effect.sync(() => endLater(browser.id, "launch_failed", { key })))
    )
    const launched = yield* Effect.onError(
      // a create cannot be interrupted, but the end of this node does not wait for a browser that hangs as it starts
      restore(Effect.raceFirst(Effect.interruptible(fromPool(browser, waits)), stopped)),
      () => unborn
    )
    const active = Browser.launched(browser)
    const gone = Effect.suspend(() => {
      if (running.get(browser.id) === launched) running.delete(browser.id)
      return launched.stop
    })
    const activate = Effect.flatMap(Clock.currentTimeMillis, (now) => commit(active, null, now)).pipe(
      Effect.as(true),
      Effect.catchTags({
        // an earlier commit may have been carried out and not answered, else it was stopped while it was launched
        Conflict: () =>
          Effect.map(
            store.browser(browser.id),
            Option.exists(({ status }) => status === "active")
          ),
        KeyTaken: (error) => Effect.die(error)
      }),
      Effect.retry({ schedule: storeRetries, times: 10 })
    )
    const kept = yield* Effect.onError(
      Effect.uninterruptible(
        Effect.suspend(() => {
          if (running !== launchedIn || closing) return Effect.succeed(false)
          running.set(browser.id, launched)
          return activate
        })
      ),
      () => Effect.andThen(gone, unborn)
    )
    if (kept) {
      watch(browser.id, launched)
      return active
    }
    yield* gone
    // this node closes, and its store may be closed already
    if (closing) return active
    // another node may have given it up, and its key with it: then a repeat makes another one
    const stored = yield* store.browser(browser.id)
    if (Option.exists(stored, ({ stopReason }) => stopReason === "launch_failed")) {
      return yield* new LaunchFailed({
        reason: "failed",
        message: "The browser was not ready in time. Create it again."
      })
    }
    // it was stopped or reset meanwhile, so it ends like the others
    return active
  })

  const settled = (id: string) =>
    Effect.sync(() => {
      const done = launching.get(id)
      launching.delete(id)
      if (done !== undefined) Deferred.doneUnsafe(done, Effect.void)
    })

  /** Stores a browser that is about to be launched. */
  const begin = Effect.fnUntraced(function* (refusals: number, request: BrowserRequest, record: Record) {
    const owner = yield* Owner
    const id = yield* ids.next("browser", refusals)
    const startedAt_ms = yield* Clock.currentTimeMillis
    const expiresAt_ms = pool.lifetime_ms === undefined ? null : startedAt_ms + pool.lifetime_ms
    const starting = Browser.make({ id, ...request, owner, node, startedAt_ms, expiresAt_ms })
    const made: MadeOf<"Browser"> = { _tag: "Browser", browser: Browser.launched(starting) }
    const admission = yield* Admission
    const changes = { ...record(made, startedAt_ms), ...(admission === null ? {} : { also: admission }) }
    const keyed = { ...starting, idempotencyKey: changes.key?.key ?? null }
    if (launching.has(id)) return yield* new Conflict({ id })
    // before the record: this node takes a stored `starting` that it is not launching for a failed launch
    launching.set(id, Deferred.makeUnsafe())
    yield* commit(keyed, null, startedAt_ms, changes).pipe(
      Effect.onError(() => settled(id)),
      Effect.tapError((error) => {
        if (error._tag !== "StoreUnavailable" || error.applied === "no") return Effect.void
        // the record may be stored all the same, and would stay `starting` while this node lives
        return Effect.sync(() => endLater(id, "launch_failed"))
      })
    )
    return keyed
  })

  /** Creates a browser. One that `waits` may be launched later, when the pool has room. */
  const create = Effect.fnUntraced(function* (
    request: BrowserRequest,
    record: Record,
    restore: Restore = identity,
    waits = false
  ) {
    const country = request.proxyCountryCode
    if (country !== null && pool.countries?.includes(country.toUpperCase()) === false) {
      return yield* new CountryUnavailable({ country })
    }
    const browser = yield* withFreshIds((refusals) => begin(refusals, request, record))
    const active = yield* Effect.ensuring(launch(browser, restore, waits), settled(browser.id))
    const made: MadeOf<"Browser"> = { _tag: "Browser", browser: active }
    return made
  })

  /** Waits until a browser is no longer starting; false when it never came to be. `looks` is how often another node is looked at. */
  const isLaunched = (id: string, looks = maxLooks): Effect.Effect<boolean, StoreUnavailable> =>
    Effect.gen(function* () {
      const here = launching.get(id)
      if (here !== undefined) {
        yield* Deferred.await(here)
        return yield* isLaunched(id, looks)
      }
      const browser = Option.getOrUndefined(yield* store.browser(id))
      if (browser?.status !== "starting") return browser?.stopReason !== "launch_failed"
      if (browser.node === null || browser.node === node || looks === 0 || (yield* isLost(browser.node))) {
        yield* ended(id, "launch_failed")
        return false
      }
      yield* Effect.sleep(lookEvery_ms)
      return yield* isLaunched(id, looks - 1)
    })

  const stopNow = Effect.fnUntraced(function* (id: string, reason: Browser.StopReason) {
    const [browser, launched] = yield* Effect.uninterruptible(
      Effect.suspend(() => {
        const handle = running.get(id)
        running.delete(id)
        unused.delete(id)
        return Effect.flatMap(bytesOf(handle), (bytes) => ended(id, reason, { bytes })).pipe(
          Effect.map((stopped) => [stopped, handle] as const),
          // it runs on, and can be stopped again
          Effect.tapError(() => Effect.sync(() => void (handle !== undefined && running.set(id, handle))))
        )
      })
    )
    if (launched !== undefined) yield* launched.stop
    const at = browser?.node ?? null
    if (at !== null && at !== node) fork(hints.tell(at))
    return browser ?? (yield* new BrowserNotFound({ id }))
  })

  /** Stops a browser. Calls during a stop share that stop, and its time. */
  const stop = (id: string, reason: Browser.StopReason) =>
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

  const launchedAs = (id: string): Effect.Effect<LaunchedBrowser, BrowserStopped> =>
    Effect.suspend(() => {
      const launched = running.get(id)
      return launched === undefined ? Effect.fail(new BrowserStopped({ id })) : Effect.succeed(launched)
    })

  const connectTo = (id: string, page?: string): Effect.Effect<CdpTransport, BrowserStopped, Scope.Scope> =>
    Effect.flatMap(launchedAs(id), ({ connect, connectPage }) =>
      page === undefined ? connect : (connectPage?.(page) ?? Effect.fail(new BrowserStopped({ id })))
    )

  /** Restricts a browser that runs here; another one has nothing to restrict. */
  const allowDomains = (id: string, domains: ReadonlyArray<string> | null): Effect.Effect<void> =>
    Effect.ignore(Effect.flatMap(launchedAs(id), (launched) => launched.allowDomains?.(domains) ?? Effect.void))

  /**
   * The browser of a session's agent: launched at first use, and again when the one before has ended. It is restricted
   * before the agent has it.
   */
  const ofSession = <E, E2>(
    { owner, recording }: Pick<Session, "owner" | "recording">,
    knownId: Effect.Effect<string | null, E>,
    use: (browserId: string) => Effect.Effect<void, E2>,
    domains: () => ReadonlyArray<string> | null = () => null
  ): Effect.Effect<SessionBrowser, LaunchFailed, Scope.Scope> =>
    Effect.uninterruptibleMask(
      Effect.fnUntraced(function* (restore) {
        const id = yield* restore(knownId)
        const connect = (browserId: string) =>
          Effect.andThen(
            Effect.acquireRelease(
              Effect.sync(() => unused.delete(browserId)),
              () =>
                Effect.sync(() => {
                  if (!running.has(browserId)) return
                  unused.set(browserId, owner)
                  makeRoom()
                })
            ),
            Effect.andThen(allowDomains(browserId, domains()), connectTo(browserId))
          )
        if (id !== null && running.has(id) && !stopping.has(id))
          return { ...(yield* restore(connect(id))), isNew: false }
        const { browser } = yield* Effect.provideService(
          create({ proxyCountryCode: null, recording }, () => ({}), restore, true),
          Owner,
          owner
        )
        // from here on the browser stops with its session
        yield* Effect.onError(use(browser.id), () => Effect.ignore(stop(browser.id, "asked")))
        return { ...(yield* restore(connect(browser.id))), isNew: true }
      })
    ).pipe(
      Effect.mapError((error) =>
        error instanceof LaunchFailed
          ? error
          : new LaunchFailed({ reason: "failed", message: "The session's browser is gone. Create a new run." })
      )
    )

  /**
   * Number of megabytes that a browser has sent and received, if it is counted, and if the browser ran on a node that
   * counts.
   */
  const usedMb = (id: string | null): Effect.Effect<Decimal.Decimal, StoreUnavailable> => {
    if (id === null) return Effect.succeed("0")
    const handle = running.get(id)
    const stored = Effect.map(store.browser(id), (browser) => Option.getOrNull(browser)?.bytes)
    const bytes: Effect.Effect<number | null | undefined, StoreUnavailable> =
      handle === undefined ? stored : bytesOf(handle)
    return Effect.map(bytes, (size) => Browser.megabytes(size ?? 0))
  }

  /** Stores that a browser is gone with its node: one that is lost, or an earlier start of this one. */
  const reap = Effect.fnUntraced(function* (id: string) {
    const browser = Option.getOrUndefined(yield* store.browser(id))
    if (browser === undefined || running.has(id) || launching.has(id)) return
    const isGone = browser.node === null || browser.node === node || (yield* isLost(browser.node))
    if (isGone) yield* ended(id, browser.status === "starting" ? "launch_failed" : "node_lost")
  })

  /** Opens a browser that an earlier engine of this node left in the store; stores the end of any other. */
  const resume = Effect.fnUntraced(function* (id: string) {
    const browser = Option.getOrUndefined(yield* store.browser(id))
    if (pool.resume === undefined || browser?.node !== node || browser.status !== "active") return yield* reap(id)
    running.set(id, yield* pool.resume(browser))
  })

  /** Stops browsers here that were stopped at another node. It reads the store now and then, or after a hint. */
  const [look, lookAnew] = yield* Effect.cachedInvalidateWithTTL(
    Effect.suspend(() =>
      Effect.forEach([...running], ([id, handle]) =>
        Effect.flatMap(store.browser(id), (stored) => {
          const isStopped = Option.exists(stored, ({ status }) => status === "stopped")
          if (!isStopped || stopping.has(id) || running.get(id) !== handle) return Effect.void
          running.delete(id)
          unused.delete(id)
          return handle.stop
        })
      )
    ).pipe(Effect.ignore),
    "5 seconds"
  )

  /** Lets all browsers go, also those that are being launched, and says how to stop them. */
  const takeAll = (): Effect.Effect<void> => {
    const all = running
    running = new Map()
    unused.clear()
    return Effect.forEach([...all.values()], ({ stop }) => stop, { discard: true })
  }

  yield* Effect.addFinalizer(() => {
    closing = true
    return Effect.forEach([...running.keys()], (id) => Effect.ignore(stop(id, "node_closed")), {
      discard: true,
      concurrency: "unbounded"
      // includes browsers whose end could not be stored
    }).pipe(Effect.andThen(Effect.suspend(takeAll)))
  })

  return {
    create,
    isLaunched,
    ofSession,
    allowDomains,
    usedMb,
    stop: (id: string, reason: Browser.StopReason = "asked") =>
      Effect.uninterruptible(reason === "asked" ? Effect.andThen(find(id), stop(id, reason)) : stop(id, reason)),
    find,
    connect: (id: string, page?: string) => Effect.andThen(find(id), connectTo(id, page)),
    reap,
    resume,
    look,
    lookNow: Effect.andThen(lookAnew, look),
    /** Stops all browsers here. Another node writes their records. */
    abandon: Effect.suspend(takeAll),
    /** Sets whether this node drains. If it does, no launch waits for room, and waiting ones fail. */
    setDraining: (isDraining: boolean): void => {
      draining = isDraining
      if (draining) for (const { over } of waiting) Deferred.doneUnsafe(over, drained)
    },
    /** Ends the launches under way: from now on each one fails. */
    cutLaunches: Effect.asVoid(Deferred.succeed(cut, undefined))
  }
})
