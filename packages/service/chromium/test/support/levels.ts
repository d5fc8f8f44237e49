import { Browser, BrowserPool } from "@webagent/engine"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Binary, ChromiumPool, type Isolation, Sandbox } from "../../src/index.ts"
import { chromiumSandbox, runtime } from "./chromium.ts"
import { layerEgress, noNamespaces } from "./sandboxed.ts"

const noSandbox = (await Effect.runPromise(chromiumSandbox))
  ? undefined
  : " (skipped where users can't make namespaces)"

/** The isolation levels, each with the reason why this machine can't have it, as the end of a title. */
export const levels: ReadonlyArray<readonly [level: Isolation.Level, skipped: string | undefined]> = [
  ["namespaces", noNamespaces],
  ["chromium", noSandbox],
  ["none", undefined]
]

/** Starts a browser of a pool that reaches one port of this machine. */
export const launch = Effect.fnUntraced(function* (level: Isolation.Level, port: number) {
  const layer = level === "namespaces" ? Sandbox.layerBubblewrap : Sandbox.layerProxy
  const pool = ChromiumPool.layer({
    binary: yield* Binary.find(),
    chromiumSandbox: level !== "none",
    warm: 0,
    root: yield* runtime
  })
  const sandbox = Layer.provide(layer, layerEgress({ allowPrivate: [`127.0.0.1:${port}`] }))
  const context = yield* Layer.build(Layer.provide(pool, sandbox))
  const browser = yield* Effect.provideContext(
    BrowserPool.use(({ launch }) => launch(Browser.make({ id: "one", proxyCountryCode: null, startedAt_ms: 0 }))),
    context
  )
  const folder = yield* Effect.provideContext(
    ChromiumPool.RunningBrowsers.useSync(({ find }) => find("one")?.folder ?? assert.fail("it does not run")),
    context
  )
  return { connection: yield* browser.connect, folder }
})
