import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { flow, identity } from "effect/Function"
import * as Option from "effect/Option"
import { commitBrowser } from "./browserEnd.ts"
import type { BrowserLaunches, Restore } from "./BrowserLaunches.ts"
import type { BrowserStops } from "./BrowserStops.ts"
import * as Browser from "./domain/Browser.ts"
import { type AdmissionRefused, CountryUnavailable, LifetimeTooLong, type ProfileUnusable } from "./domain/Errors.ts"
import type { Screen } from "./domain/Screen.ts"
import { withFreshIds } from "./freshIds.ts"
import { Admission } from "./ports/Admission.ts"
import { BrowserPool, type LaunchFailed } from "./ports/BrowserPool.ts"
import { IdSource } from "./ports/IdSource.ts"
import { NodeId } from "./ports/NodeId.ts"
import { Owner } from "./ports/Owner.ts"
import type { ProfileNotFound } from "./ports/Profiles.ts"
import { Conflict, type KeyTaken, Store, type StoreUnavailable } from "./ports/Store.ts"
import type { Work } from "./ports/Work.ts"
import type { LaunchQueue } from "./PoolLaunches.ts"
import type { ProfileLoans } from "./ProfileLoans.ts"
import type { RunningBrowsers } from "./RunningBrowsers.ts"
import type { MadeOf, Record } from "./SafeCreates.ts"

/** A browser to create. */
export interface BrowserRequest {
  /** The session whose agent uses it. */
  readonly sessionId?: string
  readonly proxyCountryCode: string | null
  /** True if its picture is recorded; false by default. */
  readonly recording?: boolean
  /** The profile that it starts with; none by default. */
  readonly profileId?: string
  /** The domains that it may connect to; all unless given. */
  readonly allowedDomains?: ReadonlyArray<string>
  /** The languages that it announces to pages; those of the server unless given. */
  readonly languages?: ReadonlyArray<string>
  /** The size of its window; the usual one unless given. */
  readonly screen?: Screen
  /** The time zone of its pages; that of the server unless given. */
  readonly timeZone?: string
  /** The user agent that it announces; the usual one unless given. */
  readonly userAgent?: string
  /** Time after which it stops by itself; that of the pool unless given, which is also the longest. */
  readonly lifetime_ms?: number
  /** Texts that its creator attached; none by default. */
  readonly metadata?: Browser.Browser["metadata"]
}

/** The reasons why a browser wasn't created. */
export type BrowserCreateFailed =
  | AdmissionRefused
  | CountryUnavailable
  | LaunchFailed
  | LifetimeTooLong
  | ProfileNotFound
  | ProfileUnusable
  | StoreUnavailable

/** Creates browsers: stores each as starting, launches it, and stores it as active. */
export interface BrowserCreates {
  /** Creates a browser. With `queue`, it may be launched later, when the pool has room. */
  readonly create: (
    request: BrowserRequest,
    record: Record,
    queue?: LaunchQueue | null,
    restore?: Restore
  ) => Effect.Effect<MadeOf<"Browser">, BrowserCreateFailed | KeyTaken>
  readonly isLaunching: (id: string) => boolean
  /**
   * Waits until a browser is no longer starting, or its node is lost; false if it never was active. `key` is that of its
   * create, which is deleted then. Only its pauses can be interrupted.
   */
  readonly isLaunched: (id: string, key: string) => Effect.Effect<boolean, StoreUnavailable>
}

interface CreatesOptions extends Pick<BrowserStops, "end" | "endLater" | "giveWay">, Pick<BrowserLaunches, "launch"> {
  readonly running: Pick<RunningBrowsers, "findUnused">
  readonly isLost: Work["Service"]["isLost"]
  readonly loans: Pick<ProfileLoans, "end" | "lend">
}

/** Interval at which a repeated create looks at a browser that another node launches. */
const lookEvery_ms = 100

/** Makes the creates of a node. */
export const make = Effect.fnUntraced(function* ({
  end,
  endLater,
  giveWay,
  isLost,
  launch,
  loans,
  running
}: CreatesOptions) {
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

  const write = Effect.fnUntraced(function* (
    id: string,
    profile: Browser.Browser["profile"],
    { lifetime_ms = pool.lifetime_ms, ...request }: Omit<BrowserRequest, "profileId">,
    record: Record
  ) {
    const owner = yield* Owner
    const startedAt_ms = yield* Clock.currentTimeMillis
    const expiresAt_ms = lifetime_ms === undefined ? null : startedAt_ms + lifetime_ms
    const starting = Browser.make({ id, profile, ...request, owner, node, startedAt_ms, expiresAt_ms })
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
        // the record may be stored all the same; if that happens later, `LateCommits` finds it
        return Effect.sync(() => endLater(id, "launch_failed"))
      })
    )
    return keyed
  })

  /** Stores a browser that is about to be launched. */
  const begin = Effect.fnUntraced(function* (
    refusals: number,
    { profileId, ...request }: BrowserRequest,
    record: Record
  ) {
    const id = yield* ids.next("browser", refusals)
    const profile = profileId === undefined ? null : yield* loans.lend(profileId, id)
    return yield* Effect.onError(write(id, profile, request, record), () => loans.end({ id, profile }))
  })

  /** As `begin`. At a browser limit of the owner, their sessions' browsers here without a running turn give way. */
  const admitted = (
    request: BrowserRequest,
    record: Record
  ): Effect.Effect<Browser.Browser, Exclude<Effect.Error<ReturnType<typeof begin>>, Conflict>> =>
    Effect.catchTag(
      withFreshIds((refusals) => begin(refusals, request, record)),
      "AdmissionRefused",
      Effect.fnUntraced(function* (refused) {
        const owner = yield* Owner
        const idle = refused.limit?.of === "browsers" && owner !== null ? running.findUnused(owner) : undefined
        if (idle === undefined) return yield* refused
        yield* Effect.mapError(giveWay(idle), () => refused)
        return yield* admitted(request, record)
      })
    )

  const create: BrowserCreates["create"] = Effect.fnUntraced(function* (request, record, queue, restore = identity) {
    const country = request.proxyCountryCode
    if (country !== null && pool.countries?.includes(country.toUpperCase()) === false) {
      return yield* new CountryUnavailable({ country })
    }
    const { lifetime_ms: most_ms } = pool
    if (request.lifetime_ms !== undefined && most_ms !== undefined && request.lifetime_ms > most_ms) {
      return yield* new LifetimeTooLong({ most_ms })
    }
    const browser = yield* admitted(request, record)
    const outcome = Deferred.makeUnsafe<Browser.Browser, LaunchFailed | StoreUnavailable>()
    const onSilence = (error: StoreUnavailable) => Deferred.doneUnsafe(outcome, Effect.fail(error))
    const launched = launch(browser, restore, queue ?? null, onSilence).pipe(
      Effect.onError(() => loans.end(browser)),
      Effect.ensuring(settled(browser.id)),
      Deferred.into(outcome)
    )
    // a repeat with the key returns the same browser, so its launch goes on even if an outage of the store fails this create
    yield* browser.idempotencyKey === null
      ? launched
      : Effect.forkDetach(launched, { startImmediately: true, uninterruptible: true })
    return { _tag: "Browser", browser: yield* Deferred.await(outcome) } satisfies MadeOf<"Browser">
  })

  const isLaunched: BrowserCreates["isLaunched"] = Effect.fnUntraced(function* (id, key) {
    const here = launching.get(id)
    if (here !== undefined) yield* Effect.interruptible(Deferred.await(here))
    const browser = Option.getOrUndefined(yield* store.browser(id))
    if (browser?.status === "active") return true
    if (browser?.status !== "starting") {
      // the key goes with a browser that never was active, and an old browser may be deleted before its key
      const record = yield* store.idempotencyRecord(key)
      return Option.exists(record, ({ made }) => made._tag === "Browser" && made.browser.id === id)
    }
    // a node that lives ends its launches itself, however long they may wait for room there
    if (browser.node === null || browser.node === node || (yield* isLost(browser.node))) {
      yield* end(id, "launch_failed")
      return false
    }
    yield* Effect.interruptible(Effect.sleep(lookEvery_ms))
    return yield* isLaunched(id, key)
  })

  const creates: BrowserCreates = { create, isLaunching: (id) => launching.has(id), isLaunched }
  return creates
})
