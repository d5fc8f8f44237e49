import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { BrowserCalls } from "../Browsers.ts"
import * as RetryPolicy from "../RetryPolicy.ts"
import type { Browser, Browsers, OwnedBrowser } from "./Browsers.ts"
import type { Caller } from "./Caller.ts"
import { WebAgentClosedError } from "./Errors.ts"
import { callback, createOf, inputOf, listing, methodsOf, reading, readingPage, valueOf } from "./Methods.ts"

/**
 * Makes the operations on browsers of a promise client. Closing the client stops its browsers that are still running.
 *
 * @param service - The service for Effect.
 * @param caller - Runs its effects.
 * @returns The operations.
 * @example
 * ```ts
 * import { make } from "@webagent/core/promise/BrowserCalls"
 * import type { Caller } from "@webagent/core/promise/Caller"
 * import { Browsers } from "@webagent/v4"
 *
 * export const browsers = (caller: Caller<Browsers>) => make(Browsers, caller)
 * ```
 */
export const make = <R>(service: Context.Key<R, BrowserCalls<unknown>>, caller: Caller<R>): Browsers => {
  const { call, close, scope } = caller
  /** The browsers that were created and not stopped yet. */
  const open = new Map<string, Scope.Closeable>()
  let isWatched = false

  /** Stops a browser, unless that was done. */
  const release = (id: string) =>
    Effect.suspend(() => {
      const scope = open.get(id)
      open.delete(id)
      return scope === undefined ? Effect.void : Scope.close(scope, Exit.void)
    })

  const stopAll = Effect.suspend(() => Effect.forEach(Array.from(open.keys()), release, { concurrency: "unbounded" }))

  const owned = (browser: Browser): OwnedBrowser =>
    Object.defineProperty({ ...browser } as OwnedBrowser, Symbol.asyncDispose, {
      value: () =>
        call(() => release(browser.id)).catch((error) => {
          // closing stops it as well
          if (error instanceof WebAgentClosedError) return close()
          throw error
        })
    })

  return {
    ...methodsOf<Pick<Browsers, "get" | "list" | "listPage">>()(service, caller, {
      get: reading,
      list: listing,
      listPage: readingPage
    }),
    create: (input, options) =>
      call(() => {
        const [sent, chosen] = [inputOf(input), createOf(options)]
        return Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const browsers = yield* service
            if (!isWatched) {
              isWatched = true
              // it runs before the services end, because they were made before
              yield* Scope.addFinalizer(scope, stopAll)
            }
            const own = yield* Scope.make()
            const acquire = RetryPolicy.interruptible(restore, "pauses")(browsers.acquire(sent, chosen))
            const browser = yield* Scope.provide(acquire, own)
            open.set(browser.id, own)
            // who has aborted will never see it
            yield* Effect.onInterrupt(restore(Effect.yieldNow), () => release(browser.id))
            return owned(browser)
          })
        )
      }, options),
    stop: (id, options) =>
      call(
        () =>
          Effect.map(
            Effect.flatMap(service, (browsers) => browsers.stop(id)),
            (stopped) => {
              open.delete(id)
              return stopped
            }
          ),
        options
      ),
    use: (input, f, options) =>
      call(
        () => {
          const body = valueOf("What is given to use", callback, f ?? null)
          const [sent, chosen] = [inputOf(input), createOf(options)]
          return Effect.flatMap(service, (browsers) =>
            browsers.use(sent, (browser) => Effect.promise(async (signal) => body(browser, signal)), chosen)
          )
        },
        options,
        { patient: true }
      )
  }
}
