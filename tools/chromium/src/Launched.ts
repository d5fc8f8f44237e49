import { Binary, ChromiumPool, Sandbox } from "@webagent/chromium"
import { Browser, BrowserPool, type CdpTransport } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A folder that browsers can read, until the scope closes. */
export const folder: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    const made = mkdtempSync(join(tmpdir(), "webagent-test-chromium-"))
    // browsers of a server that is root run as another user
    chmodSync(made, 0o755)
    return made
  }),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

/** A Chromium of the server's own pool. */
export interface Launched {
  readonly connect: Effect.Effect<CdpTransport, never, Scope.Scope>
  /** Address of its DevTools, for other clients. */
  readonly address: string
}

/** Has a program started with more arguments than it is told. */
const withArguments = (executable: string, folder: string, more: ReadonlyArray<string>): string => {
  if (more.length === 0) return executable
  const script = join(folder, "chromium")
  writeFileSync(script, `#!/bin/sh\nexec "${executable}" ${more.join(" ")} "$@"\n`, { mode: 0o755 })
  return script
}

/**
 * The server's own pool, with a folder of its own; the variables are added to the environment of its browsers, and the
 * flags to their arguments.
 */
export const pool = (
  env: Readonly<Record<string, string>> = {},
  flags: ReadonlyArray<string> = []
): Layer.Layer<BrowserPool | ChromiumPool.RunningBrowsers, unknown> =>
  Layer.unwrap(
    Effect.map(Effect.all([Binary.find(), folder, folder]), ([binary, root, scripts]) =>
      Layer.provide(
        ChromiumPool.layer({
          binary: {
            ...binary,
            executable: withArguments(binary.executable, scripts, flags),
            env: { ...binary.env, ...env }
          },
          // pages are our own, and some machines have no user namespaces for Chromium's sandbox
          chromiumSandbox: false,
          warm: 0,
          root
        }),
        Sandbox.layerNone
      )
    )
  )

/** Launches a Chromium of the server's own pool, until the scope closes. */
export const launch = Effect.fnUntraced(function* (
  env?: Readonly<Record<string, string>>,
  flags?: ReadonlyArray<string>
) {
  const browser = Browser.make({ id: "one", proxyCountryCode: null, startedAt_ms: 0 })
  const launched: Effect.Effect<Launched, unknown, BrowserPool | ChromiumPool.RunningBrowsers> = Effect.gen(
    function* () {
      const { connect } = yield* BrowserPool.use((browsers) => browsers.launch(browser))
      const address = yield* ChromiumPool.RunningBrowsers.useSync(({ find }) => find("one")?.devTools.address ?? "")
      return { address, connect }
    }
  )
  return yield* Effect.provideContext(launched, yield* Layer.build(pool(env, flags)))
})
