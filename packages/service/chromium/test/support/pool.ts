import { Browser, BrowserPool } from "@webagent/engine"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Binary, ChromiumPool, Sandbox } from "../../src/index.ts"
import { chromiumSandbox } from "./chromium.ts"

/** Launches one browser of a pool in the folder that is given, says so, and never ends by itself. */
Effect.runFork(
  Effect.gen(function* () {
    const pool = ChromiumPool.layer({
      binary: yield* Binary.find(),
      chromiumSandbox: yield* chromiumSandbox,
      warm: 1,
      root: process.argv[2] ?? ""
    })
    const context = yield* Layer.build(Layer.provide(pool, Sandbox.layerNone))
    const browser = Browser.make({ id: "one", proxyCountryCode: null, startedAt_ms: 0 })
    yield* Effect.provideContext(
      BrowserPool.use(({ launch }) => launch(browser)),
      context
    )
    yield* Console.log("started")
    yield* Effect.never
  }).pipe(Effect.scoped)
)
