import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { BrowserStops } from "./BrowserStops.ts"
import type * as Browser from "./domain/Browser.ts"
import { ProfileUnusable } from "./domain/Errors.ts"
import { BrowserPool, type LaunchedBrowser } from "./ports/BrowserPool.ts"
import { Owner } from "./ports/Owner.ts"
import { type ProfileNotFound, Profiles } from "./ports/Profiles.ts"
import { Store, type StoreUnavailable } from "./ports/Store.ts"
import type { RunningBrowsers } from "./RunningBrowsers.ts"
import { storeRetries } from "./storeRetries.ts"

/** Lends profiles to browsers: to one for writing, to all others for reading. */
export interface ProfileLoans {
  /** Notes that a profile of the caller is used; fails if browsers can't use it. */
  readonly use: (profileId: string) => Effect.Effect<void, ProfileNotFound | ProfileUnusable | StoreUnavailable>
  /** Lends a profile to a browser that is about to start. It may write if no other browser does. */
  readonly lend: (
    profileId: string,
    browserId: string
  ) => Effect.Effect<NonNullable<Browser.Browser["profile"]>, ProfileNotFound | ProfileUnusable | StoreUnavailable>
  /** Ends the loan of a browser that doesn't run. */
  readonly end: (browser: Pick<Browser.Browser, "id" | "profile">) => Effect.Effect<void>
  /** Ends the loan of a browser when it has stopped. */
  readonly endingWith: (browser: Browser.Browser, launched: LaunchedBrowser) => LaunchedBrowser
}

/** Time that a stopped browser may take to save its profile. Another one may write after that. */
const saveWithin_ms = 60_000

const withoutSaving: ReadonlyArray<Browser.Browser["stopReason"]> = ["launch_failed", "node_lost"]

/** Makes the loans of a node. */
export const make = Effect.fnUntraced(function* (running: RunningBrowsers, { giveWay }: Pick<BrowserStops, "giveWay">) {
  const port = yield* Profiles
  const pool = yield* BrowserPool
  const store = yield* Store

  const usable = Effect.suspend(() => {
    const unusable =
      port === null || pool.usesProfiles !== true
        ? "Browsers of this server don't use profiles: leave profileId out"
        : port.unusable
    return port === null || unusable !== undefined
      ? Effect.fail(new ProfileUnusable({ message: unusable ?? "" }))
      : Effect.succeed(port)
  })

  /** True if this browser can't save any more. */
  const isDone = Effect.fnUntraced(function* (browserId: string, lentAt_ms: number) {
    const now_ms = yield* Clock.currentTimeMillis
    const browser = Option.getOrUndefined(yield* store.browser(browserId))
    // it may be lent before its record is stored
    if (browser === undefined) return lentAt_ms + saveWithin_ms < now_ms
    if (browser.status !== "stopped") return false
    return withoutSaving.includes(browser.stopReason) || (browser.finishedAt_ms ?? 0) + saveWithin_ms < now_ms
  })

  const lend = Effect.fnUntraced(function* (
    profileId: string,
    browserId: string
  ): Effect.fn.Return<NonNullable<Browser.Browser["profile"]>, ProfileNotFound | ProfileUnusable | StoreUnavailable> {
    const profiles = yield* usable
    const { lentAt_ms, writer } = yield* profiles.find(profileId)
    if (writer === null || (yield* isDone(writer, lentAt_ms ?? 0))) {
      if (yield* profiles.acquire(profileId, browserId, writer)) return { id: profileId, mode: "write" }
      return yield* lend(profileId, browserId)
    }
    if (running.isUnused(writer)) {
      // a session without a running turn holds it: what its turns did is saved for this browser
      yield* giveWay(writer)
      return yield* lend(profileId, browserId)
    }
    yield* profiles.use(profileId)
    return { id: profileId, mode: "read" }
  })

  const end: ProfileLoans["end"] = ({ id, profile }) =>
    port === null || profile?.mode !== "write"
      ? Effect.void
      : port.release(profile.id, id).pipe(
          Effect.provideService(Owner, null),
          Effect.retry({ schedule: storeRetries, times: 3 }),
          // another browser may write after a while, whatever becomes of this
          Effect.ignore
        )

  const loans: ProfileLoans = {
    use: (profileId) => Effect.flatMap(usable, (profiles) => Effect.asVoid(profiles.use(profileId))),
    lend,
    end,
    endingWith: (browser, launched) =>
      browser.profile?.mode === "write"
        ? {
            ...launched,
            stop: Effect.ensuring(launched.stop, end(browser)),
            ...(launched.ended === undefined ? {} : { ended: Effect.tap(launched.ended, () => end(browser)) })
          }
        : launched
  }
  return loans
})
