import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { BrowserPool, type LaunchedBrowser } from "./ports/BrowserPool.ts"
import * as Browser from "./domain/Browser.ts"
import { BrowserNotFound, BrowserStopped } from "./domain/Errors.ts"
import { Store } from "./ports/Store.ts"
import type { ReadWriteLock } from "./ReadWriteLock.ts"
import { fresh } from "./freshId.ts"
import { IdSource } from "./ports/IdSource.ts"
import type { MadeOf, Record } from "./SafeCreates.ts"

/** A browser to create. */
export interface BrowserRequest {
  readonly proxyCountryCode: string | null
}

/** A browser that runs, or that is being launched again after the restore of a snapshot. */
type Running = LaunchedBrowser | Fiber.Fiber<LaunchedBrowser>

const launchedOf = (running: Running): Effect.Effect<LaunchedBrowser> =>
  Fiber.isFiber(running) ? Fiber.join(running) : Effect.succeed(running)

const stopOf = (running: Running): Effect.Effect<void> =>
  Fiber.isFiber(running)
    ? Effect.flatMap(Fiber.interrupt(running), () => {
        const exit = running.pollUnsafe()
        return exit?._tag === "Success" ? exit.value.stop : Effect.void
      })
    : running.stop

/** The engine's half that hands out browsers. Closing its scope stops those that still run. */
export const make = Effect.fnUntraced(function* (lock: ReadWriteLock) {
  const pool = yield* BrowserPool
  const store = yield* Store
  const ids = yield* IdSource
  const fork = Effect.runForkWith(yield* Effect.context())
  let running = new Map<string, Running>()
  const stopping = new Map<string, Deferred.Deferred<Browser.Browser, BrowserNotFound>>()

  const stopEach = (all: Iterable<Running>) => Effect.forEach([...all], stopOf, { discard: true })

  yield* Effect.addFinalizer(() => stopEach(running.values()))

  const find = (id: string): Effect.Effect<Browser.Browser, BrowserNotFound> =>
    Effect.flatMap(
      store.browser(id),
      Option.match({ onNone: () => Effect.fail(new BrowserNotFound({ id })), onSome: Effect.succeed })
    )

  const create = Effect.fnUntraced(function* (request: BrowserRequest, record: Record) {
    const launchedIn = running
    const id = yield* fresh(ids, "browser", store.browser)
    const browser = Browser.make({ id, ...request, startedAt_ms: yield* Clock.currentTimeMillis })
    const made: MadeOf<"Browser"> = { _tag: "Browser", browser }
    const launched = yield* pool.launch(browser)
    const kept = yield* lock.shared(
      Effect.suspend(() => {
        if (running !== launchedIn) return Effect.succeed(false)
        running.set(id, launched)
        const idempotencyRecords = record(made, browser.startedAt_ms)
        return Effect.as(store.commit({ browsers: [browser], idempotencyRecords }), true)
      })
    )
    // everything was reset while it was launched: it was there before, and is gone as the others are
    if (!kept) yield* launched.stop
    return made
  })

  const stopNow = Effect.fnUntraced(function* (id: string) {
    const [browser, launched] = yield* lock.shared(
      Effect.gen(function* () {
        const found = yield* find(id)
        const stopped = Browser.stop(found, yield* Clock.currentTimeMillis)
        if (Result.isFailure(stopped)) return [found, undefined] as const
        const handle = running.get(id)
        running.delete(id)
        yield* store.commit({ browsers: [stopped.success] })
        return [stopped.success, handle] as const
      })
    )
    if (launched !== undefined) yield* stopOf(launched)
    return browser
  })

  /** Stops a browser. Calls during a stop share that stop, and its time. */
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
    const handle = running.get(id)
    if (handle === undefined) return yield* new BrowserStopped({ id })
    const launched = yield* launchedOf(handle)
    return yield* launched.connect
  })

  return {
    create,
    stop: (id: string) => Effect.uninterruptible(stop(id)),
    connect,
    /** While the lock is held: lets all browsers go and says how to stop them. */
    takeAll: (): Effect.Effect<void> => {
      const all = running
      running = new Map()
      return stopEach(all.values())
    },
    /** While the lock is held: launches the browser again, and does not wait for that. */
    relaunch: (browser: Browser.Browser): void => {
      if (browser.status === "active") running.set(browser.id, fork(pool.launch(browser)))
    }
  }
})
