import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Browser from "./domain/Browser.ts"
import type { Step, Store, StoreUnavailable } from "./ports/Store.ts"

/** The status that clients saw last; null of a browser that is still starting, which no client sees. */
const fromOf = ({ status }: Browser.Browser) => (status === "starting" ? null : status)

/** Writes a browser that has just been read. It fails with `Conflict` if another step has changed it since. */
export const commitBrowser =
  (store: Store["Service"]) =>
  (browser: Browser.Browser, from: string | null, at_ms: number, further: Partial<Step> = {}) => {
    const { id, owner, status } = browser
    const events: Step["events"] =
      status === "starting" ? [] : [{ at_ms, of: "browser", id, sessionId: null, owner, from, to: status }]
    return store.commit({ browser, events, ...further })
  }

/** Deletes the record of a browser that never got a place, and the key of its create. */
export const forgetBrowser =
  (store: Store["Service"], end: ReturnType<typeof endBrowser>) =>
  (browser: Browser.Browser): Effect.Effect<void, StoreUnavailable> => {
    const { id, idempotencyKey: key } = browser
    return store.commit({ unplaced: browser, events: [], ...(key === null ? {} : { forgetKey: key }) }).pipe(
      Effect.catchTags({
        // another step has stopped it meanwhile
        Conflict: () => Effect.asVoid(end(id, "launch_failed")),
        AdmissionRefused: Effect.die,
        KeyTaken: Effect.die
      })
    )
  }

/**
 * Stores the end of a browser, unless it has ended, and returns its record. If it never was active, the key of its create
 * is deleted. It says nothing to the node where the browser runs.
 */
export const endBrowser = (store: Store["Service"]) => {
  const commit = commitBrowser(store)
  const end = (
    id: string,
    reason: Browser.StopReason,
    { bytes = null }: { readonly bytes?: number | null } = {}
  ): Effect.Effect<Browser.Browser | undefined, StoreUnavailable> =>
    Effect.flatMap(store.browser(id), (stored) => {
      if (Option.isNone(stored)) return Effect.succeed(undefined)
      const browser = stored.value
      return Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const stopped = Browser.stop(browser, reason, now, bytes)
        if (Result.isFailure(stopped)) return Effect.succeed(browser)
        const forgetKey = browser.status === "starting" ? browser.idempotencyKey : null
        return commit(stopped.success, fromOf(browser), now, forgetKey === null ? {} : { forgetKey }).pipe(
          Effect.as<Browser.Browser | undefined>(stopped.success),
          Effect.catchTags({
            Conflict: () => end(id, reason, { bytes }),
            AdmissionRefused: Effect.die,
            KeyTaken: Effect.die
          })
        )
      })
    })
  return end
}
