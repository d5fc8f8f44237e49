import { RetryPolicy, type Transport } from "@webagent/core"
import { WebAgentClosedError } from "@webagent/core/promise"
import type { Caller } from "@webagent/core/promise/Caller"
import {
  callback,
  createOf,
  inputOf,
  listing,
  methodsOf,
  reading,
  readingPage,
  valueOf
} from "@webagent/core/promise/Methods"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as V4 from "../Browsers.ts"
import type { Browser, Browsers, OwnedBrowser } from "./Browsers.ts"

/** The browsers that were created and not stopped yet. What is left of them is stopped when the client is closed. */
export class OpenBrowsers extends Context.Service<OpenBrowsers, Map<string, Scope.Closeable>>()(
  "@webagent/v4/promise/OpenBrowsers"
) {
  static readonly layer: Layer.Layer<OpenBrowsers | V4.Browsers, never, Transport> = Layer.effect(
    this,
    Effect.acquireRelease(
      Effect.sync(() => new Map<string, Scope.Closeable>()),
      (open) => Effect.forEach(Array.from(open.keys()), (id) => release(open, id), { concurrency: "unbounded" })
    )
  ).pipe(Layer.provideMerge(V4.Browsers.layer))
}

/** Stops a browser, unless that was done. */
const release = (open: Map<string, Scope.Closeable>, id: string) =>
  Effect.suspend(() => {
    const scope = open.get(id)
    open.delete(id)
    return scope === undefined ? Effect.void : Scope.close(scope, Exit.void)
  })

/** The operations on browsers, as promises. */
export const make = (caller: Caller<OpenBrowsers | V4.Browsers>): Browsers => {
  const { call, close } = caller
  const owned = (browser: Browser): OwnedBrowser =>
    Object.defineProperty({ ...browser } as OwnedBrowser, Symbol.asyncDispose, {
      value: () =>
        call(() => Effect.flatMap(OpenBrowsers, (open) => release(open, browser.id))).catch((error) => {
          // closing stops it as well
          if (error instanceof WebAgentClosedError) return close()
          throw error
        })
    })

  return {
    ...methodsOf<Pick<Browsers, "get" | "list" | "listPage">>()(V4.Browsers, caller, {
      get: reading,
      list: listing,
      listPage: readingPage
    }),
    create: (input, options) =>
      call(() => {
        const [sent, chosen] = [inputOf(input), createOf(options)]
        return Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const browsers = yield* V4.Browsers
            const open = yield* OpenBrowsers
            const scope = yield* Scope.make()
            const acquire = RetryPolicy.interruptible(restore, "pauses")(browsers.acquire(sent, chosen))
            const browser = yield* Scope.provide(acquire, scope)
            open.set(browser.id, scope)
            // who has aborted will never see it
            yield* Effect.onInterrupt(restore(Effect.yieldNow), () => release(open, browser.id))
            return owned(browser)
          })
        )
      }, options),
    stop: (id, options) =>
      call(
        () =>
          Effect.gen(function* () {
            const browsers = yield* V4.Browsers
            const stopped = yield* browsers.stop(id)
            const open = yield* OpenBrowsers
            open.delete(id)
            return stopped
          }),
        options
      ),
    use: (input, f, options) =>
      call(
        () => {
          const body = valueOf("What is given to use", callback, f ?? null)
          const [sent, chosen] = [inputOf(input), createOf(options)]
          return Effect.flatMap(V4.Browsers, (browsers) =>
            browsers.use(sent, (browser) => Effect.promise(async (signal) => body(browser, signal)), chosen)
          )
        },
        options,
        { patient: true }
      )
  }
}
