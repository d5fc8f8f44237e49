import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { BrowserControl, Control, ControlTaken } from "./BrowserControl.ts"
import { commitBrowser } from "./browserEnd.ts"
import * as Browser from "./domain/Browser.ts"
import { BrowserStopped } from "./domain/Errors.ts"
import type { ControlChange, Event } from "./domain/Event.ts"
import { AuditLog } from "./ports/AuditLog.ts"
import { Store, type StoreUnavailable } from "./ports/Store.ts"
import { storeRetries } from "./storeRetries.ts"

/** Control of this node's browsers; each change of the driver is stored with an event. */
export interface DrivenBrowsers {
  readonly take: (
    browserId: string,
    driver: string,
    for_ms: number
  ) => Effect.Effect<Control, BrowserStopped | ControlTaken | StoreUnavailable>
  readonly release: BrowserControl["release"]
}

/** The action in the audit log for control whose time is over. */
const expiry = "browsers.expireControl"

/** Stores who drives the browsers of `control`, and that their time is over. */
export const make = Effect.fnUntraced(function* (control: BrowserControl) {
  const store = yield* Store
  const auditLog = yield* AuditLog
  const scope = yield* Effect.scope
  const commit = commitBrowser(store)

  /** The event of the run that the browser's agent carries out. */
  const eventOfRun = Effect.fnUntraced(function* (
    { id, sessionId }: Browser.Browser,
    at_ms: number,
    change: ControlChange
  ) {
    if (sessionId === null) return []
    const session = Option.getOrUndefined(yield* store.session(sessionId))
    if (session === undefined || session.lease === null || session.browserId !== id) return []
    const turn = Option.getOrUndefined(yield* store.turn(session.lease.turnId))
    if (turn === undefined) return []
    const { owner, status } = turn
    const event: Event = { at_ms, of: "turn", id: turn.id, sessionId, owner, from: status, to: status, control: change }
    return [event]
  })

  /** Stores the current driver of a browser; without a change, only until when. False if the browser has stopped. */
  const write = (browserId: string, change: ControlChange | null): Effect.Effect<boolean, StoreUnavailable> =>
    Effect.gen(function* () {
      const browser = Option.getOrUndefined(yield* store.browser(browserId))
      if (browser === undefined || browser.status === "stopped") return false
      const { id, owner, status } = browser
      const driver = yield* control.of(id)
      if (change === null && driver === null && browser.driver === null) return true
      const at_ms = yield* Clock.currentTimeMillis
      const events: ReadonlyArray<Event> =
        change === null
          ? []
          : [
              { at_ms, of: "browser", id, sessionId: null, owner, from: status, to: status, control: change },
              ...(yield* eventOfRun(browser, at_ms, change))
            ]
      yield* commit(Browser.driven(browser, driver), status, at_ms, { events })
      return true
    }).pipe(
      Effect.catchTags({
        Conflict: () => write(browserId, change),
        AdmissionRefused: Effect.die,
        KeyTaken: Effect.die
      })
    )

  const writeLater = (browserId: string, change: ControlChange | null) =>
    Effect.asVoid(Effect.forkIn(Effect.ignore(Effect.retry(write(browserId, change), storeRetries)), scope))

  const pending = new Set<string>()
  /** Stores who drives a browser once the store is back, however many takes fail until then. */
  const correctLater = (browserId: string) =>
    Effect.suspend(() => {
      if (pending.has(browserId)) return Effect.void
      pending.add(browserId)
      const corrected = Effect.ignore(Effect.retry(write(browserId, null), storeRetries))
      const done = Effect.sync(() => void pending.delete(browserId))
      return Effect.asVoid(Effect.forkIn(Effect.ensuring(corrected, done), scope))
    })

  /** As `write`; while the store is away, control is free already. */
  const writeEnd = (browserId: string, change: ControlChange) =>
    write(browserId, change).pipe(
      Effect.asVoid,
      Effect.catch(() => writeLater(browserId, change))
    )

  /** Waits until control of a browser is free, and stores that its time is over, unless its driver released it. */
  const watch = Effect.fnUntraced(function* (browserId: string, driver: string) {
    if ((yield* control.free(browserId)) !== "expired") return
    yield* writeEnd(browserId, "expired")
    const at_ms = yield* Clock.currentTimeMillis
    const entry = { at_ms, key: driver, address: "", action: expiry, targets: [browserId], count: 1, status: 200 }
    yield* Effect.ignore(auditLog?.add(entry) ?? Effect.void)
  })

  const driven: DrivenBrowsers = {
    take: (browserId, driver, for_ms) =>
      Effect.uninterruptible(
        Effect.gen(function* () {
          const store = (isFirst: boolean) =>
            Effect.flatMap(write(browserId, isFirst ? "taken" : null), (isRunning) =>
              isRunning ? Effect.void : new BrowserStopped({ id: browserId })
            )
          const { isNew, ...taken } = yield* Effect.tapErrorTag(
            control.take(browserId, driver, for_ms, store),
            "StoreUnavailable",
            // it may be stored all the same
            () => correctLater(browserId)
          )
          if (isNew) yield* Effect.forkIn(watch(browserId, driver), scope)
          return taken
        })
      ),
    release: (browserId, driver) =>
      Effect.uninterruptible(
        Effect.gen(function* () {
          const wasHeld = (yield* control.of(browserId)) !== null
          yield* control.release(browserId, driver)
          if (wasHeld) yield* writeEnd(browserId, "released")
        })
      )
  }
  return driven
})
