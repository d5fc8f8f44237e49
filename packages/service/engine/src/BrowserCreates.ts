import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { flow, identity } from "effect/Function"
import * as Option from "effect/Option"
import { commitBrowser } from "./browserEnd.ts"
import type { BrowserLaunches, Restore } from "./BrowserLaunches.ts"
import type { BrowserStops } from "./BrowserStops.ts"
import * as Browser from "./domain/Browser.ts"
import { type AdmissionRefused, CountryUnavailable, LifetimeTooLong } from "./domain/Errors.ts"
import { withFreshIds } from "./freshIds.ts"
import { Admission } from "./ports/Admission.ts"
import { BrowserPool, type LaunchFailed } from "./ports/BrowserPool.ts"
import { IdSource } from "./ports/IdSource.ts"
import { NodeId } from "./ports/NodeId.ts"
import { Owner } from "./ports/Owner.ts"
import { Conflict, type KeyTaken, Store, type StoreUnavailable } from "./ports/Store.ts"
import type { Work } from "./ports/Work.ts"
import type { MadeOf, Record } from "./SafeCreates.ts"

/** A browser to create. */
export interface BrowserRequest {
  /** The session whose agent uses it. */
  readonly sessionId?: string
  readonly proxyCountryCode: string | null
  /** True if its picture is recorded; false by default. */
  readonly recording?: boolean
  /** The domains that it may connect to; all unless given. */
  readonly allowedDomains?: ReadonlyArray<string>
  /** The languages that it announces to pages; those of the server unless given. */
  readonly languages?: ReadonlyArray<string>
  /** Time after which it stops by itself; that of the pool unless given, which is also the longest. */
  readonly lifetime_ms?: number
  /** Texts that its creator attached; none by default. */
  readonly metadata?: Browser.Browser["metadata"]
}

/** Creates browsers: stores each as starting, launches it, and stores it as active. */
export interface BrowserCreates {
  /** Creates a browser. One that `waits` may be launched later, when the pool has room. */
  readonly create: (
    request: BrowserRequest,
    record: Record,
    restore?: Restore,
    waits?: boolean
  ) => Effect.Effect<
    MadeOf<"Browser">,
    AdmissionRefused | CountryUnavailable | KeyTaken | LaunchFailed | LifetimeTooLong | StoreUnavailable
  >
  readonly isLaunching: (id: string) => boolean
  /**
   * Waits until a browser is no longer starting; false if its launch failed. `looks` limits the checks of a browser that
   * another node launches.
   */
  readonly isLaunched: (id: string, looks?: number) => Effect.Effect<boolean, StoreUnavailable>
}

interface CreatesOptions extends Pick<BrowserStops, "end" | "endLater">, Pick<BrowserLaunches, "launch"> {
  readonly isLost: Work["Service"]["isLost"]
}

/**
 * Interval and number of checks with which a repeated create waits for a browser that another node launches: for a
 * minute.
 */
const lookEvery_ms = 100
const maxLooks = 600

/** Makes the creates of a node. */
export const make = Effect.fnUntraced(function* ({ end, endLater, isLost, launch }: CreatesOptions) {
  const pool = yield* BrowserPool
  const store = yield* Store
  const ids = yield* IdSource
  const node = yield* NodeId
  /** Launches under way here, for duplicates that wait for them. */
  const launching = new Map<string, Deferred.Deferred<void>>()
  const commit = flow(commitBrowser(store), Effect.uninterruptible)

  const settled = (id: string) =>
    Effect.sync(() => {
      const done = launching.get(id)
      launching.delete(id)
      if (done !== undefined) Deferred.doneUnsafe(done, Effect.void)
    })

  /** Stores a browser that is about to be launched. */
  const begin = Effect.fnUntraced(function* (
    refusals: number,
    { lifetime_ms = pool.lifetime_ms, ...request }: BrowserRequest,
    record: Record
  ) {
    const owner = yield* Owner
    const id = yield* ids.next("browser", refusals)
    const startedAt_ms = yield* Clock.currentTimeMillis
    const expiresAt_ms = lifetime_ms === undefined ? null : startedAt_ms + lifetime_ms
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
    const { lifetime_ms: most_ms } = pool
    if (request.lifetime_ms !== undefined && most_ms !== undefined && request.lifetime_ms > most_ms) {
      return yield* new LifetimeTooLong({ most_ms })
    }
    const browser = yield* withFreshIds((refusals) => begin(refusals, request, record))
    const active = yield* Effect.ensuring(launch(browser, restore, waits), settled(browser.id))
    const made: MadeOf<"Browser"> = { _tag: "Browser", browser: active }
    return made
  })

  const isLaunched = Effect.fnUntraced(function* (
    id: string,
    looks = maxLooks
  ): Effect.fn.Return<boolean, StoreUnavailable> {
    const here = launching.get(id)
    if (here !== undefined) {
      yield* Deferred.await(here)
      return yield* isLaunched(id, looks)
    }
    const browser = Option.getOrUndefined(yield* store.browser(id))
    if (browser?.status !== "starting") return browser?.stopReason !== "launch_failed"
    if (browser.node === null || browser.node === node || looks === 0 || (yield* isLost(browser.node))) {
      yield* end(id, "launch_failed")
      return false
    }
    yield* Effect.sleep(lookEvery_ms)
    return yield* isLaunched(id, looks - 1)
  })

  const creates: BrowserCreates = {
    create,
    isLaunching: (id) => launching.has(id),
    isLaunched
  }
  return creates
})
