import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { BrowserPool, type LaunchedBrowser } from "../browser/BrowserPool.ts"
import * as Browser from "../domain/Browser.ts"
import { BrowserNotFound, BrowserStopped } from "../domain/Errors.ts"
import { Store } from "../store/Store.ts"
import { IdSource } from "./IdSource.ts"

/** The engine's half that hands out browsers. Closing its scope stops those that still run. */
export const make = Effect.gen(function* () {
  const pool = yield* BrowserPool
  const store = yield* Store
  const ids = yield* IdSource
  const running = new Map<string, LaunchedBrowser>()
  const stopping = new Map<string, Deferred.Deferred<Browser.Browser, BrowserNotFound>>()

  yield* Effect.addFinalizer(() => Effect.forEach(running.values(), (browser) => browser.stop, { discard: true }))

  const find = (id: string): Effect.Effect<Browser.Browser, BrowserNotFound> =>
    Effect.flatMap(
      store.browser(id),
      Option.match({ onNone: () => Effect.fail(new BrowserNotFound({ id })), onSome: Effect.succeed })
    )

  const create = Effect.fnUntraced(function* (request: { readonly proxyCountryCode: string | null }) {
    const id = yield* ids.next("browser")
    const browser = Browser.make({ id, ...request, startedAt_ms: yield* Clock.currentTimeMillis })
    running.set(id, yield* pool.launch(browser))
    yield* store.commit({ browsers: [browser] })
    return browser
  })

  const stopNow = Effect.fnUntraced(function* (id: string) {
    const browser = yield* find(id)
    const stopped = Browser.stop(browser, yield* Clock.currentTimeMillis)
    if (Result.isFailure(stopped)) return browser
    const launched = running.get(id)
    running.delete(id)
    yield* store.commit({ browsers: [stopped.success] })
    if (launched !== undefined) yield* launched.stop
    return stopped.success
  })

  /** Whoever wants to stop a browser that is being stopped shares that stop, and its time. */
  const stop = (id: string): Effect.Effect<Browser.Browser, BrowserNotFound> =>
    Effect.suspend(() => {
      const begun = stopping.get(id)
      if (begun !== undefined) return Deferred.await(begun)
      const ended = Deferred.makeUnsafe<Browser.Browser, BrowserNotFound>()
      stopping.set(id, ended)
      return Effect.onExit(stopNow(id), (exit) => {
        stopping.delete(id)
        return Deferred.done(ended, exit)
      })
    })

  const connect = Effect.fnUntraced(function* (id: string) {
    yield* find(id)
    const launched = running.get(id)
    if (launched === undefined) return yield* new BrowserStopped({ id })
    return yield* launched.connect
  })

  return {
    create: (request: { readonly proxyCountryCode: string | null }) => Effect.uninterruptible(create(request)),
    stop: (id: string) => Effect.uninterruptible(stop(id)),
    connect
  }
})
